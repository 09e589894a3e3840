package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/micros"
)

// ErrNoTx is returned for a write outside a transaction. An abandoned write could take effect after
// its caller is gone.
var ErrNoTx = errors.New("write outside a transaction: use Store.InTx")

// Statement is one statement before it is sent to the database.
type Statement struct {
	Query   string
	Dialect string
	InTx    bool // it runs in a transaction
	Seeks   bool // it reads all stores of one shard; see [Store.Seek]
	Values  []any
	Tx      any         // identifies the transaction; comparable with ==
	Began   micros.Time // when the transaction began; no change in it is older
	OnShard bool        // it belongs to background work on one shard; see [Store.EachShard]
}

// Counter counts the statements of one context.
type Counter struct{ n atomic.Uint64 }

// N returns how many statements have run.
func (c *Counter) N() uint64 { return c.n.Load() }

type counterKey struct{}

// CountStatements returns a context whose statements are counted, for tests that limit the queries
// of a request.
func CountStatements(ctx context.Context) (context.Context, *Counter) {
	c := new(Counter)
	return context.WithValue(ctx, counterKey{}, c), c
}

func (s *Store) note(ctx context.Context, st Statement) error {
	s.statements.Add(1)
	if c, ok := ctx.Value(counterKey{}).(*Counter); ok {
		c.n.Add(1)
	}
	if s.inspect == nil {
		return nil
	}
	st.Dialect = s.dialect
	return s.inspect(st)
}

// pool is ent's driver outside transactions. It only reads, on both engines.
type pool struct {
	store *Store
	db    *stdsql.DB // nil stands for the shard of the context
}

func (p *pool) Dialect() string { return p.store.dialect }

// Close implements dialect.Driver; the store owns the connections.
func (p *pool) Close() error { return nil }

func (p *pool) Exec(context.Context, string, any, any) error { return ErrNoTx }

func (p *pool) ExecContext(context.Context, string, ...any) (stdsql.Result, error) {
	return nil, ErrNoTx
}

// Tx implements dialect.Driver and returns [ErrNoTx]: [Store.InTx] begins transactions.
func (p *pool) Tx(context.Context) (dialect.Tx, error) { return nil, ErrNoTx }

func (p *pool) Query(ctx context.Context, query string, args, v any) error {
	to, ok := v.(*cell.Target)
	argv, plain := args.([]any)
	if !ok || !plain || p.store.dialect != dialect.SQLite {
		return entQuery(ctx, p, query, args, v)
	}
	from, err := p.enter(ctx, query, argv)
	if err != nil {
		return err
	}
	err = withinBudget(ctx, func(ctx context.Context) error { return scanInto(ctx, from, to, query, argv) })
	if err != nil && p.store.closed.Load() {
		err = &unavailableError{err}
	}
	return err
}

// enter notes a query, rejects a statement that is not a read, and returns the pool to read from.
func (p *pool) enter(ctx context.Context, query string, args []any) (*stdsql.DB, error) {
	if !reads(query) {
		return nil, ErrNoTx
	}
	of := Statement{Query: query, Values: args, Seeks: p.db == nil}
	if err := p.store.note(ctx, of); err != nil {
		return nil, err
	}
	return p.from(ctx)
}

func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*stdsql.Rows, error) {
	from, err := p.enter(ctx, query, args)
	if err != nil {
		return nil, err
	}
	var rows *stdsql.Rows
	err = withinBudget(ctx, func(ctx context.Context) (err error) {
		rows, err = from.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // the caller does
		for tries := 1; err != nil && p.store.retryRead(ctx, err, tries); tries++ {
			rows, err = from.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // likewise
		}
		return err
	})
	if err == nil {
		return rows, nil
	}
	if rows != nil { // the time was up when they arrived
		rows.Close()
	}
	if p.store.closed.Load() {
		err = &unavailableError{err}
	}
	return nil, err
}

// from returns the pool to read from: the whole database or, for [Store.Seek], the shard of ctx.
func (p *pool) from(ctx context.Context) (*stdsql.DB, error) {
	if p.db != nil {
		return p.db, nil
	}
	if p.store.Within(ctx) {
		return nil, fmt.Errorf("%w: in a transaction", ErrNoShard)
	}
	return p.store.reader(ctx)
}

// reads reports whether a statement, judged by its first word, changes nothing. What follows a WITH
// is checked by SQLite's query_only and by the tests' lint.
func reads(query string) bool {
	query = strings.TrimLeft(query, "(") // a union of reads that have their own limits
	for _, verb := range []string{"SELECT", "WITH", "EXPLAIN", "SHOW"} {
		if len(query) >= len(verb) && strings.EqualFold(query[:len(verb)], verb) {
			return true
		}
	}
	return false
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*stdsql.Rows, error)
}

// entQuery runs a query for ent. The generated loaders pass a [cell.Target].
func entQuery(ctx context.Context, q querier, query string, args, v any) error {
	argv, ok := args.([]any)
	if !ok {
		return fmt.Errorf("query: arguments are %T", args)
	}
	meter := MeterOf(ctx)
	if to, ok := v.(*cell.Target); ok {
		return Read(ctx, q, func(rows *stdsql.Rows) error {
			if err := rows.Scan(to.Dest.Scanners...); err != nil {
				return err
			}
			to.Row()
			return meterRow(meter, to.Dest)
		}, query, argv...)
	}
	dst, ok := v.(*entsql.Rows)
	if !ok {
		return fmt.Errorf("query: destination is %T", v)
	}
	//nolint:rowserrcheck // ent reads the rows and asks for their error
	rows, err := q.QueryContext(ctx, query, argv...)
	if err != nil {
		return err
	}
	dst.ColumnScanner = rows
	if meter != nil {
		dst.ColumnScanner = metered{rows, meter}
	}
	return nil
}
