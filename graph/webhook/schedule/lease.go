package schedule

import (
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Enter takes a queue whose lease was asked for at asked.
func (m *Machine) Enter(k Key, row Row, asked, at time.Time) *Queue {
	q := &Queue{Key: k, Token: row.Token, row: row, renewed: asked, total: &m.bytes, window: min(slowStart, m.Slots)}
	if row.Streak > 0 {
		q.window = 1
	}
	q.clear()
	m.queues[k] = q
	if row.Streak >= gateAt && row.Probe > micros.Of(at) && row.Probe != micros.Never {
		m.alarm(q, nil, row.Probe)
	}
	m.effects.Load = true
	return q
}

// Renewed notes that the lease was renewed, which was asked for at asked, and what
// the row says. It reports whether the settings of the endpoint are others.
func (m *Machine) Renewed(q *Queue, row Row, asked, at time.Time) (changed bool) {
	q.renewed = asked
	changed = m.Reread(q, row)
	m.offer(q, micros.Of(at))
	m.effects.Load = true
	return changed
}

// Reread takes over what the row says now. Where a person changed something, it
// reports so, and all of the queue is read anew.
func (m *Machine) Reread(q *Queue, row Row) (changed bool) {
	if q.row.Wake == row.Wake || !q.held() {
		return false
	}
	q.row.Wake, q.row.Last, q.row.Log = row.Wake, max(q.row.Last, row.Last), row.Log
	if q.row.Epoch == row.Epoch {
		return false
	}
	row.Last, row.Streak, row.Probe = q.row.Last, q.row.Streak, q.row.Probe
	q.row = row
	q.move(Stale)
	m.refresh(q)
	return true
}

// Release is a queue to give back: unless its row's counter is not Wake any more,
// since then something was added after it was found empty, be it by this process.
type Release struct {
	Queue *Queue
	Wake  int64
}

// Releases returns the queues that have had nothing to send for a while, by the time
// at which each is due again. Each is handed to [Machine.Released] or
// [Machine.Kept].
func (m *Machine) Releases(at time.Time) map[micros.Time][]Release {
	list := map[micros.Time][]Release{}
	now, crowded := micros.Of(at), len(m.queues) > MaxQueues/2
	for _, q := range m.Queues() {
		until, ok := q.empty()
		if !ok {
			q.idleSince = time.Time{}
			continue
		}
		if q.idleSince.IsZero() {
			q.idleSince = at
		}
		until = min(until, q.nextWarning())
		rests := at.Sub(q.idleSince) >= m.Linger && until > now.Add(m.Linger)
		if (rests || crowded && until > now.Add(time.Second)) && q.move(Releasing) {
			list[until] = append(list[until], Release{q, q.row.Wake})
		}
	}
	return list
}

// ReleaseAll returns every queue, as [Machine.Releases] does.
func (m *Machine) ReleaseAll() map[micros.Time][]Release {
	list := map[micros.Time][]Release{}
	for _, q := range m.Queues() {
		due, _ := q.empty() // at once, where it is not
		if q.move(Releasing) {
			list[due] = append(list[due], Release{q, q.row.Wake})
		}
	}
	return list
}

// Released notes that a queue was given back, or was not this process's any more.
func (m *Machine) Released(q *Queue) { m.drop(q) }

// Kept lets a queue go on that could not be given back, with what its row says, where
// that is known. It reports whether the settings of the endpoint are others.
func (m *Machine) Kept(q *Queue, row *Row, at time.Time) (changed bool) {
	if q.state == Releasing {
		q.move(Active)
	}
	if row != nil {
		changed = m.Reread(q, *row)
	}
	m.offer(q, micros.Of(at))
	m.effects.Load = true
	return changed
}
