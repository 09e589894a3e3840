package selling

import (
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/discount"
	"github.com/storefront-go/storefront/ent/db/discountuse"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// TakeDiscount counts a use of a discount by a customer, in the transaction of ctx, which creates
// the order. It fails if the discount is used up, in total or by the customer, or not valid now.
// The conditions are part of the updates, so no count passes its limit, however many orders are
// placed at once. The discount's row is updated first, so orders with the same discount wait for
// each other there.
func (r *Resolver) TakeDiscount(ctx context.Context, id, by xid.ID) error {
	n, err := r.Client(ctx).Discount.Update().Where(discount.ID(id), usable(micros.Now())).AddUses(1).Save(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("take a discount: %w", err)
	case n == 0:
		return discountGone()
	}
	d, err := r.discount(ctx, id)
	if err != nil {
		return fmt.Errorf("take a discount: %w", err)
	}
	// The customer's row exists from their first use on; the first use creates it.
	if taken, err := r.takeAgain(ctx, d, by); taken || err != nil {
		return err
	}
	err = r.Client(ctx).DiscountUse.Create().SetDiscountID(id).SetCustomerID(by).SetUses(1).Exec(ctx)
	if ent.IsDuplicate(err) {
		return discountGone()
	}
	if err != nil {
		return fmt.Errorf("take a discount: %w", err)
	}
	return nil
}

// Buyer is a prospective user of a discount: a customer, or an email address that may have no
// customer yet. The zero Buyer is unknown: only limits on all orders apply.
type Buyer struct {
	Customer xid.ID
	Email    string
}

// usedUp reports whether a buyer has used a discount as often as one customer may.
func (r *Resolver) usedUp(ctx context.Context, d *db.Discount, by Buyer) (bool, error) {
	if d.CustomerUsesMax == nil || by == (Buyer{}) {
		return false, nil
	}
	if by.Customer.IsNil() {
		ids, err := r.Client(ctx).Customer.Query().Where(customer.Email(by.Email)).IDs(ctx)
		if err != nil || len(ids) == 0 {
			return false, err
		}
		by.Customer = ids[0]
	}
	rows, err := r.Client(ctx).DiscountUse.Query().
		Where(discountuse.DiscountID(d.ID), discountuse.CustomerID(by.Customer)).Load(ctx)
	return len(rows) > 0 && rows[0].Uses >= *d.CustomerUsesMax, err
}

// takeAgain counts a use in the customer's row. It returns false if there is no such row or the
// customer's limit is reached.
func (r *Resolver) takeAgain(ctx context.Context, d *db.Discount, by xid.ID) (bool, error) {
	update := r.Client(ctx).DiscountUse.Update().
		Where(discountuse.DiscountID(d.ID), discountuse.CustomerID(by))
	if d.CustomerUsesMax != nil {
		update.Where(discountuse.UsesLT(*d.CustomerUsesMax))
	}
	n, err := update.AddUses(1).Save(ctx)
	if err != nil {
		return false, fmt.Errorf("take a customer's discount: %w", err)
	}
	return n > 0, nil
}

// errNoUse says that a use is returned that was never counted.
var errNoUse = errors.New("the customer has no order with this discount")

// ReturnDiscount uncounts a customer's use of a discount, in the transaction of ctx, which cancels
// the order.
func (r *Resolver) ReturnDiscount(ctx context.Context, id, by xid.ID) error {
	n, err := r.Client(ctx).Discount.Update().Where(discount.ID(id), discount.UsesGT(0)).AddUses(-1).Save(ctx)
	if err != nil {
		return fmt.Errorf("return a discount: %w", err)
	}
	if n == 0 {
		return errNoUse
	}
	own := discountuse.And(discountuse.DiscountID(id), discountuse.CustomerID(by))
	n, err = r.Client(ctx).DiscountUse.Update().Where(own, discountuse.UsesGT(1)).AddUses(-1).Save(ctx)
	if err == nil && n == 0 {
		// The last use goes with its row: a discount without uses has no rows.
		n, err = r.Client(ctx).DiscountUse.Delete().Where(own).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("return a customer's discount: %w", err)
	}
	if n == 0 {
		return errNoUse
	}
	return nil
}

// discountGone is the one error for every discount that is not available. It does not say why.
func discountGone() error {
	return fault.State(fault.DiscountUnavailable, "The discount is not available.")
}
