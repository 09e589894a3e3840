package state

// EndpointStatus is the state of a webhook endpoint (contract, section 6).
type EndpointStatus string

// The values of [EndpointStatus].
const (
	EndpointActive    EndpointStatus = "active"
	EndpointSuspended EndpointStatus = "suspended"
	EndpointDisabled  EndpointStatus = "disabled"
)

// Known reports whether v is a value of the enumeration.
func (v EndpointStatus) Known() bool {
	return oneOf(v, EndpointActive, EndpointSuspended, EndpointDisabled)
}

// WebhookPayload is how much of a resource the messages to an endpoint contain (contract, section 15).
type WebhookPayload string

// The values of [WebhookPayload].
const (
	PayloadFull      WebhookPayload = "full"
	PayloadThin      WebhookPayload = "thin"      // only the id, the type and the version
	PayloadSelection WebhookPayload = "selection" // only the fields that the endpoint selects
)

// Known reports whether v is a value of the enumeration.
func (v WebhookPayload) Known() bool { return oneOf(v, PayloadFull, PayloadThin, PayloadSelection) }

// EndpointStop is the reason why an endpoint is suspended or disabled.
type EndpointStop string

// The values of [EndpointStop].
const (
	StoppedByFailure EndpointStop = "delivery_failed" // one delivery failed for 24 h
	StoppedBySilence EndpointStop = "no_success"      // nothing was delivered for 24 h
	StoppedByPerson  EndpointStop = "manual"          // disabled by a person
	StoppedByGrant   EndpointStop = "grant_revoked"   // the last grant of its app ended
)

// Known reports whether v is a value of the enumeration.
func (v EndpointStop) Known() bool {
	return oneOf(v, StoppedByFailure, StoppedBySilence, StoppedByPerson, StoppedByGrant)
}

// DeliveryState is the state of the delivery of an event to an endpoint (contract, section 8).
type DeliveryState string

// The values of [DeliveryState].
const (
	DeliveryWaiting   DeliveryState = "waiting" // for its turn or its next attempt
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"    // given up after 24 h
	DeliveryHeld      DeliveryState = "held"      // its endpoint is suspended or disabled
	DeliverySkipped   DeliveryState = "skipped"   // by a person
	DeliveryCancelled DeliveryState = "cancelled" // with its endpoint, or because its owner lost access to the data
)

// Known reports whether v is a value of the enumeration.
func (v DeliveryState) Known() bool {
	return oneOf(v, DeliveryWaiting, DeliveryDelivered, DeliveryFailed, DeliveryHeld, DeliverySkipped,
		DeliveryCancelled)
}

// WebhookBacklog is what happens to missed events when an endpoint is reactivated.
type WebhookBacklog string

// The values of [WebhookBacklog].
const (
	BacklogResume WebhookBacklog = "resume" // deliver what failed or was held, then the events since
	BacklogFrom   WebhookBacklog = "from"   // deliver the events since a time
	BacklogDrop   WebhookBacklog = "drop"   // deliver nothing
)

// Known reports whether v is a value of the enumeration.
func (v WebhookBacklog) Known() bool { return oneOf(v, BacklogResume, BacklogFrom, BacklogDrop) }

// WebhookCircuit is the state of an endpoint's circuit breaker.
type WebhookCircuit string

// The values of [WebhookCircuit].
const (
	CircuitClosed   WebhookCircuit = "closed"    // everything is tried
	CircuitHalfOpen WebhookCircuit = "half_open" // one new delivery is tried
	CircuitOpen     WebhookCircuit = "open"      // new deliveries wait
)

// circuitAt is the number of consecutive failures from which new deliveries wait, as in
// graph/engine/webhook/schedule.
const circuitAt = 3

// CircuitOf returns the state of the circuit breaker after a number of consecutive failures; due
// says that the next attempt of a new delivery is due.
func CircuitOf(failures int, due bool) WebhookCircuit {
	switch {
	case failures < circuitAt:
		return CircuitClosed
	case due:
		return CircuitHalfOpen
	}
	return CircuitOpen
}

// Known reports whether v is a value of the enumeration.
func (v WebhookCircuit) Known() bool { return oneOf(v, CircuitClosed, CircuitHalfOpen, CircuitOpen) }
