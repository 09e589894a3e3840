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

// class is the consequence of a database error for its transaction.
type class int

const (
	fatal     class = iota // a bug or a broken database: retrying does not help
	duplicate              // a unique key is taken; the transaction continues
	conflict               // the server rolled back in favor of another transaction
	lockWait               // the statement waited too long for a lock
	refused                // the server refuses work for now
	linkLost               // the connection broke
	broken                 // the file cannot be read or written, for example because the disk is full
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
	3: broken, 20: broken, 1021: broken, 1026: broken, tableFull: broken,
}

// vtgateError is the number of most errors that vtgate passes on; the text identifies those that
// mean that a shard is down or is being resharded. The outcome of a commit is then as unknown as
// after a lost link.
const vtgateError = 1105

var vitessAway = regexp.MustCompile(`no healthy tablet|being resharded|operation not allowed in state|` +
	`code = Unavailable|code = Code\(14\)|reparent|enforce denied tables`)

// demoted reports whether a server says that it no longer takes writes: it is read-only, or a
// Galera node outside the cluster.
func demoted(err error) bool {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && (e.Number == 1290 || e.Number == 1836 || e.Number == 1792 || e.Number == 1047)
}

// SQLite's primary result codes, which are the low byte of the extended ones,
// and the two extended codes of a taken key.
const (
	sqliteBusy, sqliteLocked             = 5, 6
	sqliteInterrupt                      = 9
	sqliteIO, sqliteFull, sqliteCantOpen = 10, 13, 14
	sqlitePrimaryKey, sqliteUnique       = 1555, 2067
)

