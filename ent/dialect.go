package ent

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
	"modernc.org/sqlite"

	"github.com/storefront-go/storefront/ent/fault"
)

// class is what an error of the database means for the transaction it met.
type class int

const (
	fatal     class = iota // a mistake or a broken database: retrying is no help
	duplicate              // a unique key is taken; the transaction lives on
	conflict               // the server rolled back in favour of another
	lockWait               // the statement waited too long for a lock
	refused                // the server refuses work for now
	linkLost               // the connection broke
	broken                 // the file cannot be read or written: a full disk
)

// MySQL's error numbers by class, with those of MariaDB, Galera, Group
// Replication, Vitess and TiDB.
var mysqlClass = map[uint16]class{
	1062: duplicate,
	1213: conflict, 1020: conflict, 1180: conflict, 1412: conflict, 3101: conflict, 9007: conflict,
	8002: conflict, 8005: conflict, 8022: conflict, 8028: conflict,
	1205: lockWait, 3572: lockWait,
	1203: refused, 1040: refused, 1047: refused, 1290: refused, 1792: refused, 1836: refused,
	8027: refused, 9001: refused, 9002: refused, 9003: refused, 9004: refused, 9005: refused, 9010: refused,
	1053: linkLost, 1927: linkLost, 2006: linkLost, 2013: linkLost, 4031: linkLost,
	3: broken, 20: broken, 1021: broken, 1026: broken, noRoom: broken,
}

// vtgateError is what vtgate makes of most errors behind it; the text tells those that mean
// that a shard is away or moves to other shards. What was done of a commit is as unknown
// then as when the link is lost.
const vtgateError = 1105

var vitessAway = regexp.MustCompile(`no healthy tablet|being resharded|operation not allowed in state|` +
	`code = Unavailable|code = Code\(14\)|reparent|enforce denied tables`)

// demoted reports whether a server says that it takes no writes any more: it is read-only,
// or a node of Galera that is not part of the cluster.
func demoted(err error) bool {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && (e.Number == 1290 || e.Number == 1836 || e.Number == 1792 || e.Number == 1047)
}

// SQLite's primary result codes, which are the low byte of the extended ones,
// and the two extended codes of a taken key.
const (
	sqliteBusy, sqliteLocked             = 5, 6
	sqliteIO, sqliteFull, sqliteCantOpen = 10, 13, 14
	sqlitePrimaryKey, sqliteUnique       = 1555, 2067
)

// classify says what err means. It looks through wrapping errors.
func classify(err error) class {
	if errors.Is(err, errGroupLost) || errors.Is(err, errHorizonLost) {
		return conflict
	}
	if _, ok := errors.AsType[*noWriterError](err); ok {
		return refused
	}
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		if e.Number == vtgateError && vitessAway.MatchString(e.Message) {
			return linkLost
		}
		return mysqlClass[e.Number]
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return classifySQLite(e.Code())
	}
	// A deadline is a net.Error too, but the link is whole.
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fatal
	}
	// The cause of a fault may be what a client sent, which ended too soon.
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Unavailable {
		return fatal
	}
	for _, lost := range []error{
		driver.ErrBadConn, mysql.ErrInvalidConn, mysql.ErrPktSync, mysql.ErrPktSyncMul, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, lost) {
			return linkLost
		}
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return linkLost
	}
	return fatal
}

// noRoom is MySQL's error of a row for which there is no room.
const noRoom = 1114

// undone reports whether what a message that commits met has undone the transaction for certain.
func undone(err error) bool {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok && e.Number == noRoom {
		return true
	}
	c := classify(err)
	return c == conflict || c == lockWait
}

func classifySQLite(code int) class {
	switch code {
	case sqlitePrimaryKey, sqliteUnique:
		return duplicate
	}
	switch code & 0xff {
	case sqliteBusy, sqliteLocked:
		return conflict
	case sqliteIO, sqliteFull, sqliteCantOpen:
		return broken
	}
	return fatal
}

// IsDuplicate reports whether err says that a unique key is taken. Its text holds
// raw key bytes on MySQL: never answer or log it.
func IsDuplicate(err error) bool { return err != nil && classify(err) == duplicate }

// IsLockTimeout reports whether a statement gave up waiting for another
// transaction's lock.
func IsLockTimeout(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()&0xff == sqliteBusy
	}
	return err != nil && classify(err) == lockWait
}

