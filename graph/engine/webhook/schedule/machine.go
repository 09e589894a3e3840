// Package schedule decides which delivery is sent next, and what becomes of it
// when its attempt has ended (contract, section 8).
//
// A [Machine] holds the leased queues of one process: a lane for each resource, in
// order, of which only the head is ever sent; a window for each endpoint; one turn
// after the other for all. It knows no database, no receiver and no clock: what
// happens outside is a call, the time is an argument, and what is to be done
// outside is in [Effects]. One lock of the caller guards all of it.
package schedule

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// maxBytes is about how much the bodies that were read ahead may take, in bytes.
	maxBytes = 32 << 20
	// minQueues is how many queues a process holds at least; half as many as it has
	// slots where that is more, so that each of them may have an attempt in flight.
	minQueues = 1024
	// maxUnsettled is how many outcomes of a queue may wait to be written down, and
	// maxUnsettledInAll of all, where each queue may have a few: a process that is killed
	// sends as many again.
	maxUnsettled      = 1024
	maxUnsettledInAll = 4096
)

// Config is how a [Machine] decides.
type Config struct {
	// Slots is how many attempts may be in flight, Window how many of them to one
	// endpoint.
	Slots, Window int
	// Linger is how long a queue is kept that has nothing to send.
	Linger time.Duration
	// SendWithin is how old a lease may be for an attempt to start, LoseAfter for one
	// to go on.
	SendWithin, LoseAfter time.Duration
	// Chance spreads the waits: from 0 to 1, math/rand's by default.
	Chance func() float64
}

// Machine is what one process has to send. It is not safe for concurrent use.
type Machine struct {
	Config
	queues map[Key]*Queue
	stores map[xid.ID]*store
	rings  [urgencies]ring
	waived int // turns in a row that those with the least urgency waited
	alarms alarms
	paused bool

	limit     int       // how many attempts may be in flight at present
	strained  time.Time // when that became less
	inflight  int
	unsettled int
	bytes     int // of the bodies that were read ahead
	effects   Effects
}

// New makes a machine without queues.
func New(c Config) *Machine {
	if c.Chance == nil {
		c.Chance = rand.Float64
	}
	return &Machine{Config: c, queues: map[Key]*Queue{}, stores: map[xid.ID]*store{}, limit: c.Slots}
}

// Room returns how many more queues the process may hold.
func (m *Machine) Room() int { return m.maxQueues() - len(m.queues) }

func (m *Machine) maxQueues() int { return max(minQueues, m.Slots/2) }

// Effects are what the caller does outside after one or more calls.
type Effects struct {
	Workers int      // how many more workers may find something in [Machine.Next]
	Load    bool     // [Machine.Reads] has something
	Lease   bool     // there is room for another queue
	Alarm   bool     // [Machine.Tick] has an earlier alarm
	Dropped []*Queue // nothing of them goes on: attempts in flight end
	Lost    int      // leases that were lost before they were given back
}

// Effects returns what is to be done since the last call.
func (m *Machine) Effects() Effects {
	e := m.effects
	m.effects = Effects{}
	return e
}

// Find returns the queue of an endpoint, or nil.
func (m *Machine) Find(k Key) *Queue { return m.queues[k] }

// Len returns the number of queues.
func (m *Machine) Len() int { return len(m.queues) }

// Inflight returns how many attempts have not ended.
func (m *Machine) Inflight() int { return m.inflight }

// Idle reports whether no attempt is in flight and every outcome is settled.
func (m *Machine) Idle() bool { return m.inflight == 0 && m.unsettled == 0 }

// Pause lets no attempt start, or lets them start again.
func (m *Machine) Pause(paused bool) {
	if m.paused && !paused {
		m.effects.Workers += m.inTurn()
	}
	m.paused = paused
}

// Forget drops every queue, every alarm and what was not settled.
func (m *Machine) Forget() {
	for _, q := range m.queues {
		m.drop(q)
	}
	m.rings, m.alarms, m.unsettled = [urgencies]ring{}, nil, 0
}

// Queues returns the queues by key, the order of every statement.
func (m *Machine) Queues() []*Queue {
	list := make([]*Queue, 0, len(m.queues))
	for _, q := range m.queues {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *Queue) int { return a.Compare(b.Key) })
	return list
}

// Key names an endpoint's queue.
type Key struct{ Store, Endpoint xid.ID }

// Compare orders keys by their store, then by their endpoint.
func (k Key) Compare(other Key) int {
	return cmp.Or(k.Store.Compare(other.Store), k.Endpoint.Compare(other.Endpoint))
}
