package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Health is how an endpoint does.
type Health struct {
	FailingSince  *micros.Time // the first attempt of what has failed longest
	FailedThrough int64        // the last sequence that ever failed
	Warned        int          // how many of [WarnAfter] people were warned of
	Streak        int          // deliveries whose first attempts failed since one was taken
	Probe         micros.Time  // when the next new delivery is tried, where the streak is long
}

// WarnAfter are the ages of an incident at which the store's people are warned.
var WarnAfter = [...]time.Duration{time.Hour, 6 * time.Hour, 12 * time.Hour}

// fails notes that a delivery fails.
func (q *Queue) fails(it *Item) {
	q.failing[it.Sequence] = it.First
	if q.row.FailingSince == nil {
		q.row.FailingSince = new(it.First)
	}
	q.row.FailedThrough = max(q.row.FailedThrough, it.Sequence)
}

// oldest returns the first attempt of the delivery that has failed longest, or
// nil when none fails and none that did is left in the database.
func (q *Queue) oldest() *micros.Time {
	if len(q.failing) == 0 {
		if q.next <= q.row.FailedThrough && q.next <= q.row.Last {
			return q.row.FailingSince
		}
		return nil
	}
	since := micros.Never
	for _, first := range q.failing {
		since = min(since, first)
	}
	return &since
}

// assess notes what still fails, now that a delivery has ended.
func (q *Queue) assess(o *Outcome) {
	h := &q.row.Health
	if since := q.oldest(); h.FailingSince != nil && (since == nil || *since != *h.FailingSince) {
		o.Healed = true
		if since == nil {
			o.Over, h.Warned = h.Warned > 0 && o.Verdict == Done, 0
		}
		h.FailingSince = since
	}
	o.Health = *h
}

// sound reports whether the endpoint is said to fail, while everything there is
// was read and none of it has failed.
func (q *Queue) sound() bool {
	return q.state == Active && !q.busy() && q.row.FailingSince != nil && len(q.failing) == 0 && q.next > q.row.Last
}

// nextWarning returns when the people of the store are warned next.
func (q *Queue) nextWarning() micros.Time {
	if q.row.FailingSince == nil || q.row.Warned >= len(WarnAfter) {
		return micros.Never
	}
	return q.row.FailingSince.Add(WarnAfter[q.row.Warned])
}

// Warning is one that is due: people were warned of Before levels of
// [WarnAfter], and are now of Level.
type Warning struct {
	Queue         *Queue
	Before, Level int
}

// Warnings returns the warnings that are due, and the queues of which nothing fails
// any more though they took no delivery: a person skipped what failed.
func (m *Machine) Warnings(at time.Time) (due []Warning, sound []*Queue) {
	now := micros.Of(at)
	for _, q := range m.queues {
		switch {
		case q.state == Releasing:
		case q.sound():
			sound = append(sound, q)
		case q.nextWarning() <= now:
			w := Warning{q, q.row.Warned, q.row.Warned}
			for w.Level < len(WarnAfter) && q.row.FailingSince.Add(WarnAfter[w.Level]) <= now {
				w.Level++
			}
			due = append(due, w)
		}
	}
	return due, sound
}

// Warned notes that people were warned.
func (m *Machine) Warned(w Warning) { w.Queue.row.Warned = w.Level }

// ClearFailing notes that an endpoint is not said to fail any more.
func (m *Machine) ClearFailing(q *Queue) {
	if q.sound() {
		q.row.FailingSince, q.row.Warned = nil, 0
	}
}
