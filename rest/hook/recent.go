package hook

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Seen remembers which events were handled. Your own implementation should store them with the
// data, best in the same transaction, with event_id as a unique key: then even a crash between the
// two handles no event twice.
type Seen interface {
	// Has reports whether the event was handled.
	Has(ctx context.Context, eventID string) (bool, error)
	// Mark records that the event was handled. It is called only after that.
	Mark(ctx context.Context, eventID string) error
}

// Memory is a [Seen] in memory: bounded in size and time, and lost when the process ends. It is for
// a single process whose work tolerates an occasional duplicate.
type Memory struct{ recent recent[struct{}] }

// NewMemory returns a memory of the last maxEvents events (0: 100,000), each for at most keep (0:
// 48 h; retries end after 24 h). An event takes about 200 bytes.
func NewMemory(maxEvents int, keep time.Duration) *Memory {
	if keep <= 0 {
		keep = 48 * time.Hour
	}
	return &Memory{newRecent[struct{}](maxEvents, keep)}
}

// Has implements [Seen].
func (m *Memory) Has(_ context.Context, eventID string) (bool, error) {
	_, ok := m.recent.get(eventID)
	return ok, nil
}

// Mark implements [Seen].
func (m *Memory) Mark(_ context.Context, eventID string) error {
	m.recent.put(eventID, func(struct{}, bool) struct{} { return struct{}{} })
	return nil
}

// Latest remembers the newest event of each resource, bounded and in memory, for receivers whose
// database cannot compare. If it can, a condition is better and survives a restart: UPDATE ...
// WHERE sequence < ?.
type Latest struct{ recent recent[moment] }

type moment struct {
	at       time.Time
	sequence int64
}

// NewLatest returns a memory of the last maxResources resources (0: 100,000). Every event of a
// forgotten resource counts as newer.
func NewLatest(maxResources int) *Latest {
	return &Latest{newRecent[moment](maxResources, forever)}
}

// Newer reports whether the event is newer than all remembered events of its resource.
func (l *Latest) Newer(e Event) bool {
	last, ok := l.recent.get(e.Resource.ID)
	return !ok || e.Newer(last.at, last.sequence)
}

// Keep remembers the event, unless a newer one is remembered. Call it after writing the data.
func (l *Latest) Keep(e Event) {
	l.recent.put(e.Resource.ID, func(last moment, ok bool) moment {
		if ok && !e.Newer(last.at, last.sequence) {
			return last
		}
		return moment{e.OccurredAt, e.Sequence}
	})
}

const (
	defaultItems = 100_000
	forever      = 1<<63 - 1
)

// recent is a map of the most recently set keys.
type recent[V any] struct {
	mu    *sync.Mutex
	items map[string]*list.Element // of entry[V]
	order *list.List               // least recently set first
	max   int
	keep  time.Duration
}

type entry[V any] struct {
	key   string
	value V
	until time.Time
}

func newRecent[V any](maxItems int, keep time.Duration) recent[V] {
	if maxItems <= 0 {
		maxItems = defaultItems
	}
	return recent[V]{&sync.Mutex{}, map[string]*list.Element{}, list.New(), maxItems, keep}
}

func (r recent[V]) get(key string) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	element := r.items[key]
	if element == nil {
		return v, false
	}
	e := element.Value.(entry[V])
	return e.value, time.Now().Before(e.until)
}

// put sets a key to what change returns for its current value, and evicts what is too old or too
// many.
func (r recent[V]) put(key string, change func(V, bool) V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	var old entry[V]
	known := false
	if element := r.items[key]; element != nil {
		old = r.order.Remove(element).(entry[V])
		known = now.Before(old.until)
	}
	r.items[key] = r.order.PushBack(entry[V]{key, change(old.value, known), now.Add(r.keep)})
	for front := r.order.Front(); ; front = r.order.Front() {
		e := front.Value.(entry[V])
		if r.order.Len() <= r.max && now.Before(e.until) {
			return
		}
		r.order.Remove(front)
		delete(r.items, e.key)
	}
}
