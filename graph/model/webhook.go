package model

import (
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// SecretOverlap is how long after a rotation the second secret replaces the first automatically
// (contract, section 8).
const SecretOverlap = 24 * time.Hour

// Secrets returns the encrypted secrets of an endpoint at a time: the signing secret, and the
// second one during a rotation. A second secret counts as promoted once it is due, even if the row
// does not record it yet.
func Secrets(e *db.WebhookEndpoint, now micros.Time) (current, next []byte) {
	switch {
	case e.NextSecretAt == nil:
		return e.Secret, nil
	case PromotionDue(e, now):
		return e.NextSecret, nil
	}
	return e.Secret, e.NextSecret
}

// PromotionDue reports whether an endpoint's second secret is due to replace the first and the row
// does not record it yet.
func PromotionDue(e *db.WebhookEndpoint, now micros.Time) bool {
	return e.NextSecretAt != nil && e.NextSecretAt.Add(SecretOverlap) <= now
}

// WebhookEndpoint is an endpoint with its health.
type WebhookEndpoint struct {
	*db.WebhookEndpoint
	Health *db.WebhookQueue
	// App is the app that owns the endpoint; nil for the store's own.
	App *AppSummary
	// Page is shared with the other endpoints of the page.
	Page *EndpointPage
}

// EndpointPage loads the fields of all endpoints of one page together.
type EndpointPage struct {
	Queues *Batch[xid.ID, *WebhookQueueState]
	// Activity is by the number of hours.
	Activity *Family[int, xid.ID, []*WebhookActivity]
}

// ShowWebhookEndpoint returns an endpoint as it is at a time. A second secret that is due becomes
// the secret.
func ShowWebhookEndpoint(row *db.WebhookEndpoint, health *db.WebhookQueue, now micros.Time) *WebhookEndpoint {
	if PromotionDue(row, now) {
		promoted := *row
		promoted.SecretHint = *row.NextSecretHint
		promoted.NextSecretHint, promoted.NextSecretAt = nil, nil
		promoted.Secret, promoted.NextSecret = row.NextSecret, nil
		row = &promoted
	}
	return &WebhookEndpoint{WebhookEndpoint: row, Health: health}
}

// Events returns the subscribed events, sorted.
func (e *WebhookEndpoint) Events() []string { return strings.Fields(e.WebhookEndpoint.Events) }

// Sends returns how much of a resource its messages contain.
func (e *WebhookEndpoint) Sends() state.WebhookPayload { return wire.PayloadOf(e.WebhookEndpoint) }

// FailingSince returns when the oldest failing delivery was first attempted, or nil.
func (e *WebhookEndpoint) FailingSince() *micros.Time { return e.Health.FailingSince }

// SuspendedAt returns when the endpoint was suspended or disabled, or nil.
func (e *WebhookEndpoint) SuspendedAt() *micros.Time { return e.StoppedAt }

// SuspendedReason returns why the endpoint was suspended or disabled, or nil.
func (e *WebhookEndpoint) SuspendedReason() *state.EndpointStop { return e.StoppedReason }

// LastSuccessAt returns when the receiver last answered with 2xx. It may lag some seconds behind.
func (e *WebhookEndpoint) LastSuccessAt() *micros.Time { return e.Health.LastSuccessAt }

// LastError returns the error of the last failed attempt, or nil.
func (e *WebhookEndpoint) LastError() *string { return e.Health.LastError }

// NextSecretPromotesAt returns when the second secret replaces the first automatically, or nil.
func (e *WebhookEndpoint) NextSecretPromotesAt() *micros.Time {
	if e.NextSecretAt == nil {
		return nil
	}
	return new(e.NextSecretAt.Add(SecretOverlap))
}

// APIVersion returns the version of the sent bodies.
func (e *WebhookEndpoint) APIVersion() string { return "v1" }

// WebhookDelivery is a waiting or settled delivery.
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
	// NextAttemptAt is nil if no attempt is due.
	NextAttemptAt *micros.Time
	SettledAt     *micros.Time
	// Log is the row of the delivery log; nil while the delivery waits.
	Log *db.DeliveryLog
	// Page is shared with the other deliveries of the page.
	Page *DeliveryPage
}

// DeliveryPage loads the fields of all deliveries of one page together.
type DeliveryPage struct {
	// Attempts holds the failed attempts that were followed by another, by the sequence of the
	// delivery, newest first.
	Attempts *Batch[int64, []*db.Attempt]
	// Bodies is by event id; expired events are absent.
	Bodies *Batch[xid.ID, []byte]
}

// ID returns the public id of the delivery.
func (d *WebhookDelivery) ID() string { return xid.Delivery.Format(d.Key) }

// EndpointID returns the public id of the endpoint.
func (d *WebhookDelivery) EndpointID() string { return xid.WebhookEndpoint.Format(d.Endpoint) }

// EventID returns the public id of the event.
func (d *WebhookDelivery) EventID() string { return xid.Event.Format(d.Event) }

// ResourceID returns the public id of the event's resource; "" if its kind is unknown because the
// event has expired.
func (d *WebhookDelivery) ResourceID() string {
	kind := xid.KindOf(d.ResourceType)
	if kind == "" {
		return ""
	}
	return kind.Format(d.Resource)
}

// CreatedAt returns when the delivery was created.
func (d *WebhookDelivery) CreatedAt() micros.Time { return d.Key.Time() }
