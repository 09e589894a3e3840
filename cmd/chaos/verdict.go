package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Verdict lists what is wrong, one line per finding.
type Verdict struct {
	Lost      []string
	Doubled   []string
	Disorder  []string
	Differing []string
	Stuck     []string
}

// Good reports whether nothing is wrong.
func (v Verdict) Good() bool {
	return len(v.Lost)+len(v.Doubled)+len(v.Disorder)+len(v.Differing)+len(v.Stuck) == 0
}

func note(list *[]string, format string, args ...any) {
	*list = append(*list, fmt.Sprintf(format, args...))
}

// judge checks a ledger against the guarantees of the service.
func judge(l *Ledger) Verdict {
	var v Verdict
	v.writes(l)
	v.rows(l)
	v.invoices(l)
	v.readings(l)
	v.deliveries(l)
	for _, text := range l.Waiting {
		note(&v.Stuck, "%s", text)
	}
	return v
}

func (v *Verdict) writes(l *Ledger) {
	for _, w := range l.Writes {
		if w.First.Status == 0 {
			note(&v.Stuck, "%s %s was never answered in %d tries", w.Kind, w.Key, w.Tries)
			continue
		}
		if len(w.Replays) == 0 {
			note(&v.Stuck, "%s %s was not answered again", w.Kind, w.Key)
		}
		for _, a := range w.Replays {
			if a.Status != w.First.Status || a.Sum != w.First.Sum || !a.Replayed {
				note(&v.Differing, "%s %s was answered %+v, and then %+v", w.Kind, w.Key, w.First, a)
				break
			}
		}
	}
}

