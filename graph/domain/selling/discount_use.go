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

// TakeDiscount counts one more order of a customer that has a discount, in the transaction
// of ctx, which makes the order. It refuses one that is too many, in all or of the
// customer, or at a time at which the discount does not hold: the conditions stand in the
// updates, so however many orders are placed at once, no count passes its limit. The row of
// the discount comes first, so the orders that have it wait for each other there.
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
	// The customer's row is there from the first use on: the one who finds none adds it.
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

// Buyer is who wants to use a discount: a customer, or an e-mail address that may have no customer
// yet. The zero Buyer is unknown: only limits on all orders apply.
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

// takeAgain counts one more order in the row of a customer, if it has one and room.
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

// errNoUse says that a use is given back which nobody took.
var errNoUse = errors.New("the customer has no order with this discount")

// ReturnDiscount takes an order of a customer that has a discount off the counts, in the
// transaction of ctx, which cancels the order.
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
		// The last one goes with its row: a discount without uses has none.
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

// discountGone is the one answer to whoever cannot have a discount (any more): it does not
// say why.
func discountGone() error {
	return fault.State(fault.DiscountUnavailable, "The discount is not available.")
}
