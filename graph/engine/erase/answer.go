package erase

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/idem"
)

// scan is how many rows are read at once to find the ones about the customer.
const scan = 1000

// answers erases the next kept answers that may show the customer. Answers kept later are clean: a
// change of a customer or an order fails when its row was redacted meanwhile.
func (e *Engine) answers(ctx context.Context, t *task) (*place, error) {
	kept, last, err := idem.After(ctx, e.Store.DB(ctx), t.at().position, t.before(), scan)
	if err != nil {
		return nil, err
	}
	about := make([]xid.ID, len(kept))
	for i, k := range kept {
		about[i] = k.About
	}
	theirs, err := e.ofCustomer(ctx, t, about)
	if err != nil {
		return nil, err
	}
	kept = slices.DeleteFunc(kept, func(k idem.Kept) bool { return !theirs[k.About] })
	for some := range slices.Chunk(kept, batch) {
		err := e.Store.InTx(ctx, func(ctx context.Context) error { return idem.Erase(ctx, e.Store.DB(ctx), some) })
		if err != nil {
			return nil, err
		}
	}
	if last == nil {
		return nil, nil
	}
	return &place{position: *last}, nil
}

// ofCustomer returns which of the resources concern the customer: the customer, their orders, and
// the store, because an answer about the store may show anyone.
func (e *Engine) ofCustomer(ctx context.Context, t *task, resources []xid.ID) (map[xid.ID]bool, error) {
	slices.SortFunc(resources, xid.ID.Compare)
	resources = slices.Compact(resources)
	found := map[xid.ID]bool{t.ID: true, t.StoreID: true}
	for some := range slices.Chunk(resources, scan/4) {
		rows, err := e.Store.DB(ctx).Order.Query().Where(order.IDIn(some...), order.CustomerID(t.ID)).
			Select(order.FieldStoreID, order.FieldID).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("find orders of the customer: %w", err)
		}
		for _, row := range rows {
			found[row.ID] = true
		}
	}
	return found, nil
}
