package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// clean returns a ledger without faults: a product is created and changed, an order is created, and
// a write is refused.
func clean() *Ledger {
	written := func(key, mark, resource string, status int, events ...string) *Write {
		a := Answer{Status: status, Sum: "sum of " + key}
		again := a
		again.Replayed = true
		return &Write{Key: key, Kind: "write", Mark: mark, Resource: resource, Events: events, Tries: 1, First: a,
			Replays: []Answer{again}}
	}
	receipt := func(place int, event, kind, resource string, sequence int64) *Delivery {
		return &Delivery{Endpoint: "/all", Event: event, Type: kind, Resource: resource, Sequence: sequence,
			Sum: "sum of " + event, Arrived: place, Accepted: place + 1}
	}
	return &Ledger{
		Writes: []*Write{
			written("k1", "m1", "prod_1", 201, "product.created"), written("k2", "", "prod_1", 200, "product.updated"),
			written("k3", "m3", "ord_1", 200, "order.created"), written("k4", "m4", "", 422),
		},
		Invoices:  map[int64][]string{1: {"ord_1"}},
		Rows:      map[string][]string{"m1": {"prod_1"}, "m3": {"ord_1"}, "order number 1": {"ord_1"}},
		Endpoints: map[string][]string{"/all": {"product.created", "product.updated", "order.created"}},
		Deliveries: []*Delivery{
			receipt(1, "evt_1", "product.created", "prod_1", 1), receipt(3, "evt_3", "order.created", "ord_1", 1),
			receipt(5, "evt_2", "product.updated", "prod_1", 2),
			receipt(7, "evt_1", "product.created", "prod_1", 1), // again, which is allowed
		},
		Readings: []Reading{read("a walk", []string{"prod_1", "prod_2"}, []string{"prod_1"})},
	}
}

// Each fault of a ledger is found, as that fault only.
func TestJudge(t *testing.T) {
	if v := judge(clean()); !v.Good() {
		t.Fatalf("a clean ledger is judged\n%s", v.text())
	}
	for _, c := range []struct {
		name  string
		spoil func(l *Ledger)
		want  string // the expected findings
	}{
		{"a row is gone", func(l *Ledger) { delete(l.Rows, "m1") }, "lost"},
		{"an event never came", func(l *Ledger) {
			l.Deliveries = append(l.Deliveries[:1], l.Deliveries[2:]...)
		}, "lost"},
		{"an event was never accepted", func(l *Ledger) { l.Deliveries[1].Accepted = 0 }, "lost"},
		{"an event is missing in its lane", func(l *Ledger) { l.Deliveries[2].Sequence = 3 }, "lost"},
		{"a walk misses a row", func(l *Ledger) {
			l.Readings = append(l.Readings, read("a walk", []string{"prod_2"}, []string{"prod_1"}))
		}, "lost"},
		{"a number of invoices is missing", func(l *Ledger) { l.Invoices[3] = []string{"ord_2"} }, "lost"},
		{"an order has no invoice", func(l *Ledger) {
			l.Writes[2].Kind, l.Invoices = "order", nil
		}, "lost"},
		{"an invoice is there twice", func(l *Ledger) { l.Invoices[1] = []string{"ord_1", "ord_2"} }, "doubled"},
		{"a key made two rows", func(l *Ledger) { l.Rows["m1"] = append(l.Rows["m1"], "prod_9") }, "doubled"},
		{"two orders have a number", func(l *Ledger) {
			l.Rows["order number 1"] = append(l.Rows["order number 1"], "ord_9")
		}, "doubled"},
		{"an event has two ids", func(l *Ledger) {
			again := *l.Deliveries[1]
			again.Event, again.Accepted = "evt_9", 0
			l.Deliveries = append(l.Deliveries, &again)
		}, "doubled"},
		{"an event too many", func(l *Ledger) {
			more := *l.Deliveries[2]
			more.Event, more.Sequence, more.Arrived, more.Accepted = "evt_9", 3, 8, 9
			l.Deliveries = append(l.Deliveries, &more)
		}, "doubled"},
		{"a walk repeats a row", func(l *Ledger) {
			l.Readings = append(l.Readings, read("a walk", []string{"prod_1", "prod_1"}, nil))
		}, "doubled"},
		{"an event came before the one before it was accepted", func(l *Ledger) { l.Deliveries[0].Accepted = 6 },
			"out of order"},
		{"a replay has another body", func(l *Ledger) { l.Writes[0].Replays[0].Sum = "other" }, "answers that differ"},
		{"a replay has another status", func(l *Ledger) { l.Writes[0].Replays[0].Status = 200 }, "answers that differ"},
		{"a replay was done anew", func(l *Ledger) { l.Writes[0].Replays[0].Replayed = false }, "answers that differ"},
		{"what was refused is there", func(l *Ledger) { l.Rows["m4"] = []string{"prod_9"} }, "answers that differ"},
		{"an event changes", func(l *Ledger) { l.Deliveries[3].Sum = "other" }, "answers that differ"},
		{"a delivery is forged", func(l *Ledger) { l.Deliveries[3].Mistake = "signature" }, "answers that differ"},
		{"a file is broken", func(l *Ledger) {
			l.Readings = append(l.Readings, readFile(job{ID: "exp_1", Sha256: "00"}, []byte("product_id\n"), nil))
		}, "answers that differ"},
		{"a write was never answered", func(l *Ledger) { l.Writes[3].First = Answer{} }, "stuck"},
		{"a key was not answered again", func(l *Ledger) { l.Writes[0].Replays = nil }, "stuck"},
		{"work is left", func(l *Ledger) {
			l.Waiting = leftOver([]byte(`{"shards": [{"outbox": {"waiting": 0}, "jobs": {"exports_running": 1}}]}`))
		}, "stuck"},
		{"what is left cannot be read", func(l *Ledger) { l.Waiting = leftOver([]byte(`{}`)) }, "stuck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := clean()
			c.spoil(l)
			v := judge(l)
			for name, list := range map[string][]string{"lost": v.Lost, "doubled": v.Doubled,
				"out of order": v.Disorder, "answers that differ": v.Differing, "stuck": v.Stuck} {
				if want := name == c.want; (len(list) == 1) != want || !want && len(list) > 0 {
					t.Errorf("%s: %q", name, list)
				}
			}
			if v.Good() {
				t.Error("it is called good")
			}
		})
	}
}

