// Package lease lets one of many processes work on a row at a time.
//
// The row says until when it is leased, by the database's clock, which all processes share. The
// holder measures the age of its lease by its monotonic clock, from before the request for it, so
// that its work ends before another process may claim the row. The claim's token fences the writes:
// after another claim, a condition on the old token no longer holds.
//
// Webhook queues and exports have columns for the owner and the end of the lease ([Terms.Claim]).
// The tables of a [Queue] have a number of tries instead: emails, themes, tasks, payment sessions
// and refunds. Two kinds of rows are claimed in other ways, as graph/engine/erase and
// graph/engine/images explain.
package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrLost means that another process has the lease, or may have it. A renewal that finds its row
// taken or deleted returns it.
var ErrLost = errors.New("the lease is lost")

// Terms are the times of a lease.
type Terms struct {
	// Length is how long a claim or a renewal is valid.
	Length time.Duration
	// Every is the time between two renewals. After a failed one it is a quarter.
	Every time.Duration
	// Begin is how old a lease may be for something irrevocable to begin; 0 means until the lease
	// is lost.
	Begin time.Duration
	// Margin is how long before its end the holder treats a lease as lost.
	Margin time.Duration
}

// Lasts returns the age from which on the holder treats a lease as lost.
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

// Take returns the lease of a successful claim that was requested at asked. asked is the result of
// [time.Now] from before the claim, unchanged: UTC, Round, Truncate and a database column strip its
// monotonic reading. [Held.End] releases its resources.
func (t Terms) Take(ctx context.Context, asked time.Time) *Held {
	h := &Held{terms: t, asked: asked}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(t.Lasts()-time.Since(asked), h.expire)
	return h
}

// Context returns the context of the work under the lease. It ends with the cause [ErrLost] when
// the lease is lost or too old to be sure of, and also with [Held.End] and with the context of the
// claim.
func (h *Held) Context() context.Context { return h.ctx }

// Age returns the time since the claim, or the last successful renewal, was requested.
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

// MayBegin reports whether something irrevocable may begin.
func (h *Held) MayBegin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left() > 0 && (h.terms.Begin == 0 || time.Since(h.asked) < h.terms.Begin)
}

// left returns the time until the lease is too old, and marks it as lost if it is. The lock is
// held.
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

// expire runs when the lease is too old, unless it was renewed.
func (h *Held) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := h.left(); left > 0 {
		h.timer.Reset(left)
	}
}

// Renewed records a successful renewal that was requested at asked, as for [Terms.Take].
func (h *Held) Renewed(asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if asked.After(h.asked) {
		h.asked = asked
	}
}

// Lose ends the work under a lease that was lost or given up. The cause of its context is why, and
// [ErrLost] too.
func (h *Held) Lose(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !errors.Is(why, ErrLost) {
		why = fmt.Errorf("%w: %w", ErrLost, why)
	}
	h.lose(why)
}

// lose is [Held.Lose] for callers that hold the lock.
func (h *Held) lose(why error) {
	h.lost = true
	h.timer.Stop()
	h.cancel(why)
}

// End ends the context and waits for the renewals to end. It does not touch the row.
func (h *Held) End() {
	h.cancel(context.Canceled)
	h.keeper.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer.Stop()
}

// Keep renews the lease in the background until its context ends. If renew returns [ErrLost], the
// work ends at once. Any other error is passed to failed, and renew is called again soon, until the
// lease is too old. The context of renew ends with the lease, so that a renewal that hangs blocks
// nothing.
func (h *Held) Keep(renew func(context.Context) error, failed func(error)) {
	h.keeper.Go(func() {
		timer := time.NewTimer(h.terms.Every)
		defer timer.Stop()
		for {
			select {
			case <-h.ctx.Done():
				return
			case <-timer.C:
			}
			timer.Reset(h.renew(renew, failed))
		}
	})
}

func (h *Held) renew(renew func(context.Context) error, failed func(error)) time.Duration {
	asked := time.Now()
	err := renew(h.ctx)
	switch {
	case err == nil:
		h.Renewed(asked)
		return h.terms.Every
	case errors.Is(err, ErrLost):
		h.Lose(err)
	case h.ctx.Err() == nil: // otherwise the lease is over
		failed(err)
	}
	return h.terms.Every / 4
}
