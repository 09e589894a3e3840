package selling

import (
	"context"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/discount"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Discounts lists the discounts of the viewer's store, newest first.
func (q Query) Discounts(ctx context.Context, first *int, after *string) (*model.DiscountConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*db.Discount]{
		Name: "discounts",
		At:   func(d *db.Discount) page.Position { return core.ByID(d.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*db.Discount, error) {
			query := q.Client(ctx).Discount.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			return query.Load(ctx)
		},
	}, first, after)
}

// Discount returns one discount of the viewer's store.
func (q Query) Discount(ctx context.Context, id string) (*db.Discount, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Discount, id)
	if err != nil {
		return nil, err
	}
	d, err := q.discount(ctx, uid)
	return d, core.Explain("discount", err)
}

// DiscountFields resolves the fields of a discount.
type DiscountFields struct{}

// CollectionIds returns the collections that a discount is restricted to, none if it applies to all
// products.
func (DiscountFields) CollectionIds(_ context.Context, d *db.Discount) ([]string, error) {
	return d.Collections.List()
}

// discount reads one discount.
func (r *Resolver) discount(ctx context.Context, id xid.ID) (*db.Discount, error) {
	return core.Only(r.Client(ctx).Discount.Query().Where(discount.ID(id)).Load(ctx))
}

// DiscountByCode returns the discount that a buyer gets with a code now. It returns nil for a code
// that is unknown, inactive, outside its dates, or used up, in total or by this buyer. The answer
// does not say which, so guessing codes reveals nothing. Every price computation asks here, so no
// price has a discount that [Resolver.TakeDiscount] then refuses.
func (r *Resolver) DiscountByCode(ctx context.Context, code string, by Buyer) (*db.Discount, error) {
	code = storedCode(code)
	if len(code) > limit.Code {
		return nil, nil
	}
	rows, err := r.Client(ctx).Discount.Query().Where(discount.Code(code), usable(micros.Now())).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, core.Explain("discount", err)
	}
	used, err := r.usedUp(ctx, rows[0], by)
	if err != nil || used {
		return nil, core.Explain("discount", err)
	}
	return rows[0], nil
}

// storedCode returns the form in which codes are stored and compared.
func storedCode(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// usable is the condition that a discount is valid at a time and not used up.
func usable(now micros.Time) predicate.Discount {
	left := func(s *sql.Selector) {
		s.Where(sql.Or(sql.IsNull(s.C(discount.FieldUsesMax)),
			sql.ColumnsLT(s.C(discount.FieldUses), s.C(discount.FieldUsesMax))))
	}
	return discount.And(discount.Active(true),
		discount.Or(discount.StartsAtIsNil(), discount.StartsAtLTE(now)),
		discount.Or(discount.EndsAtIsNil(), discount.EndsAtGT(now)), left)
}
