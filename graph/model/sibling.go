package model

import (
	"sync"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// Siblings is what the orders of one page and their lines share: whoever asks
// one of them for a relation has it loaded for all, so that a page costs the same
// few queries as one order.
type Siblings struct {
	load func() *Relations
	once sync.Once
	made *Relations
}

// NewSiblings makes what a page shares; load is called when the first relation is
// asked for, which most answers never do.
func NewSiblings(load func() *Relations) *Siblings { return &Siblings{load: load} }

// Relations returns the relations of the page.
func (s *Siblings) Relations() *Relations {
	s.once.Do(func() { s.made = s.load() })
	return s.made
}

// Relations are the rows around the orders of a page, each loaded once.
type Relations struct {
	Customers *Batch[xid.ID, *Customer]
	Products  *Batch[xid.ID, *db.Product]
	// Notes are by how many of them are asked for.
	Notes        *Family[int, xid.ID, []*OrderNote]
	Payments     *Batch[xid.ID, []*db.Payment]
	Fulfillments *Batch[xid.ID, []*db.Fulfillment]
	// Refunds are those of the payment provider.
	Refunds *Batch[xid.ID, []*PaymentRefund]
	// Holds are those of the orders that wait for their payment.
	Holds *Batch[xid.ID, *db.PaymentHold]
	// Acts are what people and programs did to it.
	Acts *Batch[xid.ID, []*OrderAct]
}
