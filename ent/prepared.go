package ent

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"modernc.org/sqlite"
)

// maxPrepared bounds the prepared statements of one SQLite connection.
const maxPrepared = 64

// preparing is a connector whose SQLite connections keep prepared statements by text. ent sends
// text each time, and parsing and planning it would be two fifths of the cost of a page of orders.
//
// A statement ends with its context: see [handle.watch].
type preparing struct {
	driver.Connector
	uri  string
	last atomic.Uint64 // number of a connection
}

func (p *preparing) Connect(ctx context.Context) (driver.Conn, error) {
	name := fmt.Sprintf("%p.%d", p, p.last.Add(1))
	named, err := sqlite.NewConnector(p.uri + "&" + handleName + "=" + name)
	if err != nil {
		return nil, err
	}
	c, err := named.Connect(ctx)
	if err != nil {
		handles.Delete(name)
		return nil, err
	}
	whole, ok := c.(sqliteConn)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("connect: %T lacks an interface of the driver", c)
	}
	h, ok := handles.LoadAndDelete(name)
	if !ok {
		c.Close()
		return nil, errors.New("connect: SQLite has not called its extension")
	}
	prepared := &preparedConn{sqliteConn: whole, handle: h.(handle), idle: map[string]*preparedStmt{}}
	prepared.handle.watch(prepared)
	return prepared, nil
}

// sqliteConn combines the interfaces of the driver's connections that database/sql uses.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// preparedConn is used by one goroutine at a time, as every driver.Conn is.
type preparedConn struct {
	sqliteConn
	handle  handle
	idle    map[string]*preparedStmt // a statement in use is not here
	tick    uint64
	running context.Context // of the running statement; nil between statements
}

// Status implements sqlite.DBStatus: tests use it to count the pages that reads access.
func (c *preparedConn) Status(op sqlite.DBStatusOp, reset bool) (current, high int, err error) {
	whole, ok := c.sqliteConn.(sqlite.DBStatus)
	if !ok {
		return 0, 0, fmt.Errorf("status: %T does not report it", c.sqliteConn)
	}
	return whole.Status(op, reset)
}

type preparedStmt struct {
	driver.Stmt
	handle uintptr // 0 for a script
	query  string
	used   uint64
}

func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !recurring(query) {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	st, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	c.running = ctx
	res, err := st.Stmt.Exec(positional(args)) //nolint:staticcheck // the driver's statements have no other form
	c.running = nil
	c.give(st, err)
	return res, contextError(ctx, err)
}

func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !recurring(query) {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	st, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	c.running = ctx
	rows, err := st.Stmt.Query(positional(args)) //nolint:staticcheck // see ExecContext
	c.running = nil
	if err != nil {
		c.give(st, err)
		return nil, contextError(ctx, err)
	}
	whole, ok := rows.(sqliteRows)
	if !ok {
		rows.Close()
		st.Close()
		return nil, fmt.Errorf("query: %T lacks an interface of the driver", rows)
	}
	return &preparedRows{sqliteRows: whole, conn: c, stmt: st, ctx: ctx}, nil
}

// contextError replaces SQLite's interrupt error by the error of the context.
func contextError(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqliteInterrupt && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (c *preparedConn) Close() error {
	watched.Delete(c.handle.db)
	for query, st := range c.idle {
		st.Close()
		delete(c.idle, query)
	}
	return c.sqliteConn.Close()
}

// take returns the statement for a text, for exclusive use until give.
func (c *preparedConn) take(ctx context.Context, query string) (*preparedStmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if st, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return st, nil
	}
	st, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &preparedStmt{Stmt: st, handle: c.handle.latest(query), query: query}, nil
}

// give returns a statement. It is closed if it failed, or if another statement of the same text was
// returned before.
func (c *preparedConn) give(st *preparedStmt, err error) {
	if _, ok := c.idle[st.query]; ok || err != nil {
		st.Close()
		return
	}
	if len(c.idle) >= maxPrepared {
		c.evict()
	}
	c.tick++
	st.used = c.tick
	c.idle[st.query] = st
}

// evict closes the statement that was unused for longest.
func (c *preparedConn) evict() {
	var oldest *preparedStmt
	for _, st := range c.idle {
		if oldest == nil || st.used < oldest.used {
			oldest = st
		}
	}
	delete(c.idle, oldest.query)
	oldest.Close()
}

// recurring reports whether a statement is of the kind that requests repeat.
func recurring(query string) bool {
	for _, verb := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE "} {
		if strings.HasPrefix(query, verb) {
			return true
		}
	}
	return false
}

func positional(args []driver.NamedValue) []driver.Value {
	values := make([]driver.Value, len(args))
	for i := range args {
		values[i] = args[i].Value
	}
	return values
}

// sqliteRows combines the interfaces of the driver's rows that database/sql uses.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// preparedRows returns its statement when it is closed.
type preparedRows struct {
	sqliteRows
	conn *preparedConn
	stmt *preparedStmt
	ctx  context.Context
}

func (r *preparedRows) Next(dest []driver.Value) error {
	r.conn.running = r.ctx
	err := r.sqliteRows.Next(dest)
	r.conn.running = nil
	return contextError(r.ctx, err)
}

func (r *preparedRows) Close() error {
	err := r.sqliteRows.Close()
	if r.stmt != nil {
		r.conn.give(r.stmt, err)
		r.stmt = nil
	}
	return err
}
