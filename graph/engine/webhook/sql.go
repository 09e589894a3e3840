package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
)

// The engine writes its statements as text: they touch many rows of many stores at once, which
// ent's builder and its tenant policy are not made for. Each statement names the store of every
// row.

func (b *base) among(columns string, n int) string { return ent.Among(b.Store.Dialect(), columns, n) }

// union repeats a query with a LIMIT n times and returns the rows of all.
func (b *base) union(query string, n int) string {
	before, after := ent.Part(b.Store.Dialect())
	query = before + query + after
	return query + strings.Repeat(" UNION ALL "+query, n-1)
}

// placeholders returns "(?, ?)" for k = 2.
func placeholders(k int) string { return "(" + strings.Repeat("?, ", k-1) + "?)" }

// orNull returns a value for a nullable column: nil for the zero value.
func orNull[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

func values(n, k int) string {
	row := placeholders(k)
	return " VALUES " + strings.Repeat(row+", ", n-1) + row
}

// clock returns the queue clock: an expression and its arguments.
func (b *base) clock() (string, []any) { return b.Store.QueueClock() }

// exec runs a statement in the transaction of ctx and returns how many rows it changed.
func (b *base) exec(ctx context.Context, query string, args ...any) (int, error) {
	res, err := b.Store.DB(ctx).ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// seek is [Engine.read] over all stores of the shard of ctx.
func (b *base) seek(ctx context.Context, query string, args []any, scan func(*stdsql.Rows) error) error {
	return ent.Read(ctx, b.Store.Seek(ctx), scan, query, args...)
}

// read runs a query and passes every row to scan.
func (b *base) read(ctx context.Context, query string, args []any, scan func(*stdsql.Rows) error) error {
	return ent.Read(ctx, b.Store.DB(ctx), scan, query, args...)
}

// wrap adds to an error what was being done; nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
