package shop

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

const (
	// fresh is how long a store's state is used without reading it again.
	fresh = 800 * time.Millisecond
	// seen is the age up to which a state serves other requests while one reads it again. Changes
	// by other processes are visible after this time at the latest.
	seen = time.Second
	// keep is how long a page is cached at most, whatever the state says. A state can miss a change
	// that looks older than others, because the clocks of two processes differ or a transaction
	// took long. It is also how long pages are shown while the database is down.
	keep = 30 * time.Second
	// unknown is how long a handle without an open store is not looked up again.
	unknown = 2 * time.Second
	// readLimit bounds the statements that a request waits for.
	readLimit = 5 * time.Second
)

type front struct {
	id     xid.ID
	handle string
	slots  chan struct{}

	mu      sync.Mutex
	state   *storefront.State // as last read
	readAt  time.Time         // when that read began
	triedAt time.Time         // when the latest read began
	err     error             // of the latest read
	reading bool
	// readGeneration and triedGeneration are [storefront.Storefront.ThemeGeneration] at the start of those reads.
	readGeneration, triedGeneration uint64
}

// absence says that no open store has a handle, until when that is cached, and whether a closed
// store has it.
type absence struct {
	until  time.Time
	closed bool
}

// isClosed reports whether [Shop.enter] has just found that the store of a handle is closed.
func (s *Shop) isClosed(handle string) bool {
	a, _ := s.absent.Get(handle)
	return a.closed
}

// enter returns the open store of a handle and its state, or nil if there is none.
func (s *Shop) enter(ctx context.Context, handle string) (*front, *storefront.State, error) {
	if a, ok := s.absent.Get(handle); ok && s.Now().Before(a.until) {
		return nil, nil, nil
	}
	f, ok := s.fronts.Get(handle)
	if !ok {
		var err error
		if f, err = s.found.Do(ctx, handle, readLimit, s.find(handle)); err != nil {
			return nil, nil, err
		}
	}
	if f == nil {
		s.absent.Add(handle, absence{until: s.Now().Add(unknown)})
		return nil, nil, nil
	}
	st, err := s.state(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	if !st.Open || st.Handle != handle {
		s.fronts.Remove(handle)
		s.absent.Add(handle, absence{until: s.Now().Add(unknown), closed: st.Handle == handle})
		return nil, nil, nil
	}
	return f, st, nil
}

func (s *Shop) find(handle string) func(context.Context) (*front, error) {
	return func(ctx context.Context) (*front, error) {
		if f, ok := s.fronts.Get(handle); ok { // another request was faster
			return f, nil
		}
		id, ok, err := s.Core.Find(viewer.Everywhere(ctx), handle)
		if err != nil || !ok {
			return nil, err
		}
		f := &front{id: id, handle: handle, slots: make(chan struct{}, maxOfOne)}
		s.fronts.Add(handle, f)
		return f, nil
	}
}

// state returns the store's state. One request reads it about once a second; others get the
// previous state as long as it is not too old. Theme changes by this process are visible at once.
func (s *Shop) state(ctx context.Context, f *front) (*storefront.State, error) {
	now := s.Now()
	f.mu.Lock()
	st, age, reading, generation := f.state, now.Sub(f.readAt), f.reading, s.Core.ThemeGeneration(f.id)
	same := f.readGeneration == generation
	f.mu.Unlock()
	if st != nil && same && (age < fresh || reading && age < seen) {
		return st, nil
	}
	for range 2 { // a shared read may have begun before the change
		var err error
		if st, err = s.states.Do(ctx, f.id, readLimit, func(ctx context.Context) (*storefront.State, error) {
			return s.readState(ctx, f)
		}); err != nil {
			return nil, err
		}
		f.mu.Lock()
		same = f.triedGeneration == generation
		f.mu.Unlock()
		if same {
			break
		}
	}
	return st, nil
}

// readState reads the state unless that was just tried.
func (s *Shop) readState(ctx context.Context, f *front) (*storefront.State, error) {
	now, generation := s.Now(), s.Core.ThemeGeneration(f.id)
	f.mu.Lock()
	if !f.triedAt.IsZero() && f.triedGeneration == generation && now.Sub(f.triedAt) < fresh {
		defer f.mu.Unlock()
		return f.latest(now)
	}
	f.triedAt, f.triedGeneration, f.reading = now, generation, true
	f.mu.Unlock()

	st, err := s.Core.State(viewer.Visitor(ctx, f.id))
	if err != nil {
		s.Logger.WarnContext(ctx, "the state of a storefront cannot be read",
			slog.String("store", xid.Store.Format(f.id)), slog.Any("error", err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reading, f.err = false, err
	if err == nil {
		f.state, f.readAt, f.readGeneration = st, now, generation
	}
	return f.latest(now)
}

// latest returns the result of the latest reads. While the database is down, it returns the last
// state for as long as pages are kept. The caller holds f.mu.
func (f *front) latest(now time.Time) (*storefront.State, error) {
	if f.err != nil && (f.state == nil || now.Sub(f.readAt) >= keep) {
		return nil, f.err
	}
	return f.state, nil
}
