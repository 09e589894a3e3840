package graphtest

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
)

// Plant inserts n rows directly, without the operations, in one transaction.
func (p *Shop) Plant(t testing.TB, n int, row func(ctx context.Context, i int) error) {
	t.Helper()
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		for i := range n {
			if err := row(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// PlantMany inserts n rows directly, without the operations, in transactions of up to 400 rows.
// rows holds the numbers of the rows to write.
func (p *Shop) PlantMany(t testing.TB, n int, write func(ctx context.Context, c *db.Client, rows []int) error) {
	t.Helper()
	for from := 0; from < n; from += 400 {
		rows := make([]int, min(400, n-from))
		for i := range rows {
			rows[i] = from + i
		}
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error { return write(ctx, c, rows) })
	}
}