func classify(err error) class {
	if _, again := errors.AsType[*againError](err); again || errors.Is(err, errGroupLost) ||
		errors.Is(err, errHorizonLost) {
		return conflict
	}
	if isNoWriter(err) {
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
	// A deadline is a net.Error too, but the link is intact.
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fatal
	}
	// The cause of a fault may be an unexpected end of the client's input.
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

const tableFull = 1114

// undone reports whether err, the answer to a message with a COMMIT, means that the transaction was
// certainly rolled back.
func undone(err error) bool {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok && e.Number == tableFull {
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

// IsDuplicate reports whether err says that a unique key is taken. Its text contains raw key bytes
// on MySQL: never answer or log it.
func IsDuplicate(err error) bool { return classify(err) == duplicate }

// IsLockTimeout reports whether a statement timed out waiting for another transaction's lock.
func IsLockTimeout(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()&0xff == sqliteBusy
	}
	return classify(err) == lockWait
}

// IsUnavailable reports whether err means that the database cannot serve now: it is down, refuses
// work or is too busy, or this store is closed. The caller may try again later.
func IsUnavailable(err error) bool {
	if _, ok := errors.AsType[*unavailableError](err); ok {
		return true
	}
	switch classify(err) {
	case refused, linkLost, lockWait, conflict, broken:
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// IsDown reports whether err means that the database does not answer or takes no work now. A wrong
// name or password is not such an error, since it does not go away by itself.
func IsDown(err error) bool {
	c := classify(err)
	return c == refused || c == linkLost
}

type unavailableError struct{ err error }

func (e *unavailableError) Error() string { return "database unavailable: " + e.err.Error() }
func (e *unavailableError) Unwrap() error { return e.err }

// The timeouts of MySQL connections. A read that takes longer than readTimeout is given up with its
// connection.
const (
	dialTimeout  = 2 * time.Second
	readTimeout  = 15 * time.Second
	writeTimeout = 5 * time.Second
)

// The timeouts enforced by the server, in seconds. A program that stalls within a transaction holds
// its locks no longer than others wait for them, since MariaDB then ends the session. MySQL and
// TiDB can only limit the idle time of any session, here to no longer than a lease; the pool closes
// its idle connections before that. Each reads its own kind of comment.
const (
	lockWaitTime = "5"
	// tableWaitTime bounds the wait for a table lock, which none of our transactions takes. With a
	// retry it is shorter than most clients wait.
	tableWaitTime = "4"
	idleTime      = " /*M!100300 , idle_transaction_timeout = 4 */ /*!80000 , wait_timeout = 6 */"
	poolIdleTime  = 4 * time.Second
)

// openMySQL opens a pool. A wait of zero is for statements that may take hours.
func openMySQL(t target, c Config, wait time.Duration) (*stdsql.DB, *breaker, error) {
	h := &hosts{began: time.Now(), joins: c.joins}
	for _, a := range t.hosts {
		connector, err := mysql.NewConnector(mysqlConfig(t, a, c, wait))
		if err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", t, err)
		}
		h.names, h.connectors = append(h.names, a.String()), append(h.connectors, connector)
	}
	p := &breaker{Connector: h}
	pool := stdsql.OpenDB(p)
	n := cmp.Or(c.MaxOpen, 16)
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	pool.SetConnMaxLifetime(4 * time.Minute)
	pool.SetConnMaxIdleTime(poolIdleTime)
	return pool, p, nil
}

// mysqlConfig returns the configuration for one server. Errors of a read-only server are left to
// [hosts], which distinguishes them from a lost link.
func mysqlConfig(t target, a address, c Config, wait time.Duration) *mysql.Config {
	m := mysql.NewConfig()
	m.User, m.Passwd, m.Net, m.Addr, m.DBName = t.user, t.password, a.network, a.addr, t.name
	m.Timeout, m.ReadTimeout, m.WriteTimeout = dialTimeout, wait, writeTimeout
	m.InterpolateParams, m.ParseTime = true, true
	m.MultiStatements = c.joins // see [joinedConn] for why no other text uses it
	m.Loc, m.Collation, m.TLSConfig = time.UTC, "utf8mb4_bin", t.tls
	m.Params = map[string]string{"time_zone": "'+00:00'", "innodb_lock_wait_timeout": lockWaitTime}
	if wait > 0 {
		m.Params["lock_wait_timeout"] = tableWaitTime
		m.Params["innodb_lock_wait_timeout"] += idleTime
	}
	m.Logger = driverLog{c.Logger}
	return m
}

// driverLog receives what the MySQL driver would print to standard error: broken connections, which
// the errors report as well.
type driverLog struct{ log *slog.Logger }

func (l driverLog) Print(v ...any) { l.log.Debug("mysql driver", "message", fmt.Sprint(v...)) }

// sqliteReaders returns the number of reading connections: one per CPU and one more that waits for
// the disk, at most four. Each has a page cache, whose memory counts double in this driver, and a
// page in progress. The system caches the file once for all, so more readers with larger caches
// were no faster.
func sqliteReaders() int { return min(runtime.GOMAXPROCS(0)+1, 4) }

// lockTime is how long a statement on SQLite waits for another process.
const lockTime = 4 * time.Second

var busyTime = "busy_timeout(" + strconv.Itoa(int(lockTime/time.Millisecond)) + ")"

// openSQLite opens the pool of the one writer and the pool of readers. With one connection, [turns]
// orders the writers and honors contexts, unlike SQLite's own waiting.
func openSQLite(t target, c Config) (writer, readers *stdsql.DB, err error) {
	sync := "normal"
	if c.FullSync {
		sync = "full"
	}
	writer, err = sqlitePool(t, "_txlock", "immediate",
		"_pragma", busyTime, "_pragma", "journal_mode(wal)", "_pragma", "synchronous("+sync+")",
		"_pragma", "foreign_keys(on)", "_pragma", "cache_size(-4000)", "_pragma", "journal_size_limit(67108864)",
		// An insert of many rows would write what it may have to undo to a file.
		"_pragma", "temp_store(memory)", "_pragma", "wal_autocheckpoint("+walPages+")")
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

// sqliteURI returns a file: URI, in which ?, # and % of the path are encoded.
func sqliteURI(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	return u.String()
}
