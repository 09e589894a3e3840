package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

type receipt struct {
	Endpoint int    `json:"n"`
	Event    string `json:"e"`
	Resource string `json:"r"`
	Sequence int64  `json:"s"`
	// At is when it was complete. Answered is the moment before its 2xx was sent, or 0. Both are
	// nanoseconds since 1970.
	At       int64 `json:"t"`
	Answered int64 `json:"a"`
}

// readReceipt parses a delivery. It searches for the members in the order that the body has them,
// which takes less CPU than a parser.
func readReceipt(path string, body []byte) (receipt, error) {
	r := receipt{At: time.Now().UnixNano()}
	endpoint, err := strconv.Atoi(path[bytes.LastIndexByte([]byte(path), '/')+1:])
	if err != nil {
		return r, fmt.Errorf("%q is no endpoint", path)
	}
	event, rest := between(body, `"event_id":"`, `"`)
	_, rest, _ = bytes.Cut(rest, []byte(`"resource":{`))
	resource, rest := between(rest, `"id":"`, `"`)
	sequence, _ := between(rest, `"sequence":`, `,`)
	if r.Sequence, err = strconv.ParseInt(sequence, 10, 64); err != nil || event == "" || resource == "" {
		return r, fmt.Errorf("no delivery: %.100q", body)
	}
	r.Endpoint, r.Event, r.Resource = endpoint, event, resource
	return r, nil
}

func between(b []byte, mark, end string) (found string, rest []byte) {
	_, b, _ = bytes.Cut(b, []byte(mark))
	value, rest, _ := bytes.Cut(b, []byte(end))
	return string(value), rest
}

type tally struct {
	distinct   int // deliveries that arrived at least once
	duplicates int // receipts beyond the first one of a delivery
	// disorder counts deliveries that came before the previous one of their resource was answered.
	disorder    int
	first, last int64 // receipt
}

// count sorts the receipts by time and counts them.
func count(list []receipt) (t tally) {
	slices.SortFunc(list, func(a, b receipt) int { return cmp.Compare(a.At, b.At) })
	if len(list) == 0 {
		return t
	}
	t.first, t.last = list[0].At, list[len(list)-1].At
	type place struct {
		endpoint int
		resource string
		sequence int64
	}
	type delivery struct {
		endpoint int
		event    string
	}
	answered, seen := make(map[place]int64, len(list)), make(map[delivery]bool, len(list))
	for _, r := range list {
		at := place{r.Endpoint, r.Resource, r.Sequence}
		if r.Answered != 0 && answered[at] == 0 {
			answered[at] = r.Answered
		}
	}
	for _, r := range list {
		d := delivery{r.Endpoint, r.Event}
		if seen[d] {
			t.duplicates++
			continue
		}
		seen[d] = true
		before := answered[place{r.Endpoint, r.Resource, r.Sequence - 1}]
		if r.Sequence > 1 && (before == 0 || before > r.At) {
			t.disorder++
		}
	}
	t.distinct = len(seen)
	return t
}

// delays returns the sorted times from each event's transaction, if after a time, to its receipt.
func delays(list []receipt, after time.Time) (took []time.Duration, err error) {
	seen := map[string]bool{}
	for _, r := range list {
		id, err := xid.Event.Parse(r.Event)
		if err != nil {
			return nil, err
		}
		if began := id.Time().Time(); !seen[r.Event] && began.After(after) {
			took = append(took, time.Duration(r.At-began.UnixNano()))
		}
		seen[r.Event] = true
	}
	slices.Sort(took)
	return took, nil
}
