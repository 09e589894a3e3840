package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Health is the record of an endpoint's failures.
type Health struct {
	FailingSince  *micros.Time // the first attempt of the delivery that has failed longest
	FailedThrough int64        // the last sequence that ever failed
	Warned        int          // how many levels of [WarnAfter] people were warned of
	Streak        int          // deliveries whose first attempts failed since the last success
	Probe         micros.Time  // when the next new delivery is tried, if the streak is long
}

// LongestProbe returns the longest wait of a failing endpoint before its next new delivery is
// tried.
func (h Health) LongestProbe() time.Duration { return wait(max(h.Streak-gateAt+1, 1), 1) }

// WarnAfter are the ages of an incident at which people are warned.
var WarnAfter = [...]time.Duration{time.Hour, 6 * time.Hour, 12 * time.Hour}

// oldest returns the first attempt of the delivery that has failed longest. It returns nil if no
// delivery in memory fails and none in the database may.
func (q *Queue) oldest() *micros.Time {
	if len(q.failing) == 0 {
		if q.next <= q.row.FailedThrough && q.next <= q.row.Last {
			return q.row.FailingSince
		}
		return nil
	}
	since := micros.Max
	for _, first := range q.failing {
		since = min(since, first)
	}
	return &since
}

// updateHealth recomputes since when the endpoint fails after a delivery has ended.
func (q *Queue) updateHealth(o *Outcome) {
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

// recovered reports whether FailingSince is set although all deliveries were read and none of them
// has failed.
func (q *Queue) recovered() bool {
	return q.state == Active && !q.busy() && q.row.FailingSince != nil && len(q.failing) == 0 && q.next > q.row.Last
}

func (q *Queue) nextWarning() micros.Time {
	if q.row.FailingSince == nil || q.row.Warned >= len(WarnAfter) {
		return micros.Max
	}
	return q.row.FailingSince.Add(WarnAfter[q.row.Warned])
}

// Warning is a due warning: people have been warned at Before levels of [WarnAfter], and Level is
// the new number.
type Warning struct {
	Queue         *Queue
	Before, Level int
}

// Warnings returns the due warnings, and the queues without failing deliveries that have had no
// success: a person skipped the failing ones.
func (m *Machine) Warnings(at time.Time) (due []Warning, recovered []*Queue) {
	now := micros.Of(at)
	for _, q := range m.queues {
		switch {
		case q.state == Releasing:
		case q.recovered():
			recovered = append(recovered, q)
		case q.nextWarning() <= now:
			w := Warning{q, q.row.Warned, q.row.Warned}
			for w.Level < len(WarnAfter) && q.row.FailingSince.Add(WarnAfter[w.Level]) <= now {
				w.Level++
			}
			due = append(due, w)
		}
	}
	return due, recovered
}

// Warned records that people were warned.
func (m *Machine) Warned(w Warning) { w.Queue.row.Warned = w.Level }

// ClearFailing records that an endpoint no longer fails.
func (m *Machine) ClearFailing(q *Queue) {
	if q.recovered() {
		q.row.FailingSince, q.row.Warned = nil, 0
	}
}
