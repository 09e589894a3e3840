package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// End is the kind of an attempt's end.
type End uint8

// The ends.
const (
	Delivered End = iota // the receiver took it
	Failed               // it did not
	Void                 // the delivery ends without the receiver
	Unsent               // nothing was sent, and nobody is to blame
	Severed              // it was sent, and the sender ended it before the answer
)

// Result is how an attempt ended.
type Result struct {
	End        End
	Began      micros.Time
	RetryAfter time.Duration // what the receiver asks for
}

// Verdict is what an attempt's end means for its delivery.
type Verdict uint8

// The verdicts.
const (
	Done      Verdict = iota // delivered
	Cancelled                // it ends without success, and without blame
	Retry                    // another attempt is due
	Exhausted                // the last attempt failed
	Noted                    // it changes nothing, and stands in the log
)

// Outcome is what is written down of an attempt. It holds what was true when the
// attempt ended; the item may have moved on.
type Outcome struct {
	Queue   *Queue
	Item    *Item
	At      micros.Time
	Verdict Verdict
	lane    *lane

	// Recovered: the endpoint had failed before. Healed: what fails of it is less now.
	// Over: its people were warned of what is over.
	Recovered, Healed, Over bool
	// Health is the queue's.
	Health Health
	// Attempts is the number that the attempt was sent with; where none was, how many
	// there were. The others are the delivery's counters, of a failure.
	Attempts, Tries int
	First, Due      micros.Time
}

// Complete takes the result of a job: it decides at once what the lane does next.
// The outcome is written down and handed to [Machine.Settled]; false when there is
// none.
func (m *Machine) Complete(j Job, r Result, at time.Time) (o Outcome, ok bool) {
	q, l, now := j.Queue, j.lane, micros.Of(at)
	m.land(j, at)
	switch {
	case q.state == Retired && q.inflight == 0:
		m.effects.Dropped = append(m.effects.Dropped, q)
	case q.held() && at.Sub(q.renewed) >= m.LoseAfter:
		m.Lose(q)
	}
	if q.state == Lost { // another one may have the queue, and sends this delivery again
		if r.End == Unsent || r.End == Void {
			return Outcome{}, false
		}
		return m.note(j, now), true
	}
	l.busy = false
	if j.Item.Tries == 0 && q.row.Probe == micros.Never {
		q.row.Probe = now // whatever came of it, it was the one
	}
	switch r.End {
	case Unsent, Severed:
		q.block(l, now.Add(time.Second))
		m.alarm(q, l, l.due)
		if r.End == Severed {
			o, ok = m.note(j, now), true
			j.Item.Attempts++ // the next one is another
		}
	default:
		if r.End == Delivered {
			q.answered(at.Sub(j.began), m.Window)
			m.limit = min(m.limit+1, m.Slots)
		}
		o, ok = m.judge(j, r, now), true
		q.unsettled++
		m.unsettled++
	}
	m.goOn(q, at)
	return o, ok
}

// note is the outcome of an attempt that was sent and changes nothing.
func (m *Machine) note(j Job, now micros.Time) Outcome {
	j.Queue.unsettled++
	m.unsettled++
	return Outcome{Queue: j.Queue, Item: j.Item, lane: j.lane, At: now, Verdict: Noted, Attempts: j.Item.Attempts + 1}
}

// judge decides what an attempt's end means for its delivery.
func (m *Machine) judge(j Job, r Result, now micros.Time) Outcome {
	o := Outcome{Queue: j.Queue, Item: j.Item, lane: j.lane, At: now, Attempts: j.Item.Attempts}
	switch r.End {
	case Delivered:
		o.Attempts++
		o.Verdict = Done
		m.delivered(&o)
	case Failed:
		m.failed(&o, r)
	default:
		o.Verdict = Cancelled
		o.Queue.pop(o.lane)
		o.Queue.line(o.lane)
		o.Queue.assess(&o)
	}
	return o
}

// delivered frees the lane's next delivery, and the endpoint's pace.
func (m *Machine) delivered(o *Outcome) {
	q := o.Queue
	q.pop(o.lane)
	q.line(o.lane)
	o.Recovered = q.row.Streak > 0
	q.row.Streak, q.row.Probe = 0, 0
	q.assess(o)
}

// failed decides when the delivery is tried again, or that it was the last time.
func (m *Machine) failed(o *Outcome, r Result) {
	q, it := o.Queue, o.Item
	if it.Tries == 0 {
		it.First = r.Began
		q.row.Streak++
	}
	it.Attempts++
	it.Tries++
	q.window = 1
	q.fails(it)
	due, again := after(it.Tries, it.First, o.At, r.RetryAfter, m.Chance())
	if again {
		o.Verdict = Retry
		m.postpone(q, o.lane, due)
	} else {
		o.Verdict = Exhausted
		o.lane.busy = true // nothing of the lane goes on before this is written down
	}
	if q.row.Streak >= gateAt && it.Tries == 1 {
		q.row.Probe = o.At.Add(wait(q.row.Streak-gateAt+1, m.Chance()))
		m.alarm(q, nil, q.row.Probe)
	}
	o.Tries, o.Attempts, o.First, o.Due = it.Tries, it.Attempts, it.First, due
	o.Health = q.row.Health
}

// postpone makes a lane wait for the next try of its head.
func (m *Machine) postpone(q *Queue, l *lane, due micros.Time) {
	it := l.items[0]
	if len(it.Body) > keepBody {
		q.weigh(-len(it.Body))
		it.Body = nil
	}
	it.Due = due
	q.block(l, due)
	m.alarm(q, l, due)
}

// Numbered takes the number that the log has of an attempt, where others of its delivery
// were noted that are not this process's: the next one is sent with a higher one.
func (m *Machine) Numbered(o *Outcome, number int) {
	o.Item.Attempts = max(o.Item.Attempts, number)
}

// Settled takes an outcome that was written down, or of which nothing is to be.
func (m *Machine) Settled(o *Outcome, at time.Time) {
	o.Queue.unsettled--
	m.unsettled--
	m.unpark(at)
	m.goOn(o.Queue, at)
}

// GaveUp lets the lane go on whose delivery was given up, or retires its queue when
// the endpoint was suspended for it.
func (m *Machine) GaveUp(o *Outcome, suspended bool) {
	q, l := o.Queue, o.lane
	switch {
	case suspended:
		m.Retire(q)
	case q.state != Lost && q.lanes[l.resource] == l && len(l.items) > 0 && l.items[0] == o.Item:
		l.busy = false
		q.pop(l)
		q.line(l)
	}
}

// goOn does what has become possible.
func (m *Machine) goOn(q *Queue, at time.Time) {
	m.refresh(q, at)
	m.offer(q, at)
	if q.hungry(micros.Of(at)) {
		m.effects.Load = true
	}
}