// IsUnavailable reports whether err means that the database cannot serve now: it
// is away, refuses work, is too busy, or this store is closed. The caller may
// try again later.
func IsUnavailable(err error) bool {
	if err == nil {
		return false
	}
	if _, ok := errors.AsType[*unavailableError](err); ok {
		return true
	}
	switch classify(err) {
	case refused, linkLost, lockWait, conflict, broken:
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// IsAway reports whether err means that nobody answers at the database's address, or that
// who answers takes no work now; a wrong name or password does not come right by itself.
func IsAway(err error) bool {
	if err == nil {
		return false
	}
	c := classify(err)
	return c == refused || c == linkLost
}

type unavailableError struct{ err error }

func (e *unavailableError) Error() string { return "database unavailable: " + e.err.Error() }
func (e *unavailableError) Unwrap() error { return e.err }

// The waits of MySQL connections. A read that takes longer than readTimeout is
// given up with its connection.
const (
	dialTimeout  = 2 * time.Second
	readTimeout  = 15 * time.Second
	writeTimeout = 5 * time.Second
)

// The bounds that the server keeps, in seconds. A program that stands still within a
// transaction holds its locks no longer than others wait for them: MariaDB ends the
// session then. MySQL and TiDB know only how long any session may be silent, which is no
// longer than a lease; the pool closes its idle connections before that. Each reads its
// own kind of comment.
const (
	lockWaitTime = "5"
	// tableWaitTime bounds the wait for a table that is locked as a whole, which no
	// transaction of ours does. With a retry it is shorter than most clients wait.
	tableWaitTime = "4"
	idleTime      = " /*M!100300 , idle_transaction_timeout = 4 */ /*!80000 , wait_timeout = 6 */"
	poolIdleTime  = 4 * time.Second
)

// openMySQL makes the one pool that reads and writes share. A wait of zero is
// for statements that may take hours.
func openMySQL(t target, c Config, wait time.Duration) (*stdsql.DB, *patient, error) {
	h := &hosts{began: time.Now()}
	for _, a := range t.hosts {
		connector, err := mysql.NewConnector(mysqlConfig(t, a, c, wait))
		if err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", t, err)
		}
		h.names, h.connectors = append(h.names, a.String()), append(h.connectors, connector)
	}
	p := &patient{Connector: h}
	pool := stdsql.OpenDB(p)
	n := cmp.Or(c.MaxOpen, 16)
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	pool.SetConnMaxLifetime(4 * time.Minute)
	pool.SetConnMaxIdleTime(poolIdleTime)
	return pool, p, nil
}

// mysqlConfig is how one server is spoken to. What a read-only one answers is left to
// [hosts], which tells it from a lost link.
func mysqlConfig(t target, a address, c Config, wait time.Duration) *mysql.Config {
	m := mysql.NewConfig()
	m.User, m.Passwd, m.Net, m.Addr, m.DBName = t.user, t.password, a.network, a.addr, t.name
	m.Timeout, m.ReadTimeout, m.WriteTimeout = dialTimeout, wait, writeTimeout
	m.InterpolateParams, m.ParseTime = true, true
	m.MultiStatements = true // for [Later]; every text is a constant, and its values are quoted
	m.Loc, m.Collation, m.TLSConfig = time.UTC, "utf8mb4_bin", t.tls
	m.Params = map[string]string{"time_zone": "'+00:00'", "innodb_lock_wait_timeout": lockWaitTime}
	if wait > 0 {
		m.Params["lock_wait_timeout"] = tableWaitTime
		m.Params["innodb_lock_wait_timeout"] += idleTime
	}
	m.Logger = driverLog{c.Logger}
	return m
}

// driverLog takes what the MySQL driver would print to standard error: broken
// connections, which the errors report as well.
type driverLog struct{ log *slog.Logger }

func (l driverLog) Print(v ...any) { l.log.Debug("mysql driver", "message", fmt.Sprint(v...)) }

// sqliteReaders is how many connections read: one that waits for the disk beside as
// many as compute, and four at most. Each has a page cache of its own, whose memory
// counts double in this driver, and a page in the making; the system's cache holds the
// file once for all, so more readers with larger caches were no faster.
func sqliteReaders() int { return min(runtime.GOMAXPROCS(0)+1, 4) }

// lockTime is how long a statement on SQLite waits for another process.
const lockTime = 4 * time.Second

var busyTime = "busy_timeout(" + strconv.Itoa(int(lockTime/time.Millisecond)) + ")"

// openSQLite makes the pool of the one writer and the pool of readers. With one
// connection [turns], which honours contexts, orders the writers; SQLite's own waiting
// does not.
func openSQLite(t target, c Config) (writer, readers *stdsql.DB, err error) {
	sync := "normal"
	if c.FullSync {
		sync = "full"
	}
	writer, err = sqlitePool(t, "_txlock", "immediate",
		"_pragma", busyTime, "_pragma", "journal_mode(wal)", "_pragma", "synchronous("+sync+")",
		"_pragma", "foreign_keys(on)", "_pragma", "cache_size(-4000)", "_pragma", "journal_size_limit(67108864)",
		"_pragma", "wal_autocheckpoint("+walPages+")")
	if err != nil {
		return nil, nil, err
	}
	writer.SetMaxOpenConns(1)
	readers, err = sqlitePool(t, "_pragma", busyTime, "_pragma", "query_only(1)", "_pragma",
		"cache_size(-500)")
	if err != nil {
		writer.Close()
		return nil, nil, err
	}
	n := cmp.Or(c.MaxOpen, sqliteReaders())
	readers.SetMaxOpenConns(n)
	readers.SetMaxIdleConns(n)
	return writer, readers, nil
}

// sqlitePool makes a pool with the settings that pairs name.
func sqlitePool(t target, pairs ...string) (*stdsql.DB, error) {
	if err := extend(); err != nil {
		return nil, err
	}
	uri := sqliteURI(t.path, pairs...)
	connector, err := sqlite.NewConnector(uri)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", t, err)
	}
	return stdsql.OpenDB(&preparing{Connector: connector, uri: uri}), nil
}

// sqliteURI writes a file: URI, in which the path's own ?, # and % are encoded.
func sqliteURI(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	return u.String()
}