// A plan follows from the seed, and contains each possible kind.
func TestPlan(t *testing.T) {
	able := []Kind{Pause, KillServer, KillDispatcher, DiskFull}
	one, other := plan(3, 50, able), plan(4, 50, []Kind{DiskFull, KillDispatcher, KillServer, Pause})
	same := 0
	for i, f := range plan(3, 50, []Kind{DiskFull, KillDispatcher, KillServer, Pause}) {
		if f != one[i] {
			t.Errorf("fault %d is %+v and %+v", i, one[i], f)
		}
		if f == other[i] {
			same++
		}
		if f.Kind == Pause && f.Hold < 6*time.Second {
			t.Errorf("a process stands still for %v, less than its lease", f.Hold)
		}
	}
	if same > 10 {
		t.Errorf("two seeds share %d faults", same)
	}
	for i, k := range able {
		found := false
		for _, f := range one[:len(able)] {
			found = found || f.Kind == k
		}
		if !found {
			t.Errorf("kind %d, %s, does not come at first", i, k)
		}
	}
}

// A final answer is neither a failure nor a request to try again.
func TestStands(t *testing.T) {
	for body, want := range map[string]bool{
		`{"id": "prod_1"}`: true, `{"code": "invalid"}`: true, `{"code": "idempotency_in_progress"}`: false,
		`{"errors": [{"extensions": {"code": "unavailable"}}]}`: false,
	} {
		if got := stands(200, []byte(body)); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	for _, status := range []int{0, 429, 500, 503} {
		if stands(status, nil) {
			t.Errorf("%d stands", status)
		}
	}
}

// A report says what was not possible.
func TestReport(t *testing.T) {
	l := clean()
	l.Faults, l.Undone = []Fault{{Kind: Pause}}, map[Kind]string{DiskFull: "mount: not permitted"}
	var out bytes.Buffer
	report(&out, l, judge(l), time.Second)
	for _, part := range []string{"1 × a process stopped", "skipped: disk full: mount: not permitted", "passed"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the report lacks %q:\n%s", part, out.String())
		}
	}
}
