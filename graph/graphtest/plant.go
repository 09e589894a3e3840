package graphtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// Plant inserts n rows directly, without the operations, in one transaction.
func (p *Shop) Plant(t testing.TB, n int, row func(ctx context.Context, i int) error) {
	t.Helper()
	inTx(t, p.Ctx, p.Resolver.Store, func(ctx context.Context) error {
		for i := range n {
			if err := row(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
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

// AddNotices adds n notifications to the store, the oldest first.
func (p *Shop) AddNotices(t testing.TB, n int) {
	t.Helper()
	p.Plant(t, n, func(ctx context.Context, i int) error {
		return notify.Append(ctx, p.Client(ctx), notify.Notice{Level: state.NotificationWarning,
			Title: fmt.Sprint("Notice ", i), Body: "It is so.", Kind: xid.Store, ID: p.Model.ID})
	})
}
