package hook_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

func has(t *testing.T, s hook.Seen, id string) bool {
	t.Helper()
	known, err := s.Has(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func mark(t *testing.T, s hook.Seen, id string) {
	t.Helper()
	if err := s.Mark(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryForgetsTheOldest(t *testing.T) {
	m := hook.NewMemory(3, time.Hour)
	for i := range 4 {
		mark(t, m, strconv.Itoa(i))
	}
	mark(t, m, "1") // again: now the youngest
	mark(t, m, "4")
	for id, want := range map[string]bool{"0": false, "1": true, "2": false, "3": true, "4": true, "5": false} {
		if got := has(t, m, id); got != want {
			t.Errorf("%s: %t, want %t", id, got, want)
		}
	}
}

func TestMemoryForgetsInTime(t *testing.T) {
	for keep, d := range map[time.Duration]time.Duration{0: 48 * time.Hour, time.Hour: time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			m := hook.NewMemory(0, keep)
			mark(t, m, "a")
			time.Sleep(d - time.Nanosecond)
			if !has(t, m, "a") {
				t.Errorf("forgotten before %v", d)
			}
			time.Sleep(time.Nanosecond)
			if has(t, m, "a") {
				t.Errorf("still known after %v", d)
			}
			mark(t, m, "b")
			if has(t, m, "a") || !has(t, m, "b") {
				t.Error("the old one came back, or the new one is not there")
			}
		})
	}
}

func TestLatest(t *testing.T) {
	at := time.Date(2026, 3, 5, 9, 30, 0, 0, time.UTC)
	of := func(id string, sequence int64) hook.Event {
		return hook.Event{Resource: hook.Resource{ID: id}, Sequence: sequence,
			OccurredAt: at.Add(time.Duration(sequence) * time.Second)}
	}
	l := hook.NewLatest(2)
	l.Keep(of("ord_1", 2))
	l.Keep(of("ord_2", 1))
	for _, tc := range []struct {
		id       string
		sequence int64
		want     bool
	}{{"ord_1", 1, false}, {"ord_1", 2, false}, {"ord_1", 3, true}, {"ord_2", 2, true}, {"ord_3", 1, true}} {
		if got := l.Newer(of(tc.id, tc.sequence)); got != tc.want {
			t.Errorf("%s, %d: %t, want %t", tc.id, tc.sequence, got, tc.want)
		}
	}
	if l.Keep(of("ord_1", 1)); l.Newer(of("ord_1", 2)) {
		t.Error("an older event took the place of a newer one")
	}
	if l.Keep(of("ord_3", 1)); !l.Newer(of("ord_2", 1)) {
		t.Error("the resource untouched longest was not forgotten")
	}
	if hook.NewLatest(0).Keep(of("ord_1", 1)); l.Newer(of("ord_1", 2)) {
		t.Error("a resource touched lately was forgotten")
	}
}
