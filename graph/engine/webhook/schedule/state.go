package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// State is the state of a queue.
type State uint8

// The states.
const (
	// Active: its rows are read ahead and its deliveries sent.
	Active State = iota
	// Stale: a person changed something. Nothing starts; once no work is under way, the items in
	// memory are dropped and the rows read again.
	Stale
	// Releasing: it has nothing to send and is being released. Nothing starts.
	Releasing
	// Retired: a person took its endpoint out of service. Nothing starts; attempts in flight end by
	// themselves and are saved.
	Retired
	// Lost: the lease was lost or released. Attempts in flight are ended, and those that were sent
	// are logged.
	Lost
)

var states = [...]string{"active", "stale", "releasing", "retired", "lost"}

// String returns the name of the state.
func (s State) String() string { return states[s] }

// transitions are the states that may follow each state.
var transitions = [...][]State{
	Active:    {Stale, Releasing, Retired, Lost},
	Stale:     {Active, Releasing, Retired, Lost},
	Releasing: {Active, Retired, Lost},
	Retired:   nil,
	Lost:      nil,
}

// move changes the state and returns true, if the transition is allowed.
func (q *Queue) move(to State) bool {
	if !slices.Contains(transitions[q.state], to) {
		return false
	}
	q.state = to
	return true
}

func (q *Queue) held() bool { return q.state < Retired }

// Lose drops a queue whose lease another process has or may have.
func (m *Machine) Lose(q *Queue) {
	if m.drop(q) {
		m.effects.Lost++
	}
}

// drop ends a queue that this process no longer holds.
func (m *Machine) drop(q *Queue) bool {
	if !m.leave(q, Lost) {
		return false
	}
	m.effects.Dropped = append(m.effects.Dropped, q)
	return true
}

// Retire stops sending from a queue whose endpoint a person took out of service.
func (m *Machine) Retire(q *Queue) {
	if m.leave(q, Retired) && q.inflight == 0 {
		m.effects.Dropped = append(m.effects.Dropped, q)
	}
}

// leave removes a queue from those that the process holds. It returns false if it is not held.
func (m *Machine) leave(q *Queue, to State) bool {
	if !q.held() {
		return false
	}
	q.addBytes(-q.bytes)
	q.move(to)
	if m.queues[q.Key] != q {
		return true
	}
	delete(m.queues, q.Key)
	m.effects.Lease = true
	if q.store.queues--; q.store.queues == 0 {
		delete(m.stores, q.Store)
	}
	return true
}

// refresh clears a stale queue once no work on it is under way.
func (m *Machine) refresh(q *Queue, at time.Time) {
	if q.state != Stale || q.busy() {
		return
	}
	q.move(Active)
	q.clear()
	if q.row.Resumed > micros.Of(at) {
		q.row.Health = Health{} // paused: attempts that were under way then do not count
	}
	m.setAlarms(q, at)
	m.effects.Load = true
}
