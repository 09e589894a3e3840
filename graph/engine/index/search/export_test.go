package search

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// OfOrder returns the terms of an order.
func OfOrder(o *db.Order, lines []*db.OrderLine, sent []*db.Fulfillment, buyer *db.Customer) (
	map[string]bool, error,
) {
	return ofOrder(o, lines, sent, buyer)
}

// OfCustomer returns the terms of a customer.
func OfCustomer(c *db.Customer) (map[string]bool, error) { return ofCustomer(c) }

// Begins reports whether all words of a search for customers begin one of the terms.
func Begins(terms map[string]bool, text string) bool {
	return item{terms: terms}.has(Customers, Parse(text).of(Customers))
}

// MaxFresh is how many pending items a search reads.
const MaxFresh = maxFresh

// Some writes the words of orders that were read as pending.
func (k *Keeper) Some(ctx context.Context, ids ...xid.ID) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.flushSome(ctx, Orders, ids)
		return err
	})
}

// Removal returns the statement that deletes the words of n items.
func Removal(engine string, n int) string { return removal(engine, n) }

// OfProduct returns the terms of a product.
func OfProduct(p *db.Product) (map[string]bool, error) { return ofProduct(p) }

// Bound sets how many terms one transaction writes.
func (k *Keeper) Bound(n int) { k.most = n }
