package transport

import (
	"context"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
)

// Large bodies are read and worked on a few at a time, which bounds their memory.
const (
	// maxUploads is how many of one store, so that no store keeps out the others,
	// and maxAllUploads how many of all.
	maxUploads    = 2
	maxAllUploads = 8
	// uploadWait is how long a body waits for its slot.
	uploadWait = 10 * time.Second
)

// slots are those for large bodies. Only stores that have or await one are kept.
type slots struct {
	all    chan struct{}
	mu     sync.Mutex
	stores map[xid.ID]*lane
}

// lane is the slots of one store.
type lane struct {
	taken chan struct{}
	users int // who have a slot of it or wait for one
}

func newSlots() *slots {
	return &slots{all: make(chan struct{}, maxAllUploads), stores: map[xid.ID]*lane{}}
}

// slot is one that was taken.
type slot struct {
	of    *slots
	store xid.ID
	lane  *lane
}

// enter takes a slot, or gives up after a while. Who waits for others of their
// store holds none of the slots that all stores share.
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
	s.part(store)
	return nil, &fault.Error{Kind: fault.Unavailable, Detail: "Other files are being sent: try again in a moment.",
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

// leave gives the slot back; nil is none.
func (one *slot) leave() {
	if one == nil {
		return
	}
	<-one.of.all
	<-one.lane.taken
	one.of.part(one.store)
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

func (s *slots) part(store xid.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.stores[store]
	if l.users--; l.users == 0 {
		delete(s.stores, store)
	}
}
