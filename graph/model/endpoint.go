package model

import (
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
)

// PausedUntil returns until when nothing is sent, since a person wants it so.
func (e *WebhookEndpoint) PausedUntil() *micros.Time {
	if p := e.WebhookEndpoint.PausedUntil; p != nil && *p > micros.Now() {
		return p
	}
	return nil
}

// Filters returns the conditions on events, all of which hold of those that are sent.
func (e *WebhookEndpoint) Filters() ([]*filter.Condition, error) {
	if e.WebhookEndpoint.Filters == nil {
		return nil, nil
	}
	return filter.Parse(*e.WebhookEndpoint.Filters)
}

// Circuit returns whether new deliveries wait for the endpoint to recover.
func (e *WebhookEndpoint) Circuit() *WebhookCircuit {
	c := &WebhookCircuit{State: state.CircuitOf(e.Health.Streak, e.Health.ProbeAt <= micros.Now()),
		Failures: e.Health.Streak}
	if c.State != state.CircuitClosed {
		c.NextAttemptAt = new(e.Health.ProbeAt)
	}
	return c
}
