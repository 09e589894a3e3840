package password

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/gcra"
)

const (
	// atOnce is how many hashes run at once in this process: each takes its memory, and
	// a burst of sign-ins would otherwise take it many times over.
	atOnce = 2
	// strangersAtOnce leaves a turn to those who are known, and of a small machine a
	// core to all other work.
	strangersAtOnce = 1
	// How many wait for their turn. There are few places for strangers: under a flood of
	// guesses whoever gets one is answered in time, and a longer queue would let no more
	// of them in.
	maxKnown    = 32
	maxStrange  = 8
	maxOfOneNet = 6 // of those who wait in either lane
	// retryAfter is when whom the queue had no place for may try again.
	retryAfter = 2 * time.Second
)

// ErrBusy is the cause of the Unavailable fault of a queue that is full.
var ErrBusy = errors.New("too many passwords wait to be hashed")

type knownKey struct{}

// Known returns a context whose hashes go before those of strangers: of people who are
// signed in, or were in the same browser.
func Known(ctx context.Context) context.Context { return context.WithValue(ctx, knownKey{}, true) }

// waiter is somebody who waits for a turn; ready is closed when it has come.
type waiter struct {
	network string
	ready   chan struct{}
}

// lane is those who wait behind each other. The networks take turns, and each has its
// own in the order in which they came: one that sends many waits for itself.
type lane struct {
	places  int
	atOnce  int
	running int
	waiting []*waiter
}

// next takes out who is first of a network that had no turn since the others had one.
// It is the first in the list: places are given by round, not by arrival.
func (l *lane) next() *waiter {
	w := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return w
}

// join puts somebody into the list behind all who have not more of their own network
// before them than they do, and reports whether there was a place.
func (l *lane) join(w *waiter) bool {
	own, seen := 0, map[string]int{}
	for _, other := range l.waiting {
		if other.network == w.network {
			own++
		}
	}
	if len(l.waiting) >= l.places || w.network != "" && own >= maxOfOneNet {
		return false
	}
	at := len(l.waiting)
	for i, other := range l.waiting {
		if seen[other.network]++; seen[other.network] > own+1 {
			at = i
			break
		}
	}
	l.waiting = slices.Insert(l.waiting, at, w)
	return true
}

// queue gives out the turns to hash.
type queue struct {
	mu       sync.Mutex
	known    lane // goes first
	strange  lane
	requests map[string]bool // those that have a hash waiting or running
}

// turns is the queue of this process.
var turns = newQueue()

func newQueue() *queue {
	return &queue{known: lane{places: maxKnown, atOnce: atOnce},
		strange: lane{places: maxStrange, atOnce: strangersAtOnce}, requests: map[string]bool{}}
}

// open reports whether there is a turn for one more of a lane.
func (q *queue) open(l *lane) bool {
	return q.known.running+q.strange.running < atOnce && l.running < l.atOnce
}

// enter waits for leave to hash; the caller ends it with the function. A request has
// one hash at a time, whatever it holds.
func (q *queue) enter(ctx context.Context) (leave func(), err error) {
	from := viewer.OriginOf(ctx)
	w := &waiter{ready: make(chan struct{})}
	if from.Client.IsValid() && !gcra.Local(from.Client) {
		w.network = gcra.Network(from.Client).String()
	}
	line := &q.strange
	if ctx.Value(knownKey{}) != nil {
		line = &q.known
	}
	q.mu.Lock()
	switch {
	case from.Request != "" && q.requests[from.Request]:
		err = busy()
	case q.open(line): // nobody of the lane waits then
		line.running++
		close(w.ready)
	case !line.join(w):
		err = busy()
	}
	if err == nil && from.Request != "" {
		q.requests[from.Request] = true
	}
	q.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-w.ready:
		return func() { q.leave(line, from.Request) }, nil
	case <-ctx.Done():
		q.abandon(line, w, from.Request)
		return nil, fmt.Errorf("wait to hash a password: %w", context.Cause(ctx))
	}
}

// leave ends a turn of a lane, and gives it to who is next.
func (q *queue) leave(of *lane, request string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.requests, request)
	of.running--
	for _, line := range []*lane{&q.known, &q.strange} {
		for len(line.waiting) > 0 && q.open(line) {
			line.running++
			close(line.next().ready)
		}
	}
}

// abandon takes out who waits no more. A turn that came in that moment is ended.
func (q *queue) abandon(line *lane, w *waiter, request string) {
	q.mu.Lock()
	i := slices.Index(line.waiting, w)
	if i >= 0 {
		line.waiting = slices.Delete(line.waiting, i, i+1)
		delete(q.requests, request)
	}
	q.mu.Unlock()
	if i < 0 {
		q.leave(line, request)
	}
}

func busy() error {
	return &fault.Error{Kind: fault.Unavailable, RetryAfter: retryAfter, Err: ErrBusy,
		Detail: "Too many people sign in at this moment: try again in some seconds."}
}
