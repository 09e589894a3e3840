package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// State is where a queue stands in its life.
type State uint8

// The states.
const (
	// Active: its rows are read ahead and its deliveries sent.
	Active State = iota
	// Stale: a person changed something. Nothing starts; once nothing is under way,
	// what is in memory is dropped, and the rows are read anew.
	Stale
	// Releasing: it has nothing to send and is being given back. Nothing starts.
	Releasing
	// Retired: a person took its endpoint out of service. Nothing starts, and what is
	// in flight ends by itself and is written down.
	Retired
	// Lost: the lease is gone, or was given back. Attempts in flight end, and those
	// that were sent are noted in the log.
	Lost
)

var states = [...]string{"active", "stale", "releasing", "retired", "lost"}

// String returns the name of the state.
func (s State) String() string { return states[s] }

// moves are the states that may follow each.
var moves = [...][]State{
	Active:    {Stale, Releasing, Retired, Lost},
	Stale:     {Active, Releasing, Retired, Lost},
	Releasing: {Active, Retired, Lost},
	Retired:   nil,
	Lost:      nil,
}

// move changes the state where that may be.
func (q *Queue) move(to State) bool {
	if !slices.Contains(moves[q.state], to) {
		return false
	}
	q.state = to
	return true
}

// held reports whether the queue is this process's.
func (q *Queue) held() bool { return q.state < Retired }

// Lose drops a queue whose lease is another one's, or may be by now.
func (m *Machine) Lose(q *Queue) {
	if m.drop(q) {
		m.effects.Lost++
	}
}

// drop ends a queue that is not this process's any more.
func (m *Machine) drop(q *Queue) bool {
	if !q.held() {
		return false
	}
	q.weigh(-q.bytes)
	q.move(Lost)
	m.effects.Dropped = append(m.effects.Dropped, q)
	m.remove(q)
	return true
}

// remove takes a queue out of those that the process holds.
func (m *Machine) remove(q *Queue) {
	if m.queues[q.Key] != q {
		return
	}
	delete(m.queues, q.Key)
	m.effects.Lease = true
	if q.store.queues--; q.store.queues == 0 {
		delete(m.stores, q.Store)
	}
}

// Retire lets nothing more be sent of a queue: a person took its endpoint out of
// service.
func (m *Machine) Retire(q *Queue) {
	if !q.held() {
		return
	}
	q.weigh(-q.bytes)
	q.move(Retired)
	m.remove(q)
	if q.inflight == 0 {
		m.effects.Dropped = append(m.effects.Dropped, q)
	}
}

// refresh drops what is in memory of a stale queue once nothing of it is under way.
func (m *Machine) refresh(q *Queue, at time.Time) {
	if q.state != Stale || q.inflight > 0 || q.unsettled > 0 || q.reading {
		return
	}
	q.move(Active)
	q.clear()
	if q.row.Resumed > micros.Of(at) {
		q.row.Health = Health{} // paused: what was under way when it was does not count
	}
	m.awaken(q, at)
	m.effects.Load = true
}
