package notify

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
)

// Proven reports whether the viewer's store is an established shop: its first payment is at least
// [limit.NewStoreDays] days old. Operators can set that limit to 0 for a store they trust. Emails
// of other stores contain no live links and are limited in number.
func Proven(ctx context.Context, c *db.Client, s *db.Store, all limit.Values) (bool, error) {
	own, err := s.Limits.Over(all)
	if err != nil {
		return false, err
	}
	days := own.Of(limit.NewStoreDays)
	if days == 0 {
		return true, nil
	}
	query := c.Payment.Query()
	query.Modify(func(sel *sql.Selector) { sel.OrderBy(sel.C(payment.FieldID)).Limit(1) })
	first, err := query.Load(ctx)
	return len(first) > 0 && first[0].ID.Time() <= micros.Now().Add(-time.Duration(days)*24*time.Hour),
		fault.Wrap("find the first payment", err)
}
