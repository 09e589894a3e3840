package webhook

import (
	"sync"

	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// lockedMachine is the schedule of this process behind a lock. The lock also guards what others
// keep about its queues, and is passed on as a [schedule.Machine]: whoever has one holds the lock.
// Nothing waits while it is held.
type lockedMachine struct {
	mu       sync.Mutex
	schedule *schedule.Machine
	apply    func(*schedule.Machine) // applies the effects of the schedule
}

// lock acquires the lock and returns the schedule, for use until [lockedMachine.unlock].
func (l *lockedMachine) lock() *schedule.Machine {
	l.mu.Lock()
	return l.schedule
}

// unlock applies the effects of the schedule and releases the lock.
func (l *lockedMachine) unlock() {
	l.apply(l.schedule)
	l.mu.Unlock()
}

// stillActive reports whether a queue is this process's and its endpoint unchanged since its row
// was read.
func (l *lockedMachine) stillActive(q *schedule.Queue) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return q.State() == schedule.Active
}
