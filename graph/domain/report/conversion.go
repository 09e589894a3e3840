package report

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// countedCarts is how many carts a conversion covers at most, and countedFor their maximum age:
	// carts are kept no longer.
	countedCarts = 1000
	countedFor   = 30 * 24 * time.Hour
)

// Conversion returns how many of the store's newest carts reached the checkout and became orders.
func (q Query) Conversion(ctx context.Context) (*model.Conversion, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	query := q.Client(ctx).Cart.Query().Where(cart.IDGTE(xid.First(micros.Now().Add(-countedFor))))
	var rows []struct {
		Reached bool `sql:"reached"`
		Ordered bool `sql:"ordered"`
	}
	err := query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) {
		s.OrderBy(sql.Desc(s.C(cart.FieldID))).Limit(countedCarts)
		s.SelectExpr(sql.Expr(s.C(cart.FieldReachedAt)+" IS NOT NULL AS reached"),
			sql.Expr(s.C(cart.FieldOrderID)+" IS NOT NULL AS ordered"))
	}).Scan(ctx, &rows)
	if err != nil {
		return nil, core.Explain("carts", err)
	}
	c := &model.Conversion{Carts: len(rows)}
	for _, row := range rows {
		if row.Reached || row.Ordered {
			c.Checkouts++
		}
		if row.Ordered {
			c.Orders++
		}
	}
	return c, nil
}
