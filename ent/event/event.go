// Package event is the catalog of event types (contract, section 8): the resource of each event and
// the scope that a subscriber needs.
package event

import (
	"slices"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// Type is the name of an event in the API.
type Type string

// The catalog.
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
	WebhookEndpointFailing   Type = "webhook_endpoint.failing"
	WebhookEndpointRecovered Type = "webhook_endpoint.recovered"

	AppGrantRevoked Type = "app.grant_revoked"
)

// Ping is the type of the test event that is sent to one endpoint. It is not in the catalog, so
// nothing can subscribe to it.
const Ping Type = "ping"

// Entry is one row of the catalog.
type Entry struct {
	Type     Type
	Resource xid.Kind // kind of the event's resource
	Scope    string   // needed to subscribe
	// Trigger is what causes the event, as a sentence for integrators.
	Trigger string
}

var catalog = []Entry{
	{Type: OrderCreated, Resource: xid.Order, Scope: scope.OrdersRead, Trigger: "An order is made."},
	{Type: OrderUpdated, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "An order changes in a way that no other event covers: its e-mail, addresses or tags; also when its " +
			"customer is redacted."},
	{Type: OrderPaid, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "The last of what an order costs is paid; at its creation where it is free. Once per order."},
	{Type: OrderPartiallyPaid, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "A payment is taken that does not cover the rest."},
	{Type: OrderRefunded, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "Money of an order is given back, in part or all of it."},
	{Type: OrderFulfilled, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "Nothing of an order is left to ship: its last goods are shipped, or what was left of a partly " +
			"shipped order is refunded."},
	{Type: OrderPartiallyFulfilled, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "Some goods of an order are shipped, and others are left."},
	{Type: OrderCancelled, Resource: xid.Order, Scope: scope.OrdersRead, Trigger: "An order is cancelled."},
	{Type: OrderCompleted, Resource: xid.Order, Scope: scope.OrdersRead, Trigger: "A fulfilled order is completed."},
	{Type: OrderNoteAdded, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "A note is appended to an order, as the reason of a cancellation is; data.object is the note."},
	{Type: ProductCreated, Resource: xid.Product, Scope: scope.ProductsRead, Trigger: "A product is made."},
	{Type: ProductUpdated, Resource: xid.Product, Scope: scope.ProductsRead,
		Trigger: "A product changes in any way but its inventory alone; also beside the more specific events below, " +
			"but not beside its deletion."},
	{Type: ProductPublished, Resource: xid.Product, Scope: scope.ProductsRead, Trigger: "A draft becomes active."},
	{Type: ProductUnpublished, Resource: xid.Product, Scope: scope.ProductsRead,
		Trigger: "An active product becomes a draft again."},
	{Type: ProductArchived, Resource: xid.Product, Scope: scope.ProductsRead, Trigger: "A product is archived."},
	{Type: ProductDeleted, Resource: xid.Product, Scope: scope.ProductsRead,
		Trigger: "A product is deleted; data.object is how it last was."},
	{Type: CustomerCreated, Resource: xid.Customer, Scope: scope.CustomersRead, Trigger: "A customer is made."},
	{Type: CustomerUpdated, Resource: xid.Customer, Scope: scope.CustomersRead,
		Trigger: "A customer's own data changes, or they are disabled or enabled. The counters that their " +
			"orders move do " +
			"not make it."},
	{Type: CustomerRedacted, Resource: xid.Customer, Scope: scope.CustomersRead,
		Trigger: "A customer's personal data is removed."},
	{Type: ExportCompleted, Resource: xid.Export, Scope: scope.ExportsRead,
		Trigger: "The file of an export is whole and can be downloaded."},
	{Type: ExportFailed, Resource: xid.Export, Scope: scope.ExportsRead,
		Trigger: "An export is given up; data.object.error says why. A cancelled one makes none."},
	{Type: ThemeActivated, Resource: xid.Theme, Scope: scope.ThemesRead,
		Trigger: "A theme takes the place of the one that the storefront showed. Activating the active one makes " +
			"none, nor does the theme that a store is made with."},
	{Type: ThemeInstalled, Resource: xid.Theme, Scope: scope.ThemesRead,
		Trigger: "A theme of the store is ready to be activated: an archive has been processed, or a theme of the " +
			"marketplace or a copy was added. The theme that a store is made with makes none."},
	{Type: WebhookEndpointSuspended, Resource: xid.WebhookEndpoint, Scope: scope.WebhooksRead,
		Trigger: "An endpoint is suspended, since deliveries to it failed for 24 hours. Sent to the other endpoints; " +
			"one of an app gets only the origin of its address."},
	{Type: WebhookEndpointFailing, Resource: xid.WebhookEndpoint, Scope: scope.WebhooksRead,
		Trigger: "Deliveries to an endpoint have failed for an hour, for 6 hours or for 12: once for each. Sent to the " +
			"other endpoints; one of an app gets only the origin of its address."},
	{Type: WebhookEndpointRecovered, Resource: xid.WebhookEndpoint, Scope: scope.WebhooksRead,
		Trigger: "An endpoint of which it was said that it fails takes deliveries again, and none of them fails any " +
			"more. Sent to the other endpoints; one of an app gets only the origin of its address."},
	{Type: AppGrantRevoked, Resource: xid.Grant, Scope: scope.WebhooksRead,
		Trigger: "A grant of an app is ended: by a person of the store, by the app, or since a code or refresh token " +
			"was shown twice. One that runs out makes none. Never sent to the endpoints of that app; those of other " +
			"apps get neither the app nor who consented."},
}

// All returns a copy of the catalog.
func All() []Entry { return slices.Clone(catalog) }

// Find returns the entry of t, and whether there is one.
func Find(t Type) (Entry, bool) {
	i := slices.IndexFunc(catalog, func(e Entry) bool { return e.Type == t })
	if i < 0 {
		return Entry{}, false
	}
	return catalog[i], true
}

// About returns the kind of the resource of events of a type; for a ping it is the endpoint.
func About(t Type) xid.Kind {
	if t == Ping {
		return xid.WebhookEndpoint
	}
	e, _ := Find(t)
	return e.Resource
}