// rows finds what a write created twice or not at all.
func (v *Verdict) rows(l *Ledger) {
	made := map[string]bool{}
	for _, w := range l.Writes {
		made[w.Mark] = true
		if w.Mark != "" && w.First.Status/100 == 2 && len(l.Rows[w.Mark]) == 0 {
			note(&v.Lost, "%s %s (%s) was acknowledged and is not there", w.Kind, w.Key, w.Resource)
		}
		if w.Mark != "" && w.First.Status/100 == 4 && len(l.Rows[w.Mark]) > 0 {
			note(&v.Differing, "%s %s was refused and is there: %v", w.Kind, w.Key, l.Rows[w.Mark])
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(l.Rows)) {
		if ids := l.Rows[mark]; len(ids) > 1 {
			note(&v.Doubled, "%s is there %d times: %v", mark, len(ids), ids)
		}
	}
}

// invoices finds gaps in the numbers of invoices, which begin with 1, and orders without an invoice.
func (v *Verdict) invoices(l *Ledger) {
	invoiced := map[string]bool{}
	for n := range int64(len(l.Invoices)) {
		orders := l.Invoices[n+1]
		switch {
		case len(orders) == 0:
			note(&v.Lost, "no invoice has the number %d of %d", n+1, len(l.Invoices))
		case len(orders) > 1:
			note(&v.Doubled, "the invoice %d is there %d times: %v", n+1, len(orders), some(orders))
		case invoiced[orders[0]]:
			note(&v.Doubled, "the order %s has several invoices", orders[0])
		}
		for _, o := range orders {
			invoiced[o] = true
		}
	}
	for _, w := range l.Writes {
		if w.Kind == "order" && w.First.Status/100 == 2 && !invoiced[w.Resource] {
			note(&v.Lost, "the order %s has no invoice", w.Resource)
		}
	}
}

func (v *Verdict) readings(l *Ledger) {
	for _, r := range l.Readings {
		if len(r.Missed) > 0 {
			note(&v.Lost, "%s of %d rows misses %d: %v", r.Of, r.Rows, len(r.Missed), some(r.Missed))
		}
		if len(r.Repeated) > 0 {
			note(&v.Doubled, "%s of %d rows repeats %d: %v", r.Of, r.Rows, len(r.Repeated), some(r.Repeated))
		}
		if r.Mistake != "" {
			note(&v.Differing, "%s: %s", r.Of, r.Mistake)
		}
	}
}

func some(ids []string) []string { return ids[:min(len(ids), 5)] }

type receipt struct {
	*Delivery     // the first delivery
	accepted  int // position of its first 2xx
}

func (v *Verdict) deliveries(l *Ledger) {
	for _, endpoint := range slices.Sorted(maps.Keys(l.Endpoints)) {
		events := v.events(l, endpoint)
		v.lanes(endpoint, events)
		v.balance(l, endpoint, events)
	}
}

// events groups the deliveries to an endpoint by event, whose bytes must never change.
func (v *Verdict) events(l *Ledger, endpoint string) map[string]*receipt {
	events := map[string]*receipt{}
	for _, d := range l.Deliveries {
		if d.Endpoint != endpoint {
			continue
		}
		if d.Mistake != "" {
			note(&v.Differing, "%s: a delivery of %s is not to be believed: %s", endpoint, d.Event, d.Mistake)
			continue
		}
		e := events[d.Event]
		if e == nil {
			e = &receipt{Delivery: d}
			events[d.Event] = e
		}
		if d.Sum != e.Sum {
			note(&v.Differing, "%s: %s changes between attempts", endpoint, d.Event)
		}
		if e.accepted == 0 {
			e.accepted = d.Accepted
		}
	}
	return events
}

// lanes checks that an event first arrives after the previous one of its resource was accepted.
func (v *Verdict) lanes(endpoint string, events map[string]*receipt) {
	lanes := map[string][]*receipt{}
	for _, e := range events {
		lanes[e.Resource] = append(lanes[e.Resource], e)
	}
	for _, resource := range slices.Sorted(maps.Keys(lanes)) {
		lane := lanes[resource]
		slices.SortFunc(lane, func(a, b *receipt) int {
			return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Arrived, b.Arrived))
		})
		for i, e := range lane[1:] {
			before := lane[i]
			switch {
			case e.Sequence == before.Sequence:
				note(&v.Doubled, "%s: event %d of %s is %s and %s", endpoint, e.Sequence, resource, before.Event,
					e.Event)
			case e.Sequence > before.Sequence+1:
				note(&v.Lost, "%s: of %s came %d and then %d", endpoint, resource, before.Sequence, e.Sequence)
			case before.accepted == 0 || e.Arrived < before.accepted:
				note(&v.Disorder, "%s: %d of %s came before %d was accepted", endpoint, e.Sequence, resource,
					before.Sequence)
			}
		}
	}
}

// balance compares accepted events with acknowledged writes, by resource and type.
func (v *Verdict) balance(l *Ledger, endpoint string, events map[string]*receipt) {
	owed := map[string]int{}
	for _, w := range l.Writes {
		if w.First.Status/100 != 2 {
			continue
		}
		for _, name := range w.Events {
			if slices.Contains(l.Endpoints[endpoint], name) {
				owed[name+" of "+w.Resource]++
			}
		}
	}
	for _, e := range events {
		if e.accepted > 0 {
			owed[e.Type+" of "+e.Resource]--
		}
	}
	for _, what := range slices.Sorted(maps.Keys(owed)) {
		switch n := owed[what]; {
		case n > 0:
			note(&v.Lost, "%s: %d × %s never arrived", endpoint, n, what)
		case n < 0:
			note(&v.Doubled, "%s: %d × %s too many", endpoint, -n, what)
		}
	}
}

func (v Verdict) text() string {
	var b strings.Builder
	for _, part := range []struct {
		name string
		list []string
	}{
		{"lost", v.Lost}, {"doubled", v.Doubled}, {"out of order", v.Disorder},
		{"answers that differ", v.Differing}, {"stuck", v.Stuck},
	} {
		fmt.Fprintf(&b, "  %-20s %d\n", part.name, len(part.list))
		for _, line := range part.list[:min(len(part.list), 10)] {
			fmt.Fprintf(&b, "    %.400s\n", line)
		}
	}
	return b.String()
}
