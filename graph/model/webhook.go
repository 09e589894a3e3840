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

// Secrets returns the encrypted secrets of an endpoint at a time: the one that
// signs, and the second one while a rotation is under way. The second counts as
// promoted when its time has come, whether or not the row says so already.
func Secrets(e *db.WebhookEndpoint, now micros.Time) (current, next []byte) {
	switch {
	case e.NextSecretAt == nil:
		return e.Secret, nil
	case PromotionDue(e, now):
		return e.NextSecret, nil
	}
	return e.Secret, e.NextSecret
}

// PromotionDue reports whether an endpoint's second secret has taken over by itself
// without its row saying so.
func PromotionDue(e *db.WebhookEndpoint, now micros.Time) bool {
	return e.NextSecretAt != nil && e.NextSecretAt.Add(SecretOverlap) <= now
}

// WebhookEndpoint is an endpoint with what the engine keeps of it.
type WebhookEndpoint struct {
	*db.WebhookEndpoint
	Health *db.WebhookQueue
	// App is the app whose it is; nil for the store's own.
	App *AppSummary
	// Page is what it shares with the other endpoints of its page.
	Page *EndpointPage
}

// EndpointPage loads what GraphQL asks of the endpoints of one page, for all of
// them at once.
type EndpointPage struct {
	Queues *Batch[xid.ID, *WebhookQueueState]
	// Activity is by how many hours are asked for.
	Activity *Family[int, xid.ID, []*WebhookActivity]
}

// ShowWebhookEndpoint makes an endpoint as it is at a time from its row: a second
// secret that has taken over by itself is the secret.
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
	// Page is what it shares with the other deliveries of its page.
	Page *DeliveryPage
}

// DeliveryPage loads what GraphQL asks of the deliveries of one page, for all of
// them at once.
type DeliveryPage struct {
	// Attempts are those after which a delivery went on waiting, by its sequence,
	// the last one first.
	Attempts *Batch[int64, []*db.Attempt]
	// Bodies are by the event's id; one that has aged out is absent.
	Bodies *Batch[xid.ID, []byte]
}

// ID returns the delivery's id.
func (d *WebhookDelivery) ID() string { return xid.Delivery.Format(d.Key) }

// EndpointID returns the id of its endpoint.
func (d *WebhookDelivery) EndpointID() string { return xid.WebhookEndpoint.Format(d.Endpoint) }

// EventID returns the id of its event.
func (d *WebhookDelivery) EventID() string { return xid.Event.Format(d.Event) }

// ResourceID returns the id of the resource that the event is about; "" where
// its kind is not known any more, since the event has aged out.
func (d *WebhookDelivery) ResourceID() string {
	kind := xid.KindOf(d.ResourceType)
	if kind == "" {
		return ""
	}
	return kind.Format(d.Resource)
}

// CreatedAt returns when it was made.
func (d *WebhookDelivery) CreatedAt() micros.Time { return d.Key.Time() }
