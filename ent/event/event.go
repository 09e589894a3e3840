// Package event is the catalogue of event types (contract, section 8): the
// resource that each is about and the scope that a subscriber needs.
package event

import (
	"slices"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// Type is the name of an event, as subscribers know it.
type Type string

// The catalogue.
const (
	OrderCreated            Type = "order.created"
	OrderUpdated            Type = "order.updated"
	OrderPaid               Type = "order.paid"
	OrderPartiallyPaid      Type = "order.partially_paid"
	OrderRefunded           Type = "order.refunded"
	OrderFulfilled          Type = "order.fulfilled"
	OrderPartiallyFulfilled Type = "order.partially_fulfilled"
	OrderCancelled          Type = "order.cancelled"
	OrderCompleted          Type = "order.completed"
	OrderNoteAdded          Type = "order.note_added"

	ProductCreated     Type = "product.created"
	ProductUpdated     Type = "product.updated"
	ProductPublished   Type = "product.published"
	ProductUnpublished Type = "product.unpublished"
	ProductArchived    Type = "product.archived"
	ProductDeleted     Type = "product.deleted"

	CustomerCreated  Type = "customer.created"
	CustomerUpdated  Type = "customer.updated"
	CustomerRedacted Type = "customer.redacted"

	AppGrantRevoked Type = "app.grant_revoked"
)

// Entry is one row of the catalogue.
type Entry struct {
	Type     Type
	Resource xid.Kind // kind of the resource that the event is about
	Scope    string   // needed to subscribe
}

var catalogue = []Entry{
	{OrderCreated, xid.Order, scope.OrdersRead},
	{OrderUpdated, xid.Order, scope.OrdersRead},
	{OrderPaid, xid.Order, scope.OrdersRead},
	{OrderPartiallyPaid, xid.Order, scope.OrdersRead},
	{OrderRefunded, xid.Order, scope.OrdersRead},
	{OrderFulfilled, xid.Order, scope.OrdersRead},
	{OrderPartiallyFulfilled, xid.Order, scope.OrdersRead},
	{OrderCancelled, xid.Order, scope.OrdersRead},
	{OrderCompleted, xid.Order, scope.OrdersRead},
	{OrderNoteAdded, xid.Order, scope.OrdersRead},
	{ProductCreated, xid.Product, scope.ProductsRead},
	{ProductUpdated, xid.Product, scope.ProductsRead},
	{ProductPublished, xid.Product, scope.ProductsRead},
	{ProductUnpublished, xid.Product, scope.ProductsRead},
	{ProductArchived, xid.Product, scope.ProductsRead},
	{ProductDeleted, xid.Product, scope.ProductsRead},
	{CustomerCreated, xid.Customer, scope.CustomersRead},
	{CustomerUpdated, xid.Customer, scope.CustomersRead},
	{CustomerRedacted, xid.Customer, scope.CustomersRead},
	{AppGrantRevoked, xid.Grant, scope.WebhooksRead},
}

// All returns the catalogue.
func All() []Entry { return slices.Clone(catalogue) }

// Find returns the entry of t.
func Find(t Type) (Entry, bool) {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.Type == t })
	if i < 0 {
		return Entry{}, false
	}
	return catalogue[i], true
}
