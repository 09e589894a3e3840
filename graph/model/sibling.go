package model

import (
	"sync"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// Siblings is shared by the orders of one page and their lines. The first access to a relation
// loads it for all of them, so that a page takes as many queries as one order.
type Siblings struct {
	load      func() *Relations
	once      sync.Once
	relations *Relations
}

// NewSiblings returns the shared part of a page. load is called at the first access to a relation,
// which most answers do not need.
func NewSiblings(load func() *Relations) *Siblings { return &Siblings{load: load} }

// Relations returns the relations of the page.
func (s *Siblings) Relations() *Relations {
	s.once.Do(func() { s.relations = s.load() })
	return s.relations
}

// Relations holds the related rows of the orders of a page; each relation is loaded once.
type Relations struct {
	Customers *Batch[xid.ID, *Customer]
	Products  *Batch[xid.ID, *db.Product]
	// Notes is by the maximum number of notes.
	Notes        *Family[int, xid.ID, []*OrderNote]
	ShopperNotes *Batch[xid.ID, *string]
	Payments     *Batch[xid.ID, []*db.Payment]
	Fulfillments *Batch[xid.ID, []*db.Fulfillment]
	// Refunds are the refunds through the payment provider.
	Refunds *Batch[xid.ID, []*PaymentRefund]
	// Holds are the reservations of orders that await payment.
	Holds *Batch[xid.ID, *db.PaymentHold]
	// Acts are the actions of people and programs on the order.
	Acts *Batch[xid.ID, []*OrderAct]
	// Emails are the emails to the shoppers that are not sent yet.
	Emails *Batch[xid.ID, []*WaitingEmail]
	// Exchanged are the orders in exchange for whose returns orders were created.
	Exchanged *Batch[xid.ID, *Order]
}
