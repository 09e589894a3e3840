package ent

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// joins is a value of a context that allows a message to do more than one thing.
type joins int

const (
	joinsBegin  joins = iota // BEGIN may wait for the first statement
	joinsLater               // the text is several statements, see [Later]
	joinsCommit              // so it is, and COMMIT is sent with it
)

type joinsKey struct{}

func (j joins) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, joinsKey{}, j)
}

func (j joins) of(ctx context.Context) bool { return ctx.Value(joinsKey{}) == j }

// errScript is returned for a text that is several statements, or may be.
var errScript = errors.New("a statement must not contain a semicolon")

// single returns an error if a text may be more than one statement.
func single(query string) error {
	if strings.Contains(query, ";") {
		return errScript
	}
	return nil
}

// joinedConn is a connection to MySQL that sends BEGIN with the first statement of a transaction,
// and COMMIT with the last if the context marks it. Each saves a round trip; a transaction has two
// plus one for each statement with an answer.
//
// The server accepts several statements in a message here, but a caller's text must be one: only
// texts that were checked one by one are joined. So an injected semicolon is refused, as by a server
// that accepts one statement.
type joinedConn struct {
	wholeConn

	begins bool // a transaction begins with the next statement
	ended  bool // the transaction was committed with its last statement
}

func (c *joinedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	switch {
	case !joinsBegin.of(ctx) || opts != driver.TxOptions{}:
		return c.wholeConn.BeginTx(ctx, opts)
	case !c.IsValid():
		return nil, driver.ErrBadConn
	}
	c.begins, c.ended = true, false
	return joinedTx{c}, nil
}

func (c *joinedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	last := joinsCommit.of(ctx)
	if !last && !joinsLater.of(ctx) {
		if err := single(query); err != nil {
			return nil, err
		}
	}
	if c.begins {
		query = "START TRANSACTION; " + query
	}
	if last {
		query += "; COMMIT"
	}
	r, err := c.wholeConn.ExecContext(ctx, query, args)
	if errors.Is(err, driver.ErrSkip) { // nothing was sent: the pool prepares the statement
		return nil, err
	}
	c.begins, c.ended = false, last && err == nil
	return r, err
}

func (c *joinedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.begin(ctx, query); err != nil {
		return nil, err
	}
	return c.wholeConn.QueryContext(ctx, query, args)
}

func (c *joinedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.begin(ctx, query); err != nil {
		return nil, err
	}
	return c.wholeConn.PrepareContext(ctx, query)
}

// begin checks a statement, and begins a transaction that was to begin with it.
func (c *joinedConn) begin(ctx context.Context, query string) error {
	if err := single(query); err != nil || !c.begins {
		return err
	}
	c.begins = false
	_, err := c.wholeConn.BeginTx(ctx, driver.TxOptions{})
	return err
}

type joinedTx struct{ conn *joinedConn }

func (t joinedTx) Commit() error { return t.end("COMMIT") }

func (t joinedTx) Rollback() error { return t.end("ROLLBACK") }

// end runs the statement that ends the transaction, unless it has not begun or was committed.
func (t joinedTx) end(statement string) error {
	open := !t.conn.begins && !t.conn.ended
	t.conn.begins, t.conn.ended = false, false
	if !open {
		return nil
	}
	_, err := t.conn.wholeConn.ExecContext(context.Background(), statement, nil)
	return err
}
