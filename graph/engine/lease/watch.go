package lease

import "time"

// Watch tells what nobody has touched for a time, by a clock that nobody sets: where
// the clock of a row was put back, the row may say that it is leased for long, but
// its owner, if it lives, changes it with every renewal. K names a row, and V is what
// a renewal changes. The zero Watch is ready; it is not safe for concurrent use.
type Watch[K, V comparable] struct{ seen map[K]sight[V] }

// sight is what a row was like, and since when.
type sight[V comparable] struct {
	row   V
	since time.Time
}

// Still takes the rows that are in question now, and returns those that have been as
// they are for d. The others of before are forgotten.
func (w *Watch[K, V]) Still(rows map[K]V, d time.Duration) (still []K) {
	before, now := w.seen, time.Now()
	w.seen = make(map[K]sight[V], len(rows))
	for k, row := range rows {
		s, ok := before[k]
		if !ok || s.row != row {
			s = sight[V]{row, now}
		}
		w.seen[k] = s
		if now.Sub(s.since) >= d {
			still = append(still, k)
		}
	}
	return still
}

// Len returns how many rows are watched.
func (w *Watch[K, V]) Len() int { return len(w.seen) }
