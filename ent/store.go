package ent

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/db"
	_ "github.com/storefront-go/storefront/ent/db/runtime" // the policies
	"github.com/storefront-go/storefront/ent/micros"
)

// Store is the database of the service.
type Store struct {
	dialect string
	target  target
	log     *slog.Logger
	inspect func(Statement) error
	commits func() error       // after each commit; may be nil
	clock   func() micros.Time // on SQLite

	writer    *stdsql.DB                // begins transactions
	requested atomic.Pointer[time.Time] // when a request last began one
	readers   *stdsql.DB                // reads outside transactions; on MySQL the same pool
	client    *db.Client                // uses the readers
	seeking   *db.Client                // uses the readers of one shard
	cluster   *cluster                  // of Vitess
	server    *breaker                  // of MySQL: whether it is down

	turns       *turns        // of SQLite's writer
	checkpoints *checkpointer // of SQLite

	events     listeners
	statements atomic.Uint64
	retries    [broken + 1]atomic.Uint64 // by class
	closed     atomic.Bool
	formats    formats
	horizon    *horizon
}

// Open opens the database and checks that it answers. It does not touch the schema. An error never
// contains the password.
func Open(ctx context.Context, c Config) (*Store, error) {
	t, err := parseTarget(c.Database)
	if err != nil {
		return nil, err
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	s := &Store{target: t, log: c.Logger, inspect: c.Inspect, commits: c.Committed, clock: c.Clock}
	if s.clock == nil {
		s.clock = machineClock
	}
	if t.path != "" {
		s.dialect = dialect.SQLite
		s.turns = &turns{}
		s.writer, s.readers, err = openSQLite(t, c)
	} else {
		s.dialect = dialect.MySQL
		joined := c
		joined.joins = true
		s.writer, s.server, err = openMySQL(t, joined, readTimeout)
		s.readers = s.writer
	}
	if err != nil {
		return nil, err
	}
	if err := s.openHorizon(c); err != nil {
		return nil, err
	}
	s.client = db.NewClient(db.Driver(&pool{store: s, db: s.readers}))
	s.seeking = db.NewClient(db.Driver(&pool{store: s}))
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if t.path != "" {
		s.checkpoints, err = newCheckpointer(t, c.Logger)
	} else {
		err = s.discover(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close waits for open transactions and closes every connection.
func (s *Store) Close() error {
	s.closed.Store(true)
	err := errors.Join(s.checkpoints.close(), s.cluster.close(), s.writer.Close(), s.horizon.close())
	if s.readers != s.writer {
		err = errors.Join(s.readers.Close(), err)
	}
	return err
}

// Dialect returns ent's name of the engine: "mysql" or "sqlite3".
func (s *Store) Dialect() string { return s.dialect }

// Redacted returns the database's address without its password.
func (s *Store) Redacted() string { return s.target.String() }

// DB returns the client of the transaction that ctx is in, or else a read-only one.
func (s *Store) DB(ctx context.Context) *db.Client {
	if t := s.txFrom(ctx); t != nil {
		return t.client
	}
	if s.isAside(ctx) {
		return s.cluster.client
	}
	return s.client
}

// Admin runs f with a connection that may write outside [Store.InTx] and waits for long statements.
// It is for migrations only.
func (s *Store) Admin(ctx context.Context, f func(*stdsql.Conn) error) error {
	pool := s.writer
	if s.target.path == "" {
		var err error
		if pool, _, err = openMySQL(s.target, Config{MaxOpen: 1, Logger: s.log}, 0); err != nil {
			return err
		}
		defer pool.Close()
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", &unavailableError{err})
	}
	defer conn.Close()
	return f(conn)
}

// Ping returns an error unless the database answers, both to reads and on the writer's pool.
func (s *Store) Ping(ctx context.Context) error {
	// The writer goes first: it creates a new SQLite file and turns its WAL on. While transactions
	// keep it busy, the readers stand in for it.
	if s.writer == s.readers || s.writer.Stats().InUse == 0 {
		if err := s.writer.PingContext(ctx); err != nil {
			return fmt.Errorf("reach %s: %w", s.target, &unavailableError{err})
		}
	}
	if err := s.readers.PingContext(ctx); err != nil {
		return fmt.Errorf("reach %s: %w", s.target, &unavailableError{err})
	}
	return nil
}

// ServerTime returns the time of the database server, or of the shard that ctx is on; on SQLite,
// the time of this machine.
func (s *Store) ServerTime(ctx context.Context) (time.Time, error) {
	if s.dialect == dialect.SQLite {
		return time.Now().UTC(), nil
	}
	pool := s.readers
	if _, ok := ShardOf(ctx); ok {
		var err error
		if pool, err = s.reader(ctx); err != nil {
			return time.Time{}, err
		}
	}
	var us int64
	err := pool.QueryRowContext(ctx, "SELECT "+mysqlClock).Scan(&us)
	if err != nil {
		return time.Time{}, fmt.Errorf("read server time: %w", err)
	}
	return time.UnixMicro(us).UTC(), nil
}

// Version returns the engine and its version, such as "SQLite 3.53.1".
func (s *Store) Version(ctx context.Context) (string, error) {
	query, name := "SELECT VERSION()", "MySQL "
	if s.dialect == dialect.SQLite {
		query, name = "SELECT sqlite_version()", "SQLite "
	}
	var v string
	if err := s.readers.QueryRowContext(ctx, query).Scan(&v); err != nil {
		return "", fmt.Errorf("read version: %w", err)
	}
	return name + v, nil
}

// Statements returns how many statements have run since Open.
func (s *Store) Statements() uint64 { return s.statements.Load() }

// Retries returns the number of transactions that were retried since Open, by reason: conflict,
// lock_wait, refused or link_lost.
func (s *Store) Retries() map[string]uint64 {
	m := map[string]uint64{}
	for _, c := range []class{conflict, lockWait, refused, linkLost} {
		m[c.String()] = s.retries[c].Load()
	}
	return m
}

// PoolStats are the statistics of one connection pool.
type PoolStats struct {
	Name string // "reader" and "writer" on SQLite, "shared" on MySQL
	stdsql.DBStats
}

// Stats returns the statistics of every pool.
func (s *Store) Stats() []PoolStats {
	if s.readers == s.writer {
		return []PoolStats{{"shared", s.writer.Stats()}}
	}
	return []PoolStats{{"reader", s.readers.Stats()}, {"writer", s.turns.stats(s.writer.Stats())}}
}
