package sales

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// stock is pieces of wares. Those of a product with options are pieces of its sum too.
type stock map[ware]int64

// parts are the pieces of one product: all together, and by variant if it has options.
type parts struct {
	product  xid.ID
	all      int64
	variants []ware
}

// byProduct is the stock in key order, in which everybody writes it: the product's row,
// then those of its variants. So two orders never wait for each other.
func (s stock) byProduct() (list []parts) {
	for _, w := range slices.SortedFunc(maps.Keys(s), ware.compare) {
		if n := len(list); n == 0 || list[n-1].product != w.product || w.variant.IsNil() {
			list = append(list, parts{product: w.product})
		}
		last := &list[len(list)-1]
		last.all += s[w]
		if !w.variant.IsNil() {
			last.variants = append(last.variants, w)
		}
	}
	return list
}

// takeStock takes what an order needs of what is tracked. Stock never falls below zero:
// the updates have the condition. No event is emitted for it (contract, section 6).
func (m Mutation) takeStock(ctx context.Context, need stock, now micros.Time) error {
	for _, p := range need.byProduct() {
		// With options it is the variants' stock that has to last; without, the product
		// may have got options since it was read.
		lasts, least := "options IS NULL AND inventory_quantity >= ?", []any{p.all}
		if p.variants != nil {
			lasts, least = "options IS NOT NULL", nil
		}
		n, err := m.moveSum(ctx, p.product, -p.all, now, lasts, least...)
		if err != nil {
			return fmt.Errorf("take stock: %w", err)
		}
		if n == 0 {
			return soldOut(xid.Product.Format(p.product))
		}
		for _, w := range p.variants {
			n, err := m.moveVariant(ctx, w, -need[w], variant.InventoryQuantityGTE(need[w]))
			if err != nil {
				return fmt.Errorf("take stock: %w", err)
			}
			if n == 0 {
				return soldOut(xid.Variant.Format(w.variant))
			}
		}
	}
	return nil
}

func soldOut(id string) error {
	return fault.State(fault.OutOfStock, "There is not enough stock of "+id+".")
}

// returnStock gives stock back to what still exists and is tracked. What was sold of a
// product before it had options has no variant to go back to.
func (m Mutation) returnStock(ctx context.Context, back stock, now micros.Time) error {
	for _, p := range back.byProduct() {
		fits := "options IS NULL AND inventory_quantity <= ?"
		if p.variants != nil { // the sum is null where a variant is not tracked
			fits = "options IS NOT NULL AND (inventory_quantity IS NULL OR inventory_quantity <= ?)"
		}
		n, err := m.moveSum(ctx, p.product, p.all, now, fits, limit.Inventory-p.all)
		if err != nil {
			return fmt.Errorf("give stock back: %w", err)
		}
		if n == 0 {
			continue
		}
		if err := m.returnVariants(ctx, back, p, now); err != nil {
			return fmt.Errorf("give stock back: %w", err)
		}
	}
	return nil
}

// returnVariants gives the pieces of a product to its variants, and takes those off the
// sum that nobody has room for: the variant is gone, or is not tracked any more.
func (m Mutation) returnVariants(ctx context.Context, back stock, p parts, now micros.Time) error {
	lost := int64(0)
	for _, w := range p.variants {
		n, err := m.moveVariant(ctx, w, back[w], variant.InventoryQuantityLTE(limit.Inventory-back[w]))
		if err != nil {
			return err
		}
		if n == 0 {
			lost += back[w]
		}
	}
	if lost == 0 {
		return nil
	}
	_, err := m.moveSum(ctx, p.product, -lost, now, "options IS NOT NULL")
	return err
}

// moveSum adds to the stock of a product of which a condition holds, and raises its version.
func (m Mutation) moveSum(
	ctx context.Context, id xid.ID, pieces int64, now micros.Time, only string, args ...any,
) (int, error) {
	return m.run(ctx, moveStock+only, append(touch(now), pieces), append([]any{id}, args...)...)
}

// moveVariant adds to the stock of a variant.
func (m Mutation) moveVariant(ctx context.Context, w ware, pieces int64, only predicate.Variant) (int, error) {
	return m.Client(ctx).Variant.Update().Where(variant.ProductID(w.product), variant.ID(w.variant), only).
		AddInventoryQuantity(pieces).Save(ctx)
}

// countOrder adds an order to its customer's counters.
//
// orders_count counts every order placed, cancelled ones too; total_spent_minor
// is the money paid less the money given back; last_order_at is the latest
// placed_at. Counters raise the customer's version and updated_at, so that a
// sync sees them, but emit no customer.updated: that is for changes of
// the customer, and each of these has its order event.
func (m Mutation) countOrder(ctx context.Context, id xid.ID, placed, now micros.Time) error {
	n, err := m.run(ctx, orderCounted, append(touch(now), placed, placed), id, string(state.CustomerRedacted))
	if err != nil {
		return fmt.Errorf("count the customer's order: %w", err)
	}
	if n == 0 {
		return errRedacted
	}
	return nil
}

// errRedacted says that a customer was redacted since they were read.
var errRedacted = errors.New("the customer was redacted meanwhile")

func unknownCustomer() error {
	return fault.Invalid(fault.Field{Pointer: "#/customer_id", Code: fault.UnknownValue,
		Detail: "There is no such customer."})
}

// spend adds an amount, which may be negative, to what the customer has spent.
func (m Mutation) spend(ctx context.Context, id *xid.ID, amount int64, now micros.Time) error {
	if id == nil || amount == 0 {
		return nil
	}
	n, err := m.Client(ctx).Customer.Update().
		Where(customer.ID(*id), customer.TotalSpentMinorLTE(currency.MaxMinor-amount)).
		AddTotalSpentMinor(amount).AddVersion(1).Modify(core.Touched(now)).Save(ctx)
	if err != nil {
		return fmt.Errorf("count the customer's money: %w", err)
	}
	if n == 0 {
		return core.TooLarge("customer's total")
	}
	return nil
}
