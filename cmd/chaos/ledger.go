package main

import "time"

// Ledger records what a campaign observed, for the verdict.
type Ledger struct {
	Engine string
	Seed   uint64
	Faults []Fault
	// Undone are the kinds of faults that were not possible, and why.
	Undone     map[Kind]string
	Writes     []*Write
	Deliveries []*Delivery
	Readings   []Reading
	// Rows are the ids at the end, by the mark of the write that created them, and by order number.
	Rows      map[string][]string
	Endpoints map[string][]string
	// Invoices are the orders with an invoice at the end, by its number.
	Invoices map[int64][]string
	// Waiting is the work that was left after the time for settling.
	Waiting []string
	Traffic Traffic
	// Errors are the errors in the processes' logs, each once and without its time.
	Errors []string
}

// Write is one write with an idempotency key. It is sent until it is answered.
type Write struct {
	Key      string
	Kind     string
	Mark     string   // identifies what it creates
	Resource string   // the resource of its events
	Events   []string // the types of its events
	Tries    int
	// First is the final answer; its status is 0 if there was none.
	First   Answer
	Replays []Answer

	request request
}

// Answer is what must be the same whenever a key is sent.
type Answer struct {
	Status int
	Sum    string // of the body
	// Replayed is the header that marks a replay.
	Replayed bool
}

// Delivery is one request to an endpoint. Arrived and Accepted are positions in the order of
// everything that happened at the receiver; Accepted is 0 without a 2xx.
type Delivery struct {
	Endpoint string
	Event    string
	Type     string
	Resource string
	Sequence int64
	Sum      string // of its id and body
	Arrived  int
	Accepted int
	Mistake  string // why it did not verify
}

// Reading is a complete walk of a list, or a complete export file.
type Reading struct {
	Of       string
	Rows     int
	Missed   []string // ids acknowledged before it began that are missing
	Repeated []string // ids that occur twice
	Mistake  string
}

// Traffic counts requests, each try separately.
type Traffic struct {
	Requests int
	// Answers are counted by status; "none" are requests without an answer.
	Answers map[string]int
	// Stall is the longest time from a first try to the final answer.
	Stall   time.Duration
	Stalled string
	// Ended counts processes that ended without a signal from the campaign.
	Ended int
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
