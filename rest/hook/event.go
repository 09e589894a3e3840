package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// ErrBody means that a body is not an event.
var ErrBody = errors.New("body is not an event")

// Event is one delivery.
type Event struct {
	ID         string    `json:"event_id"` // the same in every delivery of the event
	Type       string    `json:"type"`     // "order.paid"; "ping" from the test button
	APIVersion string    `json:"api_version"`
	OccurredAt time.Time `json:"occurred_at"`
	StoreID    string    `json:"store_id"`
	Resource   Resource  `json:"resource"`
	// Sequence counts the events of one resource from 1 without gaps; a ping has 0.
	Sequence int64 `json:"sequence"`
	// ChangedFields names the members that an update changed; nil for other events.
	ChangedFields []string `json:"changed_fields"`
	Data          Data     `json:"data"`
	// PayloadOmitted means that the body would have been larger than 256 KiB, or that the endpoint
	// gets thin messages: Data is empty, and the resource has to be read from the API.
	PayloadOmitted bool `json:"payload_omitted"`

	// DeliveryID and Attempt (from 1; 0 if unknown) come from headers. They are for logs: headers
	// are not signed.
	DeliveryID string `json:"-"`
	Attempt    int    `json:"-"`
}

// Resource identifies the resource of an event.
type Resource struct {
	Type    string `json:"type"` // "order"
	ID      string `json:"id"`
	Version int64  `json:"version"`
}

// Data holds the resource as the API represents it.
type Data struct {
	Object json.RawMessage `json:"object"` // nil if omitted
}

// Parse reads a verified delivery. It ignores unknown members, because new ones may appear without
// a new API version. The error wraps [ErrBody]; the event then holds only what the headers say.
func Parse(h http.Header, body []byte) (Event, error) {
	head := Event{DeliveryID: h.Get(HeaderDeliveryID)}
	if n, err := strconv.Atoi(h.Get(HeaderAttempt)); err == nil && n > 0 {
		head.Attempt = n
	}
	e := head
	if err := json.Unmarshal(body, &e); err != nil {
		return head, fmt.Errorf("%w: %w", ErrBody, err)
	}
	if e.ID == "" || e.Type == "" {
		return head, fmt.Errorf("%w: it has no event_id or no type", ErrBody)
	}
	return e, nil
}

// Newer reports whether the event is newer than the stored state of its resource, whose last event
// had this time and sequence (0 if not stored). An event is not newer than itself.
//
// If both sequences are known, they decide: they are counted in the transaction of the change,
// while the clocks of two servers may differ by more than the time between two changes. Otherwise
// occurred_at decides.
func (e Event) Newer(occurredAt time.Time, sequence int64) bool {
	if e.Sequence > 0 && sequence > 0 {
		return e.Sequence > sequence
	}
	return e.OccurredAt.After(occurredAt)
}
