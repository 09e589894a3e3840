package ent

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// watchTime is how often one connection of the process asks its server whether it still takes
// writes: a program that only reads would not notice otherwise.
const watchTime = time.Second

// hosts is a connector to the one of several servers that takes writes. It stays with that server
// while it can; then it tries all of them in order. Connections to a server that was left are not
// used again.
type hosts struct {
	names      []string
	connectors []driver.Connector
	joins      bool // connections are a [joinedConn]

	mu         sync.Mutex
	current    int          // the last server that took writes
	generation atomic.Int64 // counts how often a server was left
	watched    atomic.Int64 // when the server was last asked, in nanoseconds since began
	began      time.Time
}

// noWriterError says that servers answered, but none takes writes.
type noWriterError struct{ errs []error }

func (e *noWriterError) Unwrap() []error { return e.errs }
func (e *noWriterError) Error() string {
	texts := make([]string, len(e.errs))
	for i, err := range e.errs {
		texts[i] = err.Error()
	}
	return "no server takes writes: " + strings.Join(texts, "; ")
}

func (h *hosts) Driver() driver.Driver { return h.connectors[0].Driver() }

func (h *hosts) Connect(ctx context.Context) (driver.Conn, error) {
	h.mu.Lock()
	first := h.current
	h.mu.Unlock()
	generation := h.generation.Load()
	var failed []error
	for i := range h.connectors {
		n := first
		if i > 0 && i <= first {
			n = i - 1
		} else if i > 0 {
			n = i
		}
		c, err := h.reach(ctx, n)
		if err == nil {
			h.mu.Lock()
			h.current = n
			h.mu.Unlock()
			if h.joins {
				c = &joinedConn{wholeConn: c}
			}
			return &hostConn{wholeConn: c, hosts: h, generation: generation}, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if len(failed) == 1 {
		return nil, failed[0]
	}
	return nil, &noWriterError{failed}
}

// reach connects to one server. If there are several, the server must take writes.
func (h *hosts) reach(ctx context.Context, n int) (wholeConn, error) {
	if len(h.connectors) > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, dialTimeout)
		defer cancel()
	}
	c, err := h.connectors[n].Connect(ctx)
	if err != nil {
		return nil, h.named(n, err)
	}
	whole, ok := c.(wholeConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's connection is a %T", c), c.Close())
	}
	if len(h.connectors) > 1 {
		if err := writable(ctx, whole); err != nil {
			return nil, errors.Join(h.named(n, err), c.Close())
		}
	}
	return whole, nil
}

func (h *hosts) named(n int, err error) error {
	if len(h.names) == 1 {
		return err
	}
	return fmt.Errorf("%s: %w", h.names[n], err)
}

// leave makes every connection of a generation unfit for further use.
func (h *hosts) leave(generation int64) { h.generation.CompareAndSwap(generation, generation+1) }

// watch reports whether the caller should ask the server now.
func (h *hosts) watch() bool {
	if len(h.connectors) == 1 {
		return false
	}
	last, now := h.watched.Load(), int64(time.Since(h.began))
	return now-last >= int64(watchTime) && h.watched.CompareAndSwap(last, now)
}

var (
	errReadOnly = errors.New("the server is read-only")
	errNotReady = errors.New("the node is not ready")
)

// writable returns an error if the server takes no writes. MySQL's super_read_only implies
// read_only; wsrep_ready counts only if Galera is on.
func writable(ctx context.Context, c driver.QueryerContext) error {
	only, err := lastOf(ctx, c, "SELECT @@GLOBAL.read_only")
	if err != nil {
		return err
	}
	if only != "0" && !strings.EqualFold(only, "off") {
		return errReadOnly
	}
	galera, err := lastOf(ctx, c, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")
	if err != nil || !strings.EqualFold(galera, "on") {
		return err
	}
	ready, err := lastOf(ctx, c, "SHOW GLOBAL STATUS LIKE 'wsrep_ready'")
	if err != nil {
		return err
	}
	if !strings.EqualFold(ready, "on") {
		return errNotReady
	}
	return nil
}

// lastOf returns the last column of the first row, or "" if there is no row.
func lastOf(ctx context.Context, c driver.QueryerContext, query string) (string, error) {
	rows, err := c.QueryContext(ctx, query, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); errors.Is(err, io.EOF) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	var text stdsql.NullString
	err = text.Scan(row[len(row)-1])
	return text.String, err
}

// wholeConn combines the interfaces of the driver's connections that the pool uses.
type wholeConn interface {
	driver.Conn
	driver.Pinger
	driver.ExecerContext
	driver.QueryerContext
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

type hostConn struct {
	wholeConn

	hosts      *hosts
	generation int64
}

func (c *hostConn) IsValid() bool {
	return c.generation == c.hosts.generation.Load() && c.wholeConn.IsValid()
}

func (c *hostConn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	if err := c.wholeConn.ResetSession(ctx); err != nil {
		return err
	}
	if c.hosts.watch() && writable(ctx, c.wholeConn) != nil && ctx.Err() == nil {
		c.hosts.leave(c.generation)
		return driver.ErrBadConn
	}
	return nil
}

func (c *hostConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	r, err := c.wholeConn.ExecContext(ctx, query, args)
	return r, c.observe(err)
}

func (c *hostConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.wholeConn.QueryContext(ctx, query, args)
	return r, c.observe(err)
}

func (c *hostConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	t, err := c.wholeConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, c.observe(err)
	}
	return &hostTx{Tx: t, conn: c}, nil
}

type hostTx struct {
	driver.Tx

	conn *hostConn
}

func (t *hostTx) Commit() error { return t.conn.observe(t.Tx.Commit()) }

// observe leaves the server if err says that it takes no writes, and returns err.
func (c *hostConn) observe(err error) error {
	if err != nil && demoted(err) {
		c.hosts.leave(c.generation)
	}
	return err
}
