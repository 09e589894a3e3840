// Package schedule decides which delivery is sent next, and what happens to it after its attempt
// (contract, section 8).
//
// A [Machine] holds the leased queues of one process. Each has a lane for each resource, in order,
// of which only the head is sent, and a window of attempts for its endpoint; the queues take turns.
// A Machine knows no database, no receiver and no clock: events are method calls, the time is an
// argument, and [Effects] lists what the caller has to do. One lock of the caller guards all of it.
package schedule

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// maxBytes bounds the bodies that are read ahead, in bytes, approximately.
	maxBytes = 32 << 20
	// A process holds at least minQueues queues, and at least half as many as it has slots, so that
	// all slots can be in use.
	minQueues = 1024
	// maxUnsettled is how many outcomes of a queue may wait to be saved, maxUnsettledInAll how many
	// of all queues, while each queue may have a few. If the process is killed, it sends that many
	// deliveries again.
	maxUnsettled      = 1024
	maxUnsettledInAll = 4096
)

// Config configures a [Machine].
type Config struct {
	// Slots is how many attempts may be in flight, Window how many of them to one endpoint.
	Slots, Window int
	// Linger is how long a queue with nothing to send is kept.
	Linger time.Duration
	// SendWithin is how old a lease may be for an attempt to start, LoseAfter for an attempt to go
	// on.
	SendWithin, LoseAfter time.Duration
	// Chance returns the jitter of waits, from 0 to 1; math/rand by default.
	Chance func() float64
}

// Machine schedules the deliveries of one process. It is not safe for concurrent use.
type Machine struct {
	Config
	queues  map[Key]*Queue
	stores  map[xid.ID]*store
	rings   [urgencies][]*store // the stores that have a queue in turn
	skipped int                 // turns in a row that slow queues were skipped
	alarms  alarms
	paused  bool

	limit     int       // how many attempts may be in flight at present
	limitedAt time.Time // when limit was last reduced
	inflight  int
	unsettled int
	bytes     int // of the bodies that were read ahead
	effects   Effects
}

// New returns a machine without queues.
func New(c Config) *Machine {
	if c.Chance == nil {
		c.Chance = rand.Float64
	}
	return &Machine{Config: c, queues: map[Key]*Queue{}, stores: map[xid.ID]*store{}, limit: c.Slots}
}

// Room returns how many more queues the process may hold.
func (m *Machine) Room() int { return m.maxQueues() - len(m.queues) }

func (m *Machine) maxQueues() int { return max(minQueues, m.Slots/2) }

// Effects lists what the caller has to do after one or more calls.
type Effects struct {
	Workers int      // how many more workers may find a job in [Machine.Next]
	Load    bool     // [Machine.Reads] has something to read
	Lease   bool     // there is room for another queue
	Alarm   bool     // [Machine.Tick] has an earlier alarm
	Dropped []*Queue // end their attempts in flight
	Lost    int      // leases that were lost before they were released
}

// Effects returns the effects since the last call.
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

// Pause stops attempts from starting, or lets them start again.
func (m *Machine) Pause(paused bool) {
	if m.paused && !paused {
		m.effects.Workers += m.inTurn()
	}
	m.paused = paused
}

// Paused reports whether attempts may not start at present.
func (m *Machine) Paused() bool { return m.paused }

// Forget drops every queue, every alarm and unsettled outcomes.
func (m *Machine) Forget() {
	for _, q := range m.queues {
		m.drop(q)
	}
	m.rings, m.alarms, m.unsettled = [urgencies][]*store{}, nil, 0
}

// Queues returns the queues by key, the order of every statement.
func (m *Machine) Queues() []*Queue {
	return slices.SortedFunc(maps.Values(m.queues), func(a, b *Queue) int { return a.Compare(b.Key) })
}

// Key identifies an endpoint's queue.
type Key struct{ Store, Endpoint xid.ID }

// Compare orders keys by their store, then by their endpoint.
func (k Key) Compare(other Key) int {
	return cmp.Or(k.Store.Compare(other.Store), k.Endpoint.Compare(other.Endpoint))
}
