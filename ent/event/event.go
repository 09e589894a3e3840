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
	OrderReturnRequested    Type = "order.return_requested"
	OrderReturnUpdated      Type = "order.return_updated"

	ProductCreated     Type = "product.created"
	ProductUpdated     Type = "product.updated"
	ProductPublished   Type = "product.published"
	ProductUnpublished Type = "product.unpublished"
	ProductArchived    Type = "product.archived"
	ProductDeleted     Type = "product.deleted"

	InventoryChanged Type = "inventory.changed"

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
	{Type: OrderCreated, Resource: xid.Order, Scope: scope.OrdersRead, Trigger: "An order is created."},
	{Type: OrderUpdated, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "An order changes in a way that no other event covers: its email, addresses or tags, or its " +
			"customer is redacted."},
	{Type: OrderPaid, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "An order is paid in full. Free orders are paid when they are created. Sent once per order."},
	{Type: OrderPartiallyPaid, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "A payment is received that does not cover the outstanding amount."},
	{Type: OrderRefunded, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "An order is refunded, in part or in full."},
	{Type: OrderFulfilled, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "All items of an order are fulfilled: the last ones are shipped, or the rest of a partially " +
			"fulfilled order is refunded."},
	{Type: OrderPartiallyFulfilled, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "Some items of an order are fulfilled, and others are left."},
	{Type: OrderCancelled, Resource: xid.Order, Scope: scope.OrdersRead, Trigger: "An order is cancelled."},
	{Type: OrderCompleted, Resource: xid.Order, Scope: scope.OrdersRead, Trigger: "A fulfilled order is completed."},
	{Type: OrderNoteAdded, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "A note is added to an order, such as the reason of a cancellation. data.object is the note."},
	{Type: OrderReturnRequested, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "Staff create a return of items of an order. data.object is the return."},
	{Type: OrderReturnUpdated, Resource: xid.Order, Scope: scope.OrdersRead,
		Trigger: "A return is approved, declined, received or refunded. data.object is the return."},
	{Type: ProductCreated, Resource: xid.Product, Scope: scope.ProductsRead, Trigger: "A product is created."},
	{Type: ProductUpdated, Resource: xid.Product, Scope: scope.ProductsRead,
		Trigger: "A product changes, unless only its inventory does. Also sent with the more specific events " +
			"below, but not with a deletion."},
	{Type: ProductPublished, Resource: xid.Product, Scope: scope.ProductsRead, Trigger: "A draft becomes active."},
	{Type: ProductUnpublished, Resource: xid.Product, Scope: scope.ProductsRead,
		Trigger: "An active product becomes a draft again."},
	{Type: ProductArchived, Resource: xid.Product, Scope: scope.ProductsRead, Trigger: "A product is archived."},
	{Type: ProductDeleted, Resource: xid.Product, Scope: scope.ProductsRead,
		Trigger: "A product is deleted. data.object is its last state."},
	{Type: InventoryChanged, Resource: xid.Product, Scope: scope.InventoryRead,
		Trigger: "The stock of a variant changed, at most once a second for each variant. data.object is the " +
			"stock that the variant has by then, in sum and by location; its resource is the product. A " +
			"transfer between locations is a change as well. Not sent when a product is created. Stores send it " +
			"once an endpoint subscribes to it, or stock events are turned on."},
	{Type: CustomerCreated, Resource: xid.Customer, Scope: scope.CustomersRead, Trigger: "A customer is created."},
	{Type: CustomerUpdated, Resource: xid.Customer, Scope: scope.CustomersRead,
		Trigger: "A customer's own data changes, or they are disabled or enabled. Changes of order counters do " +
			"not cause it."},
	{Type: CustomerRedacted, Resource: xid.Customer, Scope: scope.CustomersRead,
		Trigger: "A customer's personal data is removed."},
	{Type: ExportCompleted, Resource: xid.Export, Scope: scope.ExportsRead,
		Trigger: "The file of an export is complete and can be downloaded."},
	{Type: ExportFailed, Resource: xid.Export, Scope: scope.ExportsRead,
		Trigger: "An export fails. data.object.error says why. Not sent for cancelled exports."},
	{Type: ThemeActivated, Resource: xid.Theme, Scope: scope.ThemesRead,
		Trigger: "A theme replaces the active theme of the storefront. Not sent when the active theme is " +
			"activated again, nor for the first theme of a store."},
	{Type: ThemeInstalled, Resource: xid.Theme, Scope: scope.ThemesRead,
		Trigger: "A theme can be activated: an archive has been processed, or a marketplace theme or a copy was " +
			"added. Not sent for the first theme of a store."},
	{Type: WebhookEndpointSuspended, Resource: xid.WebhookEndpoint, Scope: scope.WebhooksRead,
		Trigger: "An endpoint is suspended because deliveries to it failed for 24 hours. Sent to the other " +
			"endpoints. Endpoints of apps get only the origin of its URL."},
	{Type: WebhookEndpointFailing, Resource: xid.WebhookEndpoint, Scope: scope.WebhooksRead,
		Trigger: "Deliveries to an endpoint have failed for 1, 6 or 12 hours. Sent once for each, to the other " +
			"endpoints. Endpoints of apps get only the origin of its URL."},
	{Type: WebhookEndpointRecovered, Resource: xid.WebhookEndpoint, Scope: scope.WebhooksRead,
		Trigger: "An endpoint that was reported as failing accepts deliveries again, and none is failing. Sent " +
			"to the other endpoints. Endpoints of apps get only the origin of its URL."},
	{Type: AppGrantRevoked, Resource: xid.Grant, Scope: scope.WebhooksRead,
		Trigger: "A grant of an app is revoked by staff of the store, by the app, or because a code or refresh " +
			"token was used twice. Not sent when a grant expires. Never sent to the endpoints of that app. " +
			"Endpoints of other apps get neither the app nor who consented."},
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

// OfReturn reports whether the object of events of a type is a return.
func OfReturn(t Type) bool { return t == OrderReturnRequested || t == OrderReturnUpdated }

// About returns the kind of the resource of events of a type; for a ping it is the endpoint.
func About(t Type) xid.Kind {
	if t == Ping {
		return xid.WebhookEndpoint
	}
	e, _ := Find(t)
	return e.Resource
}
