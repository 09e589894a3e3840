// Package lease lets one of many processes work on a row at a time.
//
// The row says until when it is taken, by the database's clock, which all share.
// Who holds it counts the age of the lease by a clock that nobody sets, from
// before it was asked for, so that work ends before another may claim the row.
// The token of the claim fences what is written: once another has claimed, the
// condition that names the token holds no more.
package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrLost says that a lease is another one's by now, or may be. A renewal that
// finds its row taken, or gone, returns it.
var ErrLost = errors.New("the lease is lost")

// Terms are the times of a lease.
type Terms struct {
	// Length is how long a claim, or a renewal, holds.
	Length time.Duration
	// Every is the time between two renewals. After one that failed it is a quarter.
	Every time.Duration
	// Begin is how old a lease may be for something to begin that cannot be taken
	// back; 0 is until it is lost.
	Begin time.Duration
	// Margin is how long before its end the holder counts a lease as lost.
	Margin time.Duration
}

// Lasts returns how old a lease may become before its holder counts it as lost.
func (t Terms) Lasts() time.Duration { return t.Length - t.Margin }

// Held is a lease of this process.
type Held struct {
	terms  Terms
	ctx    context.Context
	cancel context.CancelCauseFunc
	keeper sync.WaitGroup

	mu    sync.Mutex
	asked time.Time // with its monotonic reading, which gives the age
	lost  bool
	timer *time.Timer
}

// Take returns the lease that a claim won, which was asked for at asked: what
// [time.Now] said before the claim, and as it said it, since UTC, Round, Truncate
// and a way through a column strip the clock that nobody sets. [Held.End] frees
// what it holds.
func (t Terms) Take(ctx context.Context, asked time.Time) *Held {
	h := &Held{terms: t, asked: asked}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(t.Lasts()-time.Since(asked), h.expire)
	return h
}

// Context returns the context of the work under the lease. It ends when the lease
// is lost or too old to be sure of, and then its cause is [ErrLost]; and with
// [Held.End] and the context of the claim.
func (h *Held) Context() context.Context { return h.ctx }

// Age returns how long ago the claim, or the last renewal that worked, was asked
// for.
func (h *Held) Age() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.asked)
}

// Lost reports whether the lease is lost, or too old to be sure of. It stays lost.
func (h *Held) Lost() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left() <= 0
}

// MayBegin reports whether something may begin that cannot be taken back.
func (h *Held) MayBegin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left() > 0 && (h.terms.Begin == 0 || time.Since(h.asked) < h.terms.Begin)
}

// left is the time until the lease is too old, which it may be just now. The lock
// is held.
func (h *Held) left() time.Duration {
	if h.lost {
		return 0
	}
	age := time.Since(h.asked)
	if age >= h.terms.Lasts() {
		h.lose(fmt.Errorf("%w: it was not renewed for %s", ErrLost, age.Round(time.Millisecond)))
	}
	return h.terms.Lasts() - age
}

// expire is called when the lease would be too old, had it not been renewed.
func (h *Held) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := h.left(); left > 0 {
		h.timer.Reset(left)
	}
}

// Renewed says that the database has renewed the lease, and when that was asked
// for, as for [Terms.Take].
func (h *Held) Renewed(asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if asked.After(h.asked) {
		h.asked = asked
	}
}

// Lose ends the work under a lease that is another one's, or given up, and why.
// The cause of the context is [ErrLost] too.
func (h *Held) Lose(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !errors.Is(why, ErrLost) {
		why = fmt.Errorf("%w: %w", ErrLost, why)
	}
	h.lose(why)
}

// lose is [Held.Lose] while the lock is held.
func (h *Held) lose(why error) {
	h.lost = true
	h.timer.Stop()
	h.cancel(why)
}

// End ends the context and waits for the end of the renewals. What the row says is
// not its business.
func (h *Held) End() {
	h.cancel(context.Canceled)
	h.keeper.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer.Stop()
}
