package schedule

import (
	"container/heap"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// alarm is a time at which a lane, or without one the queue, may go on.
type alarm struct {
	at   micros.Time
	q    *Queue
	lane *lane
}

// alarms is a heap, the next one first.
type alarms []alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *alarms) Push(x any) { *a = append(*a, x.(alarm)) }

// Pop implements heap.Interface.
func (a *alarms) Pop() any {
	last := (*a)[len(*a)-1]
	(*a)[len(*a)-1] = alarm{}
	*a = (*a)[:len(*a)-1]
	return last
}

// alarm sets one.
func (m *Machine) alarm(q *Queue, l *lane, at micros.Time) {
	heap.Push(&m.alarms, alarm{at, q, l})
	if m.alarms[0].at == at {
		m.effects.Alarm = true
	}
}

// Tick lets go on what has waited long enough, and returns the time to the next
// alarm, up to an hour.
func (m *Machine) Tick(at time.Time) time.Duration {
	now := micros.Of(at)
	for len(m.alarms) > 0 {
		next := m.alarms[0]
		if left := next.at - now; left > 0 {
			return min(time.Duration(left)*time.Microsecond, time.Hour)
		}
		heap.Pop(&m.alarms)
		q, l := next.q, next.lane
		if !q.held() || l != nil && l.due != next.at {
			continue // it was let go on, or waits for longer
		}
		if l != nil {
			q.unblock(l)
		}
		m.goOn(q, at)
	}
	return time.Hour
}
