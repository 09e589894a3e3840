package schedule

import (
	"container/heap"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// alarm is the time at which a lane, or the queue if lane is nil, may go on.
type alarm struct {
	at   micros.Time
	q    *Queue
	lane *lane
}

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

func (m *Machine) alarm(q *Queue, l *lane, at micros.Time) {
	heap.Push(&m.alarms, alarm{at, q, l})
	if m.alarms[0].at == at {
		m.effects.Alarm = true
	}
}

// Tick resumes the lanes and queues whose alarms are due, and returns the time to the next alarm,
// up to an hour.
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
			continue // it went on earlier, or has a later alarm
		}
		if l != nil {
			q.unblock(l)
		}
		m.resume(q, at)
	}
	return time.Hour
}
