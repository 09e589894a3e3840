package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// End is how an attempt ended.
type End uint8

// The ends.
const (
	Delivered   End = iota // the receiver accepted it
	Failed                 // the receiver did not accept it
	Void                   // the delivery ends without the receiver
	Unsent                 // nothing was sent, through no fault of the receiver
	Interrupted            // it was sent, and the sender stopped waiting for the answer
)

// Result is the result of an attempt.
type Result struct {
	End        End
	Began      micros.Time
	RetryAfter time.Duration // requested by the receiver
}

// Verdict is what an attempt's end means for its delivery.
type Verdict uint8

// The verdicts.
const (
	Done      Verdict = iota // delivered
	Cancelled                // it ends without success and does not count as a failure
	Retry                    // another attempt is due
	Exhausted                // the last attempt failed
	Noted                    // it changes nothing and is logged
)

// Outcome is what is saved of an attempt. It holds the state when the attempt ended; the item may
// have changed since.
type Outcome struct {
	Queue   *Queue
	Item    *Item
	At      micros.Time
	Verdict Verdict
	lane    *lane

	// Recovered: the endpoint was failing before. Healed: the oldest failing delivery is another
	// one, or none. Over: people were warned, and nothing fails any more.
	Recovered, Healed, Over bool
	// Health is the queue's health.
	Health Health
	// Attempts is the number that the attempt was sent with, or if nothing was sent, the count so
	// far. The others are the delivery's counters after a failure.
	Attempts, Tries int
	First, Due      micros.Time
}

// Complete takes the result of a job and decides at once what the lane does next. The caller saves
// the outcome and passes it to [Machine.Settled]; ok is false if there is none.
func (m *Machine) Complete(j Job, r Result, at time.Time) (o Outcome, ok bool) {
	q, l, now := j.Queue, j.lane, micros.Of(at)
	m.finish(j, at)
	switch {
	case q.state == Retired && q.inflight == 0:
		m.effects.Dropped = append(m.effects.Dropped, q)
	case q.held() && at.Sub(q.renewed) >= m.LoseAfter:
		m.Lose(q)
	}
	if q.state == Lost { // another process may have the queue, and sends this delivery again
		if r.End == Unsent || r.End == Void {
			return Outcome{}, false
		}
		return m.note(j, now), true
	}
	l.busy = false
	if j.Item.Tries == 0 && q.row.Probe == micros.Max {
		q.row.Probe = now // this was the probe, whatever its result
	}
	switch r.End {
	case Unsent, Interrupted:
		q.block(l, now.Add(time.Second))
		m.alarm(q, l, l.due)
		if r.End == Interrupted {
			o, ok = m.note(j, now), true
			j.Item.Attempts++ // the next attempt needs another number
		}
	default:
		if r.End == Delivered {
			q.noteAnswer(at.Sub(j.began), m.Window)
			m.limit = min(m.limit+1, m.Slots)
		}
		o, ok = m.judge(j, r, now), true
		q.unsettled++
		m.unsettled++
	}
	m.resume(q, at)
	return o, ok
}

// note returns the outcome of an attempt that was sent and changes nothing.
func (m *Machine) note(j Job, now micros.Time) Outcome {
	j.Queue.unsettled++
	m.unsettled++
	return Outcome{Queue: j.Queue, Item: j.Item, lane: j.lane, At: now, Verdict: Noted, Attempts: j.Item.Attempts + 1}
}

// judge decides what an attempt's end means for its delivery.
func (m *Machine) judge(j Job, r Result, now micros.Time) Outcome {
	q := j.Queue
	o := Outcome{Queue: q, Item: j.Item, lane: j.lane, At: now, Attempts: j.Item.Attempts}
	switch r.End {
	case Delivered:
		o.Attempts++
		o.Verdict = Done
		q.pop(o.lane)
		q.enqueue(o.lane)
		o.Recovered = q.row.Streak > 0
		q.row.Streak, q.row.Probe = 0, 0
		q.updateHealth(&o)
	case Failed:
		m.failed(&o, r)
	default:
		o.Verdict = Cancelled
		q.pop(o.lane)
		q.enqueue(o.lane)
		q.updateHealth(&o)
	}
	return o
}

// failed decides when the delivery is tried again, or that this was its last attempt.
func (m *Machine) failed(o *Outcome, r Result) {
	q, it := o.Queue, o.Item
	if it.Tries == 0 {
		it.First = r.Began
		q.row.Streak++
	}
	it.Attempts++
	it.Tries++
	q.window = 1
	q.failing[it.Sequence] = it.First
	if q.row.FailingSince == nil {
		q.row.FailingSince = new(it.First)
	}
	q.row.FailedThrough = max(q.row.FailedThrough, it.Sequence)
	due, again := after(it.Tries, it.First, o.At, r.RetryAfter, m.Chance())
	if again {
		o.Verdict = Retry
		m.postpone(q, o.lane, due)
	} else {
		o.Verdict = Exhausted
		o.lane.busy = true // the lane waits until this is saved
	}
	if q.row.Streak >= gateAt && it.Tries == 1 {
		q.row.Probe = o.At.Add(wait(q.row.Streak-gateAt+1, m.Chance()))
		m.alarm(q, nil, q.row.Probe)
	}
	o.Tries, o.Attempts, o.First, o.Due = it.Tries, it.Attempts, it.First, due
	o.Health = q.row.Health
}

func (m *Machine) postpone(q *Queue, l *lane, due micros.Time) {
	it := l.items[0]
	if len(it.Body) > keepBody {
		q.addBytes(-len(it.Body))
		it.Body = nil
	}
	it.Due = due
	q.block(l, due)
	m.alarm(q, l, due)
}

// SetAttempts takes the number that the log gave an attempt because other processes had logged
// attempts of its delivery. The next attempt is sent with a higher one.
func (m *Machine) SetAttempts(o *Outcome, number int) {
	o.Item.Attempts = max(o.Item.Attempts, number)
}

// Settled takes an outcome that was saved, or that needs no saving.
func (m *Machine) Settled(o *Outcome, at time.Time) {
	o.Queue.unsettled--
	m.unsettled--
	m.unpark(at)
	m.resume(o.Queue, at)
}

// GaveUp resumes the lane of a delivery that was given up, or retires its queue if the endpoint was
// suspended for it.
func (m *Machine) GaveUp(o *Outcome, suspended bool) {
	q, l := o.Queue, o.lane
	switch {
	case suspended:
		m.Retire(q)
	case q.state != Lost && q.lanes[l.resource] == l && len(l.items) > 0 && l.items[0] == o.Item:
		l.busy = false
		q.pop(l)
		q.enqueue(l)
	}
}

// resume does what a change of the queue has made possible: refresh, offer, load.
func (m *Machine) resume(q *Queue, at time.Time) {
	m.refresh(q, at)
	m.offer(q, at)
	if q.needsRows(micros.Of(at)) {
		m.effects.Load = true
	}
}
