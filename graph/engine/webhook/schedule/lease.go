package schedule

import (
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Enter adds a queue whose lease was requested at asked.
func (m *Machine) Enter(k Key, row Row, asked, at time.Time) *Queue {
	if m.stores[k.Store] == nil {
		m.stores[k.Store] = new(store)
	}
	q := &Queue{Key: k, Token: row.Token, row: row, renewed: asked, total: &m.bytes, store: m.stores[k.Store]}
	q.window = min(slowStart, m.Window)
	if row.Streak > 0 {
		q.window = 1
	}
	q.clear()
	m.queues[k] = q
	q.store.queues++
	m.setAlarms(q, at)
	m.effects.Load = true
	return q
}

// Renewed takes the row of a lease that was renewed by a request at asked. It reports whether the
// endpoint's settings changed.
func (m *Machine) Renewed(q *Queue, row Row, asked, at time.Time) (changed bool) {
	q.renewed = asked
	changed = m.Reread(q, row, at)
	m.offer(q, at)
	m.effects.Load = true
	return changed
}

// Reread adopts a queue's row. If a person changed something, it returns true, and the whole queue
// is read again.
func (m *Machine) Reread(q *Queue, row Row, at time.Time) (changed bool) {
	if row.Wake <= q.row.Wake || !q.held() { // an older row, when two were read concurrently
		return false
	}
	q.row.Wake, q.row.Last, q.row.Log = row.Wake, max(q.row.Last, row.Last), row.Log
	if q.row.Epoch == row.Epoch {
		return false
	}
	row.Last = q.row.Last
	if row.Resumed == q.row.Resumed { // otherwise a new record has begun
		row.Streak, row.Probe = q.row.Streak, q.row.Probe
	}
	q.row = row
	q.move(Stale)
	m.refresh(q, at)
	return true
}

// setAlarms sets the alarms of a queue whose row was read: for its probe and for the end of a
// pause.
func (m *Machine) setAlarms(q *Queue, at time.Time) {
	now, r := micros.Of(at), &q.row
	if r.Streak >= gateAt && r.Probe > now && r.Probe != micros.Max {
		m.alarm(q, nil, r.Probe)
	}
	if r.Paused > now {
		m.alarm(q, nil, r.Paused)
	}
}

// Release is a queue to release, unless its row's wake counter has changed: then something was
// added after it was found empty, possibly by this process.
type Release struct {
	Queue *Queue
	Wake  int64
}

// Releases returns the queues that have had nothing to send for a while, by the time at which each
// is due again. Each is passed to [Machine.Released] or [Machine.Kept].
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
		idle := at.Sub(q.idleSince) >= m.Linger && until > now.Add(m.Linger)
		if (idle || crowded && until > now.Add(time.Second)) && q.move(Releasing) {
			list[until] = append(list[until], Release{q, q.row.Wake})
		}
	}
	return sortByKey(list)
}

// ReleaseAll returns every queue, like [Machine.Releases]; if quiet, only those without work under
// way.
func (m *Machine) ReleaseAll(quiet bool, at time.Time) map[micros.Time][]Release {
	list := map[micros.Time][]Release{}
	for _, q := range m.queues {
		if quiet && q.busy() {
			continue
		}
		due, _ := q.empty(micros.Of(at)) // due at once if it is not empty
		if q.move(Releasing) {
			list[due] = append(list[due], Release{q, q.row.Wake})
		}
	}
	return sortByKey(list)
}

// sortByKey sorts the lists by key, the order of every statement.
func sortByKey(list map[micros.Time][]Release) map[micros.Time][]Release {
	for _, some := range list {
		slices.SortFunc(some, func(a, b Release) int { return a.Queue.Compare(b.Queue.Key) })
	}
	return list
}

// Released records that a queue was released, or was not this process's any more.
func (m *Machine) Released(q *Queue) { m.drop(q) }

// Kept resumes a queue that could not be released, with its row if that is known. It reports
// whether the endpoint's settings changed.
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
