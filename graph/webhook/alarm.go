package webhook

import (
	"container/heap"
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// alarm is a time at which a lane, or without one the queue, may go on.
type alarm struct {
	at   micros.Time
	q    *queue
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

// alarm sets one. The lock is held.
func (d *dispatcher) alarm(q *queue, l *lane, at micros.Time) {
	heap.Push(&d.alarms, alarm{at, q, l})
	if d.alarms[0].at == at {
		wake(d.toAlarm)
	}
}

// ringing lets go on what has waited long enough, whenever an alarm is due.
func (d *dispatcher) ringing(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(d.ringDue())
		select {
		case <-ctx.Done():
			return
		case <-d.toAlarm:
		case <-timer.C:
		}
	}
}

// ringDue handles the alarms that are due and returns the time to the next.
func (d *dispatcher) ringDue() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := micros.Now()
	for len(d.alarms) > 0 {
		next := d.alarms[0]
		if left := next.at - now; left > 0 {
			return time.Duration(left) * time.Microsecond
		}
		heap.Pop(&d.alarms)
		q, l := next.q, next.lane
		if q.lost || l != nil && l.due != next.at {
			continue // it was let go on, or waits for longer
		}
		if l != nil {
			q.unblock(l)
		}
		d.offer(q)
	}
	return time.Hour
}
