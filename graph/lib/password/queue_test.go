package password_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/password"
)

// from returns the context of a request from a network.
func from(ctx context.Context, network int, request string) context.Context {
	return viewer.WithOrigin(ctx, viewer.Origin{Request: request,
		Client: netip.AddrFrom4([4]byte{192, 0, 2, byte(network)})})
}

// line is a queue that is blocked while requests join it, and records in which order they leave.
type line struct {
	t     *testing.T
	q     *password.Queue
	mu    sync.Mutex
	order []string
	full  []string // requests that got no place
	hold  []func()
}

func newLine(t *testing.T) *line {
	l := &line{t: t, q: password.NewQueue()}
	l.stop()
	return l
}

// stop takes both turns.
func (l *line) stop() {
	l.hold = nil
	for range 2 {
		leave, err := l.q.Enter(password.Known(l.t.Context()))
		if err != nil {
			l.t.Fatal(err)
		}
		l.hold = append(l.hold, leave)
	}
}

// join adds a waiting request.
func (l *line) join(ctx context.Context, name string) {
	go func() {
		leave, err := l.q.Enter(ctx)
		l.mu.Lock()
		defer l.mu.Unlock()
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Unavailable && f.RetryAfter > 0 &&
			errors.Is(err, password.ErrBusy) {
			l.full = append(l.full, name)
			return
		}
		if err != nil {
			l.order = append(l.order, name+": "+err.Error())
			return
		}
		l.order = append(l.order, name)
		leave()
	}()
	synctest.Wait()
}

// run lets all of them hash, one at a time.
func (l *line) run() (order string) {
	l.hold[0]()
	synctest.Wait()
	l.hold[1]()
	synctest.Wait()
	return strings.Join(l.order, " ")
}

// Networks take turns, however many requests one of them sends; known people go first.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i, network := range []int{1, 1, 1, 2, 1, 2, 3} {
			l.join(from(t.Context(), network, ""), fmt.Sprintf("%d%c", network, 'a'+i))
		}
		l.join(password.Known(from(t.Context(), 1, "")), "known")
		if got, want := l.run(), "known 1a 2d 3g 1b 2f 1c 1e"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// TestNewNetworkIsServed: under a flood from more networks than there are places, a new network
// goes first, also at a second try after a mistake. After 20 minutes a network counts as new.
func TestNewNetworkIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for round := range 3 {
			for network := range 20 {
				l.join(from(t.Context(), network, ""), fmt.Sprintf("%d/%d", network, round))
			}
			l.run()
			l.order, l.full = nil, nil
			l.stop()
		}
		flood := func() {
			for network := range 20 {
				l.join(from(t.Context(), network, ""), "flood")
			}
		}
		for range 2 {
			flood()
			l.join(from(t.Context(), 99, ""), "new")
			flood()
			if order := strings.Fields(l.run()); order[0] != "new" || len(order) != 8 || len(l.full) != 33 {
				t.Errorf("%v; no place for %v", order, l.full)
			}
			l.order, l.full = nil, nil
			l.stop()
		}
		time.Sleep(11 * time.Minute)
		l.join(from(t.Context(), 1, ""), "begins to be forgotten")
		time.Sleep(11 * time.Minute)
		l.join(from(t.Context(), 98, ""), "first")
		l.join(from(t.Context(), 2, ""), "second")
		if order := l.run(); order != "first second begins to be forgotten" {
			t.Error(order)
		}
	})
}

// The queue is bounded, and networks with many tries lose their places to those with few. It is
// empty again afterwards, without the requests that gave up.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		ended, cancel := context.WithCancel(t.Context())
		for i := range 10 {
			l.join(from(ended, 1, ""), fmt.Sprint("one", i))
		}
		if !slices.Equal(l.full, []string{"one8", "one9"}) {
			t.Errorf("of one network there was no place for %v", l.full)
		}
		for i := range 4 {
			l.join(from(t.Context(), 2+i, ""), fmt.Sprint("many", i))
		}
		if !slices.Equal(l.full[2:], []string{"one7", "one6", "one5", "one4"}) {
			t.Errorf("of many there was no place for %v", l.full[2:])
		}
		l.join(password.Known(t.Context()), "known")
		cancel()
		synctest.Wait()
		if len(l.order) != 4 || !strings.Contains(l.order[0], "context canceled") {
			t.Errorf("gave up: %v", l.order)
		}
		l.order = nil
		if got := l.run(); got != "known many0 many1 many2 many3" {
			t.Errorf("%s", got)
		}
		if n := l.q.Left(); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

// Strangers leave a turn to known people.
func TestQueueKeepsATurn(t *testing.T) {
	q := password.NewQueue()
	if _, err := q.Enter(from(t.Context(), 1, "")); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enter(from(ended, 2, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("a second stranger: %v", err)
	}
	if _, err := q.Enter(password.Known(t.Context())); err != nil {
		t.Errorf("a known person: %v", err)
	}
	if _, err := q.Enter(password.Known(ended)); !errors.Is(err, context.Canceled) {
		t.Errorf("a third one: %v", err)
	}
}

// A request has one hash at a time.
func TestQueueOfOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i := range 3 {
			l.join(from(t.Context(), 1, "req_1"), fmt.Sprint("alias", i))
		}
		l.join(from(t.Context(), 1, "req_2"), "another")
		if got := l.run(); got != "alias0 another" || len(l.full) != 2 {
			t.Errorf("%s; no place for %v", got, l.full)
		}
		leave, err := l.q.Enter(from(t.Context(), 1, "req_1"))
		if err != nil {
			t.Fatalf("the next one of the request: %v", err)
		}
		leave()
		if n := l.q.Left(); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}
