package state

import "slices"

// EndpointStatus is the state of a webhook endpoint (contract, section 6).
type EndpointStatus string

// The values of [EndpointStatus].
const (
	EndpointActive    EndpointStatus = "active"
	EndpointSuspended EndpointStatus = "suspended"
	EndpointDisabled  EndpointStatus = "disabled"
)

var allEndpointStatus = []EndpointStatus{EndpointActive, EndpointSuspended, EndpointDisabled}

// Known reports whether v is a value of the enumeration.
func (v EndpointStatus) Known() bool { return slices.Contains(allEndpointStatus, v) }

// EndpointStop is the reason for which an endpoint is suspended or disabled.
type EndpointStop string

// The values of [EndpointStop].
const (
	StoppedByFailure EndpointStop = "delivery_failed" // one delivery failed for 24 h
	StoppedBySilence EndpointStop = "no_success"      // nothing was delivered for 24 h
	StoppedByPerson  EndpointStop = "manual"          // somebody disabled it
	StoppedByGrant   EndpointStop = "grant_revoked"   // the last grant of the app whose it is ended
)

var allEndpointStop = []EndpointStop{StoppedByFailure, StoppedBySilence, StoppedByPerson, StoppedByGrant}

// Known reports whether v is a value of the enumeration.
func (v EndpointStop) Known() bool { return slices.Contains(allEndpointStop, v) }

// DeliveryState is where a delivery of an event to an endpoint stands (contract, section 8).
type DeliveryState string

// The values of [DeliveryState].
const (
	DeliveryWaiting   DeliveryState = "waiting" // for its turn or its next attempt
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"    // given up after 24 h
	DeliveryHeld      DeliveryState = "held"      // its endpoint is suspended or disabled
	DeliverySkipped   DeliveryState = "skipped"   // by a person
	DeliveryCancelled DeliveryState = "cancelled" // with its endpoint, or its owner may not have it any more
)

var allDeliveryState = []DeliveryState{DeliveryWaiting, DeliveryDelivered, DeliveryFailed, DeliveryHeld,
	DeliverySkipped, DeliveryCancelled}

// Known reports whether v is a value of the enumeration.
func (v DeliveryState) Known() bool { return slices.Contains(allDeliveryState, v) }

// WebhookBacklog is what becomes of what an endpoint missed, when it is reactivated.
type WebhookBacklog string

// The values of [WebhookBacklog].
const (
	BacklogResume WebhookBacklog = "resume" // what failed or was held, then the events since
	BacklogFrom   WebhookBacklog = "from"   // the events since a time
	BacklogDrop   WebhookBacklog = "drop"   // nothing
)

var allWebhookBacklog = []WebhookBacklog{BacklogResume, BacklogFrom, BacklogDrop}

// Known reports whether v is a value of the enumeration.
func (v WebhookBacklog) Known() bool { return slices.Contains(allWebhookBacklog, v) }

// WebhookCircuit says whether an endpoint is spared what it does not take.
type WebhookCircuit string

// The values of [WebhookCircuit].
const (
	CircuitClosed   WebhookCircuit = "closed"    // everything is tried
	CircuitHalfOpen WebhookCircuit = "half_open" // one new delivery is tried
	CircuitOpen     WebhookCircuit = "open"      // new deliveries wait
)

// circuitAt is from how many failures in a row on new deliveries wait, as
// graph/engine/webhook/schedule has it.
const circuitAt = 3

// CircuitOf returns the state of a circuit after so many failures in a row; due says
// that the next attempt of a new delivery is.
func CircuitOf(failures int, due bool) WebhookCircuit {
	switch {
	case failures < circuitAt:
		return CircuitClosed
	case due:
		return CircuitHalfOpen
	}
	return CircuitOpen
}

var allWebhookCircuit = []WebhookCircuit{CircuitClosed, CircuitHalfOpen, CircuitOpen}

// Known reports whether v is a value of the enumeration.
func (v WebhookCircuit) Known() bool { return slices.Contains(allWebhookCircuit, v) }
