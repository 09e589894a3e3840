package main

import "time"

// Ledger records what a campaign observed, for the verdict.
type Ledger struct {
	Engine string `json:"engine"`
	Seed   uint64 `json:"seed"`
	// Faults are the injected faults, in order.
	Faults []Fault `json:"faults"`
	// Undone are the kinds of faults that were not possible, and why.
	Undone     map[string]string `json:"undone"`
	Writes     []*Write          `json:"writes"`
	Deliveries []*Delivery       `json:"deliveries"`
	Readings   []Reading         `json:"readings"`
	// Rows are the ids that existed at the end, by the mark of the write that created them; orders
	// by their number.
	Rows map[string][]string `json:"rows"`
	// Endpoints are the subscribed event types of each endpoint.
	Endpoints map[string][]string `json:"endpoints"`
	// Waiting is the work that was left after the time for settling.
	Waiting []string `json:"waiting"`
	Traffic Traffic  `json:"traffic"`
	// Errors are the errors in the processes' logs, each once and without its time.
	Errors []string `json:"errors"`
}

// Write is one write with an idempotency key. It is sent until it is answered.
type Write struct {
	Key      string   `json:"key"`
	Kind     string   `json:"kind"`
	Mark     string   `json:"mark,omitempty"`     // identifies what it creates
	Resource string   `json:"resource,omitempty"` // the resource of its events
	Events   []string `json:"events,omitempty"`   // the types of its events
	Tries    int      `json:"tries"`
	// First is the final answer; its status is 0 if there was none.
	First   Answer   `json:"first"`
	Replays []Answer `json:"replays"`

	request request
}

// Answer is what must be the same whenever a key is sent.
type Answer struct {
	Status int    `json:"status"`
	Sum    string `json:"sha256,omitempty"` // of the body
	// Replayed is the header that marks a replay.
	Replayed bool `json:"replayed,omitempty"`
}

// Delivery is one request to an endpoint. Arrived and Accepted are positions in the order of
// everything that happened at the receiver; Accepted is 0 without a 2xx.
type Delivery struct {
	Endpoint string `json:"endpoint"`
	Event    string `json:"event"`
	Type     string `json:"type"`
	Resource string `json:"resource"`
	Sequence int64  `json:"sequence"`
	Sum      string `json:"sha256"` // of its id and body
	Arrived  int    `json:"arrived"`
	Accepted int    `json:"accepted,omitempty"`
	Mistake  string `json:"mistake,omitempty"` // why it did not verify
}

// Reading is a complete walk of a list, or a complete export file.
type Reading struct {
	Of       string   `json:"of"`
	Rows     int      `json:"rows"`
	Missed   []string `json:"missed,omitempty"`   // ids acknowledged before it began that are missing
	Repeated []string `json:"repeated,omitempty"` // ids that occur twice
	Mistake  string   `json:"mistake,omitempty"`
}

// Traffic counts requests, each try separately.
type Traffic struct {
	Requests int `json:"requests"`
	// Answers are counted by status; "none" are requests without an answer.
	Answers map[string]int `json:"answers"`
	// Stall is the longest time from a first try to the final answer.
	Stall   time.Duration `json:"stall_ns"`
	Stalled string        `json:"stalled"`
	// Ended counts processes that ended without a signal from the campaign.
	Ended int `json:"ended"`
}

// read compares the ids of a walk with those acknowledged before it.
func read(of string, ids, before []string) Reading {
	r, seen := Reading{Of: of, Rows: len(ids)}, make(map[string]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			r.Repeated = append(r.Repeated, id)
		}
		seen[id] = true
	}
	for _, id := range before {
		if !seen[id] {
			r.Missed = append(r.Missed, id)
		}
	}
	return r
}
