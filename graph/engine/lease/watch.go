package lease

import "time"

// Watch finds rows that no process has changed for a time, by the monotonic clock. Where the clock
// of a row was put back, the row may seem to be leased for long, but a live owner changes it with
// every renewal. K identifies a row, and V is what a renewal changes. The zero Watch is ready for
// use; it is not safe for concurrent use.
type Watch[K, V comparable] struct{ seen map[K]sighting[V] }

// sighting is the state of a row, and since when it has been so.
type sighting[V comparable] struct {
	row   V
	since time.Time
}

// Unchanged takes the rows that are suspect now, and returns those that have not changed for d. It
// forgets all other rows.
func (w *Watch[K, V]) Unchanged(rows map[K]V, d time.Duration) (still []K) {
	before, now := w.seen, time.Now()
	w.seen = make(map[K]sighting[V], len(rows))
	for k, row := range rows {
		s, ok := before[k]
		if !ok || s.row != row {
			s = sighting[V]{row, now}
		}
		w.seen[k] = s
		if now.Sub(s.since) >= d {
			still = append(still, k)
		}
	}
	return still
}

// Len returns the number of watched rows.
func (w *Watch[K, V]) Len() int { return len(w.seen) }
