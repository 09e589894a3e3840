package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Enter takes a queue whose lease was asked for at asked.
func (m *Machine) Enter(k Key, row Row, asked, at time.Time) *Queue {
	q := &Queue{Key: k, Token: row.Token, row: row, renewed: asked, total: &m.bytes, store: m.storeOf(k.Store)}
	q.window = min(slowStart, m.Window)
	if row.Streak > 0 {
		q.window = 1
	}
	q.clear()
	m.queues[k] = q
	q.store.queues++
	m.awaken(q, at)
	m.effects.Load = true
	return q
}

// Renewed notes that the lease was renewed, which was asked for at asked, and what
// the row says. It reports whether the settings of the endpoint are others.
func (m *Machine) Renewed(q *Queue, row Row, asked, at time.Time) (changed bool) {
	q.renewed = asked
	changed = m.Reread(q, row, at)
	m.offer(q, at)
	m.effects.Load = true
	return changed
}

// Reread takes over what the row says now. Where a person changed something, it
// reports so, and all of the queue is read anew.
func (m *Machine) Reread(q *Queue, row Row, at time.Time) (changed bool) {
	if row.Wake <= q.row.Wake || !q.held() { // older ones come late, where two have read
		return false
	}
	q.row.Wake, q.row.Last, q.row.Log = row.Wake, max(q.row.Last, row.Last), row.Log
	if q.row.Epoch == row.Epoch {
		return false
	}
	row.Last = q.row.Last
	if row.Resumed == q.row.Resumed { // or else a new account has begun
		row.Streak, row.Probe = q.row.Streak, q.row.Probe
	}
	q.row = row
	q.move(Stale)
	m.refresh(q, at)
	return true
}

// awaken sets the alarms of a queue whose row was read: when the next new delivery is
// tried, and when a pause ends.
func (m *Machine) awaken(q *Queue, at time.Time) {
	now, r := micros.Of(at), &q.row
	if r.Streak >= gateAt && r.Probe > now && r.Probe != micros.Never {
		m.alarm(q, nil, r.Probe)
	}
	if r.Paused > now {
		m.alarm(q, nil, r.Paused)
	}
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
	now, crowded := micros.Of(at), len(m.queues) > m.maxQueues()/2
	for _, q := range m.queues {
		until, ok := q.empty(now)
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
	return inOrder(list)
}

// ReleaseAll returns every queue, as [Machine.Releases] does; of a process that
// leaves, those of which nothing is under way alone.
func (m *Machine) ReleaseAll(quiet bool, at time.Time) map[micros.Time][]Release {
	list := map[micros.Time][]Release{}
	for _, q := range m.queues {
		if quiet && q.busy() {
			continue
		}
		due, _ := q.empty(micros.Of(at)) // at once, where it is not
		if q.move(Releasing) {
			list[due] = append(list[due], Release{q, q.row.Wake})
		}
	}
	return inOrder(list)
}

// inOrder sorts the lists by key, the order of every statement.
func inOrder(list map[micros.Time][]Release) map[micros.Time][]Release {
	for _, some := range list {
		slices.SortFunc(some, func(a, b Release) int { return a.Queue.Compare(b.Queue.Key) })
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
		changed = m.Reread(q, *row, at)
	}
	m.offer(q, at)
	m.effects.Load = true
	return changed
}
