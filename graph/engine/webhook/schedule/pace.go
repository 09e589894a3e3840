package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

const (
	// slowAfter is the time to an answer from which on a receiver is slow.
	slowAfter = 250 * time.Millisecond
	// maxQueued is how many attempts of a queue may wait for each other somewhere.
	maxQueued = 8
	// forgetTime is about how long the fastest answer counts: a receiver that moved far
	// away is none under load.
	forgetTime = 30 * time.Second
)

// pace is how many attempts of a queue may be in flight, by what its receiver does:
// each that is delivered adds one, up to the most there may be, and a failure leaves
// one. By Little's law, of so many in flight as many are being answered as the fastest
// answer is shorter than the usual one; the rest wait, at the receiver, on the way or in
// this process. More of these than [maxQueued] are of no use, and one less is in flight;
// a quarter less where an answer comes very late.
type pace struct {
	window  int
	latency time.Duration // smoothed, of attempts that were delivered
	fastest time.Duration
	known   bool        // some attempt was delivered under this lease
	began   []time.Time // of the attempts in flight, the oldest first
	spent   micros.Time // when the rate allows as many at once as it does in a second
}

// spend counts an attempt that begins against its rate in a second, by the generic
// cell rate algorithm (ITU-T I.371).
func (p *pace) spend(rate int, now micros.Time) {
	p.spent = max(p.spent, now) + second/micros.Time(rate)
}

const second = micros.Time(1e6)

// rests returns until when nothing may be sent, be it for a pause or for the rate: a
// time that is not after now says that something may.
func (q *Queue) rests() micros.Time {
	until := q.row.Paused
	if q.row.Rate > 0 {
		until = max(until, q.spent+second/micros.Time(q.row.Rate)-second)
	}
	return until
}

// answered notes an attempt that was delivered.
func (p *pace) answered(took time.Duration, most int) {
	if !p.known {
		p.known, p.latency, p.fastest = true, took, took
	}
	p.latency += (took - p.latency) / 8
	// So many answers come in the time of one.
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

// slow reports whether answers are slow, or one is late by now.
func (p *pace) slow(at time.Time) bool {
	return p.latency >= slowAfter || len(p.began) > 0 && at.Sub(p.began[0]) >= slowAfter
}
