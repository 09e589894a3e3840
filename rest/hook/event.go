package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// ErrBody says that a body is not that of a delivery.
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
	// PayloadOmitted says that the body would have been over 256 KiB: Data is empty,
	// and the resource is to be read from the API.
	PayloadOmitted bool `json:"payload_omitted"`

	// DeliveryID and Attempt (from 1, 0 when unknown) come from headers. They are
	// for logs: headers are not signed.
	DeliveryID string `json:"-"`
	Attempt    int    `json:"-"`
}

// Resource is what an event is about.
type Resource struct {
	Type    string `json:"type"` // "order"
	ID      string `json:"id"`
	Version int64  `json:"version"`
}

// Data holds the representation that the API would answer.
type Data struct {
	Object json.RawMessage `json:"object"` // nil when it was omitted
}

// Parse reads a delivery that was verified. Members that it does not know are
// passed over, since new ones come without a new version. The error wraps
// [ErrBody]; the event then holds what the headers say, and nothing else.
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

// Newer reports whether the event is newer than what is stored of its resource,
// whose last event had this time and sequence (0: not kept). The same event is
// not newer than itself.
//
// Where both sequences are known they decide: they are counted in the
// transaction of the change, while the clocks of two servers may differ by more
// than two changes do. Otherwise occurred_at decides.
func (e Event) Newer(occurredAt time.Time, sequence int64) bool {
	if e.Sequence > 0 && sequence > 0 {
		return e.Sequence > sequence
	}
	return e.OccurredAt.After(occurredAt)
}
