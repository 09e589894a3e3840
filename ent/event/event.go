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

	ExportCompleted Type = "export.completed"
	ExportFailed    Type = "export.failed"

	ThemeActivated Type = "theme.activated"
	ThemeInstalled Type = "theme.installed"

	WebhookEndpointSuspended Type = "webhook_endpoint.suspended"

	AppGrantRevoked Type = "app.grant_revoked"
)

// Ping is what a test sends to one endpoint. It is in no catalogue: nobody can
// subscribe to it.
const Ping Type = "ping"

// Entry is one row of the catalogue.
type Entry struct {
	Type     Type
	Resource xid.Kind // kind of the resource that the event is about
	Scope    string   // needed to subscribe
	// Trigger is the one thing that makes the event, as a sentence for integrators.
	Trigger string
}

var catalogue = []Entry{
	{OrderCreated, xid.Order, scope.OrdersRead, "An order is made."},
	{OrderUpdated, xid.Order, scope.OrdersRead, "An order changes in a way that no other event tells: its e-mail, addresses or tags; also when its customer is redacted."},
	{OrderPaid, xid.Order, scope.OrdersRead, "The last of what an order costs is paid; at its creation where it is free. Once per order."},
	{OrderPartiallyPaid, xid.Order, scope.OrdersRead, "A payment is taken that does not cover the rest."},
	{OrderRefunded, xid.Order, scope.OrdersRead, "Money of an order is given back, in part or all of it."},
	{OrderFulfilled, xid.Order, scope.OrdersRead, "Nothing of an order is left to ship: its last goods are shipped, or what was left of a partly shipped order is refunded."},
	{OrderPartiallyFulfilled, xid.Order, scope.OrdersRead, "Some goods of an order are shipped, and others are left."},
	{OrderCancelled, xid.Order, scope.OrdersRead, "An order is cancelled."},
	{OrderCompleted, xid.Order, scope.OrdersRead, "A fulfilled order is completed."},
	{OrderNoteAdded, xid.Order, scope.OrdersRead, "A note is appended to an order, as the reason of a cancellation is; data.object is the note."},
	{ProductCreated, xid.Product, scope.ProductsRead, "A product is made."},
	{ProductUpdated, xid.Product, scope.ProductsRead, "A product changes in any way but its inventory alone; also beside the more specific events below, but not beside its deletion."},
	{ProductPublished, xid.Product, scope.ProductsRead, "A draft becomes active."},
	{ProductUnpublished, xid.Product, scope.ProductsRead, "An active product becomes a draft again."},
	{ProductArchived, xid.Product, scope.ProductsRead, "A product is archived."},
	{ProductDeleted, xid.Product, scope.ProductsRead, "A product is deleted; data.object is how it last was."},
	{CustomerCreated, xid.Customer, scope.CustomersRead, "A customer is made."},
	{CustomerUpdated, xid.Customer, scope.CustomersRead, "A customer's own data changes, or he is disabled or enabled. The counters that his orders move do not make it."},
	{CustomerRedacted, xid.Customer, scope.CustomersRead, "A customer's personal data is removed."},
	{ExportCompleted, xid.Export, scope.ExportsRead, "The file of an export is whole and can be downloaded."},
	{ExportFailed, xid.Export, scope.ExportsRead, "An export is given up; data.object.error says why. A cancelled one makes none."},
	{ThemeActivated, xid.Theme, scope.ThemesRead, "A theme takes the place of the one that the storefront showed. Activating the active one makes none, nor does the theme that a store is made with."},
	{ThemeInstalled, xid.Theme, scope.ThemesRead, "A theme of the store is ready to be activated: an archive has been processed, or a theme of the marketplace or a copy was added. The theme that a store is made with makes none."},
	{WebhookEndpointSuspended, xid.WebhookEndpoint, scope.WebhooksRead, "An endpoint is suspended, since deliveries to it failed for 24 hours. Told to the other endpoints."},
	{AppGrantRevoked, xid.Grant, scope.WebhooksRead, "A grant of an app is ended: by a person of the store, by the app, or since a code or refresh token was shown twice. One that runs out makes none. Never told to the endpoints of that app."},
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
