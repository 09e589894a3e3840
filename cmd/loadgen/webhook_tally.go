package main

import (
	"cmp"
	"slices"
	"time"
)

// lane is where the order of deliveries is kept.
type lane struct {
	endpoint int
	resource string
}

// sighting is an event at one endpoint.
type sighting struct {
	endpoint int
	event    string
}

// tally is what the receipts of a run say.
type tally struct {
	distinct   int // deliveries that came at least once
	duplicates int // receipts beyond the first one of a delivery
	// disorder counts the deliveries that were first seen before the one before them
	// in their lane had its 2xx.
	disorder    int
	first, last int64 // of the receipts
}

// count sorts the receipts by their time and goes through them.
func count(list []receipt) (t tally) {
	slices.SortFunc(list, func(a, b receipt) int { return cmp.Compare(a.At, b.At) })
	if len(list) == 0 {
		return t
	}
	t.first, t.last = list[0].At, list[len(list)-1].At
	type place struct {
		lane
		sequence int64
	}
	answered, seen := make(map[place]int64, len(list)), make(map[sighting]bool, len(list))
	for _, r := range list {
		at := place{lane{r.Endpoint, r.Resource}, r.Sequence}
		if r.Answered != 0 && answered[at] == 0 {
			answered[at] = r.Answered
		}
	}
	for _, r := range list {
		s := sighting{r.Endpoint, r.Event}
		if seen[s] {
			t.duplicates++
			continue
		}
		seen[s] = true
		before := answered[place{lane{r.Endpoint, r.Resource}, r.Sequence - 1}]
		if r.Sequence > 1 && (before == 0 || before > r.At) {
			t.disorder++
		}
	}
	t.distinct = len(seen)
	return t
}

// span is the time from the first receipt to the last.
func (t tally) span() time.Duration { return time.Duration(t.last - t.first) }
