package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// WebhookAttempt is an attempt with information about its delivery. It has neither the request nor
// the response.
type WebhookAttempt struct {
	ID      xid.ID
	Number  int64
	BeganAt micros.Time
	Outcome string
	// HTTPStatus is nil if there was no response.
	HTTPStatus *int64
	Duration   int64 // in microseconds
	Detail     *string
	NextAt     *micros.Time

	Delivery  xid.ID
	State     state.DeliveryState
	SettledAt *micros.Time
	Event     xid.ID
	// Type and ResourceType are "" if the event has aged out.
	Type         event.Type
	ResourceType string
	Resource     xid.ID
}

// ResourceID returns the id of the event's resource, or "" if its kind is no longer known.
func (a *WebhookAttempt) ResourceID() string {
	kind := xid.KindOf(a.ResourceType)
	if kind == "" {
		return ""
	}
	return kind.Format(a.Resource)
}

// AppendWebhookAttempt appends an attempt.
func AppendWebhookAttempt(b []byte, a *WebhookAttempt) []byte {
	o := Open(b)
	o.ID("attempt_id", xid.Attempt, a.ID)
	o.Int("number", a.Number)
	o.Time("began_at", a.BeganAt)
	o.Str("outcome", a.Outcome)
	o.IntOpt("http_status", a.HTTPStatus)
	o.Int("duration_us", a.Duration)
	o.StrOpt("detail", a.Detail)
	o.TimeOpt("next_at", a.NextAt)
	o.ID("delivery_id", xid.Delivery, a.Delivery)
	o.Plain("delivery_state", string(a.State))
	o.ID("event_id", xid.Event, a.Event)
	o.known("event_type", string(a.Type))
	o.known("resource_type", a.ResourceType)
	o.known("resource_id", a.ResourceID())
	o.Time("created_at", a.Delivery.Time())
	o.TimeOpt("settled_at", a.SettledAt)
	return o.Close()
}

// known writes a text, or null for "".
func (o *Object) known(name, v string) {
	if v == "" {
		o.Null(name)
		return
	}
	o.Str(name, v)
}

// StateOf returns the state of an unfinished delivery, given the status of its endpoint and when
// that was last resumed.
func StateOf(row *db.Delivery, endpoint state.EndpointStatus, resumedAt micros.Time) state.DeliveryState {
	switch {
	case row.Failed && row.FirstAt >= resumedAt:
		return state.DeliveryFailed
	case endpoint != state.EndpointActive:
		return state.DeliveryHeld
	}
	return state.DeliveryWaiting
}
