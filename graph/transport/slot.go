package transport

import (
	"context"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
)

// Few large bodies are read and processed at a time, which bounds their memory.
const (
	// maxUploads bounds the uploads of one store, so that no store blocks the others; maxAllUploads
	// bounds those of all stores.
	maxUploads    = 2
	maxAllUploads = 8
	// uploadWait is how long a request waits for a slot.
	uploadWait = 10 * time.Second
)

// slots limits concurrent large bodies. It only tracks stores that hold or await a slot.
type slots struct {
	all    chan struct{}
	mu     sync.Mutex
	stores map[xid.ID]*lane
}

type lane struct {
	taken chan struct{}
	users int // holding or awaiting a slot
}

func newSlots() *slots {
	return &slots{all: make(chan struct{}, maxAllUploads), stores: map[xid.ID]*lane{}}
}

type slot struct {
	of    *slots
	store xid.ID
	lane  *lane
}

// enter acquires a slot, or fails after [uploadWait]. A request that waits for its own store holds
// no slot of the shared ones.
func (s *slots) enter(ctx context.Context, store xid.ID) (*slot, error) {
	ctx, cancel := context.WithTimeout(ctx, uploadWait)
	defer cancel()
	one := &slot{s, store, s.join(store)}
	if take(ctx, one.lane.taken) {
		if take(ctx, s.all) {
			return one, nil
		}
		<-one.lane.taken
	}
	s.drop(store)
	return nil, &fault.Error{Kind: fault.Unavailable, Detail: "Other files are being uploaded. Try again in a moment.",
		RetryAfter: uploadWait}
}

func take(ctx context.Context, taken chan<- struct{}) bool {
	select {
	case taken <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// leave releases the slot; a nil slot does nothing.
func (one *slot) leave() {
	if one == nil {
		return
	}
	<-one.of.all
	<-one.lane.taken
	one.of.drop(one.store)
}

func (s *slots) join(store xid.ID) *lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.stores[store]
	if l == nil {
		l = &lane{taken: make(chan struct{}, maxUploads)}
		s.stores[store] = l
	}
	l.users++
	return l
}

func (s *slots) drop(store xid.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.stores[store]
	if l.users--; l.users == 0 {
		delete(s.stores, store)
	}
}
