package model

import (
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// SecretOverlap is how long the second secret of a rotation waits before it
// takes over by itself (contract, section 8).
const SecretOverlap = 24 * time.Hour

// WebhookEndpoint is an endpoint with what the engine keeps of it.
type WebhookEndpoint struct {
	*db.WebhookEndpoint
	Health *db.WebhookQueue
	// App is the app whose it is; nil for the store's own.
	App *AppSummary
}

// Events returns the names subscribed to, sorted.
func (e *WebhookEndpoint) Events() []string { return strings.Fields(e.WebhookEndpoint.Events) }

// FailingSince returns when the oldest delivery that fails was first tried.
func (e *WebhookEndpoint) FailingSince() *micros.Time { return e.Health.FailingSince }

// SuspendedAt returns since when it is suspended or disabled.
func (e *WebhookEndpoint) SuspendedAt() *micros.Time { return e.StoppedAt }

// SuspendedReason returns why it is suspended or disabled.
func (e *WebhookEndpoint) SuspendedReason() *state.EndpointStop { return e.StoppedReason }

// LastSuccessAt returns when a receiver last answered with 2xx; it may lag some
// seconds behind.
func (e *WebhookEndpoint) LastSuccessAt() *micros.Time { return e.Health.LastSuccessAt }

// LastError returns what the last failed attempt met.
func (e *WebhookEndpoint) LastError() *string { return e.Health.LastError }

// NextSecretPromotesAt returns when the second secret takes over by itself.
func (e *WebhookEndpoint) NextSecretPromotesAt() *micros.Time {
	if e.NextSecretAt == nil {
		return nil
	}
	return new(e.NextSecretAt.Add(SecretOverlap))
}

// APIVersion returns the version of the bodies that are sent.
func (e *WebhookEndpoint) APIVersion() string { return "v1" }

// WebhookDelivery is a delivery that waits or has ended.
type WebhookDelivery struct {
	Key          xid.ID // of the delivery
	Endpoint     xid.ID
	Event        xid.ID
	Resource     xid.ID
	Sequence     int64
	Type         string
	ResourceType string
	State        state.DeliveryState
	AttemptCount int
	// NextAttemptAt is nil where none is due.
	NextAttemptAt *micros.Time
	SettledAt     *micros.Time
	// Log is its row in the log, once it has ended.
	Log *db.DeliveryLog
}

// ID returns the delivery's id.
func (d *WebhookDelivery) ID() string { return xid.Delivery.Format(d.Key) }

// EndpointID returns the id of its endpoint.
func (d *WebhookDelivery) EndpointID() string { return xid.WebhookEndpoint.Format(d.Endpoint) }

// EventID returns the id of its event.
func (d *WebhookDelivery) EventID() string { return xid.Event.Format(d.Event) }

// ResourceID returns the id of the resource that the event is about.
func (d *WebhookDelivery) ResourceID() string {
	return xid.KindOf(d.ResourceType).Format(d.Resource)
}

// CreatedAt returns when it was made.
func (d *WebhookDelivery) CreatedAt() micros.Time { return d.Key.Time() }
