package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Job is one attempt to make.
type Job struct {
	Queue *Queue
	Item  *Item
	lane  *lane
	probe bool // the endpoint failed when the job was taken
}

// offer gives a queue a turn when it has something to send.
func (m *Machine) offer(q *Queue, now micros.Time) {
	if q.inTurn || q.head(now) == nil {
		return
	}
	q.inTurn = true
	m.turns = append(m.turns, q)
	m.effects.Workers++
}

// Next takes the next job, by deficit round robin over the queues: each may send
// a quantum of bytes in its turn. What is taken is handed to [Machine.Complete].
func (m *Machine) Next(at time.Time) (Job, bool) {
	now := micros.Of(at)
	for len(m.turns) > 0 && m.inflight < MaxInflight && !m.paused {
		q := m.turns[0]
		l := q.head(now)
		if l == nil || at.Sub(q.renewed) >= m.SendWithin || q.row.Streak > 0 && m.probing >= MaxInflight/2 {
			q.inTurn, q.deficit = false, 0
			m.turns = m.turns[1:]
			continue
		}
		if q.deficit <= 0 {
			q.deficit += quantum
			m.turns = append(m.turns[1:], q)
			continue
		}
		return m.start(q, l), true
	}
	return Job{}, false
}

// start takes the head of a lane.
func (m *Machine) start(q *Queue, l *lane) Job {
	j := Job{Queue: q, Item: q.take(l), lane: l, probe: q.row.Streak > 0}
	q.deficit -= overhead + len(j.Item.Body)
	m.inflight++
	if j.probe {
		m.probing++
	}
	if j.Item.Tries == 0 && q.row.Streak >= gateAt {
		q.row.Probe = micros.Never // until this one's outcome
	}
	m.effects.Workers++ // whoever is behind it in turn
	return j
}
