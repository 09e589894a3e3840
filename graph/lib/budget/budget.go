// Package budget bounds the memory of answers while they are read, written and sent.
//
// The number of rows says little about the size of an answer: a product may have a description
// of 262 KB. Each answer has a budget of its own, and the answers of one store, and those of all
// stores, share another. Only long values count, since the number of rows bounds the rest.
package budget

import (
	"context"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// maxStore bounds the bytes of one store's answers in the making, and maxAll those of all
	// stores.
	maxStore = 64 << 20
	maxAll   = 256 << 20
	// free is the part of each answer that counts on neither: most answers are smaller.
	free = 1 << 20
)

// Ledger counts the bytes that answers in the making hold.
type Ledger struct {
	mu     sync.Mutex
	all    int64
	stores map[xid.ID]int64 // only of stores that hold some
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{stores: map[xid.ID]int64{}} }

// Held returns the bytes that count on the ledger at the moment.
func (l *Ledger) Held() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// take adds n bytes of a store, which may be negative. It refuses more than the store may hold as
// a rate of the store's own, and more than all may hold as the service's.
func (l *Ledger) take(store xid.ID, n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	of, all := l.stores[store]+n, l.all+n
	switch {
	case n > 0 && of > maxStore:
		return &fault.Error{Kind: fault.RateLimited, RetryAfter: time.Second,
			Detail: "Other large answers of the store are being sent: try again in a moment, or ask for fewer rows."}
	case n > 0 && all > maxAll:
		return &fault.Error{Kind: fault.Unavailable, RetryAfter: time.Second,
			Detail: "Other large answers are being sent: try again in a moment, or ask for fewer rows."}
	}
	l.all, l.stores[store] = all, of
	if of == 0 {
		delete(l.stores, store)
	}
	return nil
}

// Answer is what one answer holds. Several goroutines may use it.
type Answer struct {
	ledger *Ledger
	store  xid.ID
	early  bool

	mu      sync.Mutex
	read    int64 // bytes of long values in its rows
	written int64
	counted int64 // on the ledger
}

// Open returns the budget of an answer about a store, which [Answer.Close] gives back.
func (l *Ledger) Open(store xid.ID) *Answer { return &Answer{ledger: l, store: store} }

// EndEarly says that a page of a list may have fewer rows than asked for.
func (a *Answer) EndEarly() { a.early = true }

// MayEndEarly reports whether [Answer.EndEarly] was called.
func (a *Answer) MayEndEarly() bool { return a != nil && a.early }

// With returns a context whose reads count on the answer.
func (a *Answer) With(ctx context.Context) context.Context { return ent.WithMeter(ctx, a) }

// Of returns the answer that the reads of a context count on, or nil.
func Of(ctx context.Context) *Answer {
	a, _ := ent.MeterOf(ctx).(*Answer)
	return a
}

// Read implements [ent.Meter]. It fails with [fault.AnswerTooLarge] when the rows exceed
// [limit.Answer], and with [fault.RateLimited] or [fault.Unavailable] when the ledger has no room.
func (a *Answer) Read(n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read += int64(n)
	if a.read > limit.Answer {
		return TooLarge()
	}
	return a.count()
}

// Write counts n bytes of the answer itself. It fails as [Answer.Read] does.
func (a *Answer) Write(n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.written += int64(n)
	if a.written > limit.Answer {
		return TooLarge()
	}
	return a.count()
}

// Forget gives back the rows that were read: the caller reads others in their place.
func (a *Answer) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read = 0
	_ = a.count() // less than before
}

// Settle replaces everything that was counted by the n bytes of the finished answer, and fails
// when the ledger has no room for them.
func (a *Answer) Settle(n int) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read, a.written = 0, int64(n)
	return a.count()
}

// Close gives everything back, once the answer was sent; nil is none.
func (a *Answer) Close() { _ = a.Settle(0) }

// count brings the ledger up to date.
func (a *Answer) count() error {
	due := max(0, a.read+a.written-free)
	if due == a.counted {
		return nil
	}
	if err := a.ledger.take(a.store, due-a.counted); err != nil {
		return err
	}
	a.counted = due
	return nil
}

// TooLarge returns the fault of an answer that exceeds [limit.Answer].
func TooLarge() *fault.Error {
	return fault.Newf(fault.AnswerTooLarge,
		"The answer has more than %d bytes. Ask for fewer rows or fewer fields.", limit.Answer)
}
