package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

const (
	// slowAfter is the time to an answer from which on a receiver is slow.
	slowAfter = 250 * time.Millisecond
	// maxQueued is how many attempts of a queue may wait for each other, wherever that is.
	maxQueued = 8
	// forgetTime is about how long the fastest answer counts, so that a receiver that moved far
	// away is not taken for an overloaded one.
	forgetTime = 30 * time.Second
)

// pace limits how many attempts of a queue may be in flight by how its receiver answers. Each
// success adds one, up to the maximum; a failure resets the window to one. By Little's law, a
// fraction fastest/latency of the attempts in flight is being answered, and the rest wait in the
// receiver, on the way or in this process. If more than [maxQueued] wait, the window shrinks by
// one; after a very late answer it shrinks by a quarter.
type pace struct {
	window  int
	latency time.Duration // smoothed, of successful attempts
	fastest time.Duration
	known   bool        // an attempt was delivered under this lease
	began   []time.Time // start of the attempts in flight, the oldest first
	spent   micros.Time // GCRA: when as many as in a second may begin at once
}

// spend counts an attempt that begins against the rate per second, by the generic cell rate
// algorithm (ITU-T I.371).
func (p *pace) spend(rate int, now micros.Time) {
	p.spent = max(p.spent, now) + second/micros.Time(rate)
}

const second = micros.Time(1e6)

// blockedUntil returns until when a pause or the rate limit blocks attempts. If it is not after
// now, an attempt may begin.
func (q *Queue) blockedUntil() micros.Time {
	until := q.row.Paused
	if q.row.Rate > 0 {
		until = max(until, q.spent+second/micros.Time(q.row.Rate)-second)
	}
	return until
}

// noteAnswer records a successful attempt and adapts the window.
func (p *pace) noteAnswer(took time.Duration, most int) {
	if !p.known {
		p.known, p.latency, p.fastest = true, took, took
	}
	p.latency += (took - p.latency) / 8
	// This is the time per answer while a whole window is in flight.
	passed := took.Seconds() / float64(p.window)
	p.fastest += time.Duration(float64(p.latency-p.fastest) * min(passed/forgetTime.Seconds(), 1))
	p.fastest = min(p.fastest, took)
	switch queued := time.Duration(p.window) * (p.latency - p.fastest); {
	case took > 2*p.fastest+slowAfter:
		p.window = max(p.window*3/4, 1)
	case queued > maxQueued*p.latency:
		p.window--
	default:
		p.window = min(p.window+1, most)
	}
}

func (p *pace) slow(at time.Time) bool {
	return p.latency >= slowAfter || len(p.began) > 0 && at.Sub(p.began[0]) >= slowAfter
}
