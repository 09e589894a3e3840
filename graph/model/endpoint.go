package model

import (
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
)

// PausedUntil returns the end of a pause that staff requested, or nil if deliveries are not paused.
func (e *WebhookEndpoint) PausedUntil() *micros.Time {
	if p := e.WebhookEndpoint.PausedUntil; p != nil && *p > micros.Now() {
		return p
	}
	return nil
}

// Filters returns the conditions of the endpoint; it gets the events that satisfy all of them.
func (e *WebhookEndpoint) Filters() ([]*filter.Condition, error) {
	if e.WebhookEndpoint.Filters == nil {
		return nil, nil
	}
	return filter.Parse(*e.WebhookEndpoint.Filters)
}

// Circuit returns the state of the circuit breaker. While it is not closed, new deliveries wait for
// the endpoint to recover.
func (e *WebhookEndpoint) Circuit() *WebhookCircuit {
	c := &WebhookCircuit{State: state.CircuitOf(e.Health.Streak, e.Health.ProbeAt <= micros.Now()),
		Failures: e.Health.Streak}
	if c.State != state.CircuitClosed {
		c.NextAttemptAt = new(e.Health.ProbeAt)
	}
	return c
}
