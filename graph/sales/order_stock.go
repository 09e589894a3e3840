package sales

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// takeStock takes what an order needs of the tracked products, in key order, so
// that two orders never wait for each other. Stock never falls below zero: the
// update has the condition. No event is emitted for it (contract, section 6).
func (m Mutation) takeStock(ctx context.Context, need map[xid.ID]int64, now micros.Time) error {
	for _, id := range slices.SortedFunc(maps.Keys(need), xid.ID.Compare) {
		n, err := m.Client(ctx).Product.Update().Where(product.ID(id), product.InventoryQuantityGTE(need[id])).
			AddInventoryQuantity(-need[id]).AddVersion(1).Modify(core.Touched(now)).Save(ctx)
		if err != nil {
			return fmt.Errorf("take stock: %w", err)
		}
		if n == 0 {
			return fault.State(fault.OutOfStock, "There is not enough stock of "+xid.Product.Format(id)+".")
		}
	}
	return nil
}

// returnStock gives stock back to the products that still exist and are tracked.
func (m Mutation) returnStock(ctx context.Context, stock map[xid.ID]int64, now micros.Time) error {
	for _, id := range slices.SortedFunc(maps.Keys(stock), xid.ID.Compare) {
		_, err := m.Client(ctx).Product.Update().
			Where(product.ID(id), product.InventoryQuantityLTE(limit.Inventory-stock[id])).
			AddInventoryQuantity(stock[id]).AddVersion(1).Modify(core.Touched(now)).Save(ctx)
		if err != nil {
			return fmt.Errorf("give stock back: %w", err)
		}
	}
	return nil
}

// countOrder adds an order to its customer's counters.
//
// orders_count counts every order placed, cancelled ones too; total_spent_minor
// is the money paid less the money given back; last_order_at is the latest
// placed_at. Counters raise the customer's version and updated_at, so that a
// sync sees them, but emit no customer.updated: that is for changes of
// the customer, and each of these has its order event.
func (m Mutation) countOrder(ctx context.Context, id xid.ID, placed, now micros.Time) error {
	n, err := m.Client(ctx).Customer.Update().
		Where(customer.ID(id), customer.StatusNEQ(state.CustomerRedacted)).
		AddOrdersCount(1).AddVersion(1).Modify(core.Touched(now), func(u *sql.UpdateBuilder) {
		u.Set("last_order_at",
			sql.Expr("CASE WHEN `last_order_at` >= ? THEN `last_order_at` ELSE ? END", placed, placed))
	}).Save(ctx)
	if err != nil {
		return fmt.Errorf("count the customer's order: %w", err)
	}
	if n == 0 { // redacted since it was read
		return unknownCustomer()
	}
	return nil
}

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
