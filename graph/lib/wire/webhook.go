package wire

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// APIVersion is the version of webhook bodies.
const APIVersion = "v1"

// PayloadOf returns how much of a resource the messages to an endpoint contain.
func PayloadOf(e *db.WebhookEndpoint) state.WebhookPayload {
	if e.Selection != nil {
		return state.PayloadSelection
	}
	return e.Payload
}

// AppendWebhookEndpoint appends an endpoint with the health of its queue. The secret is nil except
// in the answer that shows it once.
func AppendWebhookEndpoint(b []byte, e *db.WebhookEndpoint, health *db.WebhookQueue, secret *string) []byte {
	o := Open(b)
	o.ID("id", xid.WebhookEndpoint, e.ID)
	o.Str("url", e.URL)
	o.Strings("events", strings.Fields(e.Events))
	o.StrOpt("description", e.Description)
	o.Plain("payload", string(PayloadOf(e)))
	o.StrOpt("selection", e.Selection)
	o.Plain("status", string(e.Status))
	o.TimeOpt("failing_since", health.FailingSince)
	o.TimeOpt("suspended_at", e.StoppedAt)
	if e.StoppedReason == nil {
		o.Null("suspended_reason")
	} else {
		o.Plain("suspended_reason", string(*e.StoppedReason))
	}
	o.TimeOpt("last_success_at", health.LastSuccessAt)
	o.StrOpt("last_error", health.LastError)
	now := micros.Now()
	if p := e.PausedUntil; p != nil && *p > now {
		o.Time("paused_until", *p)
	} else {
		o.Null("paused_until")
	}
	o.intOrNull("rate_limit", e.RateLimit)
	if e.Filters == nil {
		o.Raw("filters", []byte("[]"))
	} else {
		o.Raw("filters", []byte(*e.Filters))
	}
	o.appendCircuit(health, now)
	o.StrOpt("secret", secret)
	o.Str("secret_hint", e.SecretHint)
	o.Plain("api_version", APIVersion)
	o.Time("created_at", e.ID.Time())
	o.Time("updated_at", e.UpdatedAt)
	return o.Close()
}

// appendCircuit writes whether new deliveries wait for the endpoint to recover.
func (o *Object) appendCircuit(health *db.WebhookQueue, now micros.Time) {
	is := state.CircuitOf(health.Streak, health.ProbeAt <= now)
	c := Open(nil)
	c.Plain("state", string(is))
	c.Int("failures", int64(health.Streak))
	if is == state.CircuitClosed {
		c.Null("next_attempt_at")
	} else {
		c.Time("next_attempt_at", health.ProbeAt)
	}
	o.Raw("circuit", c.Close())
}
