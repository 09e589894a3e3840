package search

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
)

// OfOrder are the terms of an order.
func OfOrder(o *db.Order, lines []*db.OrderLine, buyer *db.Customer) (map[string]bool, error) {
	return ofOrder(o, lines, buyer)
}

// Steps takes steps in the store of ctx.
func (k *Keeper) Steps(ctx context.Context, n int) error {
	for range n {
		if err := k.store.InTx(ctx, k.step); err != nil {
			return err
		}
	}
	return nil
}
