package main

import "time"

// Ledger is all that a campaign saw: enough to judge it.
type Ledger struct {
	Engine string `json:"engine"`
	Seed   uint64 `json:"seed"`
	// Faults are those that were done, in their order.
	Faults []Fault `json:"faults"`
	// Undone are the kinds of faults that could not be done, and why.
	Undone     map[string]string `json:"undone"`
	Writes     []*Write          `json:"writes"`
	Deliveries []*Delivery       `json:"deliveries"`
	Readings   []Reading         `json:"readings"`
	// Rows are the ids of what was there at the end, by the mark of the write that made it,
	// and of orders by their number.
	Rows map[string][]string `json:"rows"`
	// Endpoints are the types of events that each subscribes to.
	Endpoints map[string][]string `json:"endpoints"`
	// Waiting is the work that was left when all had been given time to end.
	Waiting []string `json:"waiting"`
	Traffic Traffic  `json:"traffic"`
	// Errors are what the processes logged as such, each once and without its time.
	Errors []string `json:"errors"`
}

// Write is one write with a key. It is sent until it has its answer.
type Write struct {
	Key      string   `json:"key"`
	Kind     string   `json:"kind"`
	Mark     string   `json:"mark,omitempty"`     // by which what it makes is found again
	Resource string   `json:"resource,omitempty"` // whose events it makes
	Events   []string `json:"events,omitempty"`   // their types
	Tries    int      `json:"tries"`
	// First is the answer that ended it; without one its status is 0.
	First   Answer   `json:"first"`
	Replays []Answer `json:"replays"`

	request request
}

// Answer is what must be the same each time a key is sent.
type Answer struct {
	Status int    `json:"status"`
	Sum    string `json:"sha256,omitempty"` // of the body
	// Replayed is what the header says of it.
	Replayed bool `json:"replayed,omitempty"`
}

// Delivery is one request that came to an endpoint. Arrived and Accepted are places in the
// order of all that happened at the receiver; Accepted is 0 without a 2xx.
type Delivery struct {
	Endpoint string `json:"endpoint"`
	Event    string `json:"event"`
	Type     string `json:"type"`
	Resource string `json:"resource"`
	Sequence int64  `json:"sequence"`
	Sum      string `json:"sha256"` // of its id and its body
	Arrived  int    `json:"arrived"`
	Accepted int    `json:"accepted,omitempty"`
	Mistake  string `json:"mistake,omitempty"` // why it was not believed
}

// Reading is a whole walk through a list or a whole file of an export.
type Reading struct {
	Of       string   `json:"of"`
	Rows     int      `json:"rows"`
	Missed   []string `json:"missed,omitempty"`   // ids that were acknowledged before it began
	Repeated []string `json:"repeated,omitempty"` // ids that it has twice
	Mistake  string   `json:"mistake,omitempty"`
}

// Traffic counts requests: each try is one.
type Traffic struct {
	Requests int `json:"requests"`
	// Answers are by status; "none" are those that ended without one.
	Answers map[string]int `json:"answers"`
	// Stall is the longest time from a first try to the answer that ended it.
	Stall   time.Duration `json:"stall_ns"`
	Stalled string        `json:"stalled"`
	// Ended counts processes that ended without a signal of ours.
	Ended int `json:"ended"`
}

// read compares the ids of a walk with those that were acknowledged before it.
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
