package password

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// atOnce is how many hashes run at once in this process. Each takes its memory, and a burst of
	// sign-ins would need a multiple of it.
	atOnce = 2
	// strangersAtOnce leaves one turn to known people, and on a small machine one core to all other
	// work.
	strangersAtOnce = 1
	// How many wait for their turn. There are few places for strangers: under a flood of guesses,
	// the ones with a place are answered in time, and a longer queue would not admit more.
	maxKnown   = 32
	maxStrange = 8
	// triesKept is how long the tries of a network count at least. maxNetworks bounds how many
	// networks are counted.
	triesKept   = 10 * time.Minute
	maxNetworks = 16_384
	retryAfter  = 2 * time.Second
)

// ErrBusy is the cause of the Unavailable error for a full queue.
var ErrBusy = errors.New("too many passwords wait to be hashed")

type knownKey struct{}

// Known returns a context whose hashes take precedence over those of strangers. It is for people
// who are signed in, or who have signed in with the same browser.
func Known(ctx context.Context) context.Context { return context.WithValue(ctx, knownKey{}, true) }

// waiter is a request that waits for a turn. ready is closed when the turn comes, or when refused
// is set because others took the place.
type waiter struct {
	request string
	tries   int
	refused bool
	ready   chan struct{}
}

// lane is a queue: networks with fewer recent tries go first, then the order of arrival counts. A
// network that sends many requests waits for itself, and under a flood from many networks a new one
// is served first.
type lane struct {
	places  int
	atOnce  int
	running int
	waiting []*waiter
	// tries counts how often a network has come since began, and older those in the period before.
	tries, older map[string]int
	began        time.Time
}

// tried counts a request of a network, and returns how many it made recently.
func (l *lane) tried(client netip.Addr) int {
	network, counted := ratelimit.Network(client)
	if !counted {
		return 1
	}
	if now := time.Now(); len(l.tries) >= maxNetworks || now.Sub(l.began) > triesKept {
		l.tries, l.older, l.began = map[string]int{}, l.tries, now
	}
	of := network.String()
	l.tries[of]++
	return l.tries[of] + l.older[of]
}

// join inserts a waiter, and returns the one that loses its place: the last, or nil.
func (l *lane) join(w *waiter) (out *waiter) {
	at := slices.IndexFunc(l.waiting, func(other *waiter) bool { return other.tries > w.tries })
	if at < 0 {
		at = len(l.waiting)
	}
	l.waiting = slices.Insert(l.waiting, at, w)
	if last := len(l.waiting) - 1; last >= l.places {
		out, l.waiting = l.waiting[last], l.waiting[:last]
	}
	return out
}

type queue struct {
	mu       sync.Mutex
	known    lane // has precedence
	strange  lane
	requests map[string]bool // requests that have a hash waiting or running
}

var turns = newQueue()

func newQueue() *queue {
	return &queue{known: lane{places: maxKnown, atOnce: atOnce},
		strange: lane{places: maxStrange, atOnce: strangersAtOnce}, requests: map[string]bool{}}
}

// open reports whether a lane may take another turn.
func (q *queue) open(l *lane) bool {
	return q.known.running+q.strange.running < atOnce && l.running < l.atOnce
}

// enter waits for a turn to hash. The caller calls leave to end it. A request has one hash at a
// time, however many it contains.
func (q *queue) enter(ctx context.Context) (leave func(), err error) {
	from := viewer.OriginOf(ctx)
	w := &waiter{request: from.Request, ready: make(chan struct{})}
	line := &q.strange
	if ctx.Value(knownKey{}) != nil {
		line = &q.known
	}
	if !q.arrive(line, w, from.Client) {
		return nil, busy()
	}
	select {
	case <-w.ready:
		if w.refused {
			return nil, busy()
		}
		return func() { q.leave(line, w) }, nil
	case <-ctx.Done():
		q.abandon(line, w)
		return nil, fmt.Errorf("wait to hash a password: %w", context.Cause(ctx))
	}
}

// arrive gives a waiter a turn or a place. It returns false if the request has another hash.
func (q *queue) arrive(line *lane, w *waiter, client netip.Addr) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.request != "" && q.requests[w.request] {
		return false
	}
	if w.request != "" {
		q.requests[w.request] = true
	}
	w.tries = line.tried(client)
	if q.open(line) { // then no one in the lane is waiting
		line.running++
		close(w.ready)
	} else if out := line.join(w); out != nil {
		out.refused = true
		delete(q.requests, out.request)
		close(out.ready)
	}
	return true
}

// leave ends a turn of a lane, and gives it to the next waiter.
func (q *queue) leave(of *lane, w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.requests, w.request)
	of.running--
	for _, line := range []*lane{&q.known, &q.strange} {
		for len(line.waiting) > 0 && q.open(line) {
			line.running++
			close(line.waiting[0].ready)
			line.waiting = slices.Delete(line.waiting, 0, 1)
		}
	}
}

// abandon removes a waiter that no longer waits. If its turn has just come, it is ended.
func (q *queue) abandon(line *lane, w *waiter) {
	q.mu.Lock()
	i := slices.Index(line.waiting, w)
	if i >= 0 {
		line.waiting = slices.Delete(line.waiting, i, i+1)
		delete(q.requests, w.request)
	}
	turn := i < 0 && !w.refused
	q.mu.Unlock()
	if turn {
		q.leave(line, w)
	}
}

func busy() error {
	return &fault.Error{Kind: fault.Unavailable, RetryAfter: retryAfter, Err: ErrBusy,
		Detail: "Too many people sign in at this moment: try again in some seconds."}
}
