// Package budget bounds the memory of answers while they are read, written and sent.
//
// The number of rows says little about the size of an answer: a product may have a description of
// 262 KB. Each answer has its own budget; another budget is shared by the answers of one store, and
// another by those of all stores. Only long values count, since the number of rows bounds the rest.
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
	// maxStore bounds the bytes of one store's answers in progress, and maxAll those of all stores.
	maxStore = 64 << 20
	maxAll   = 256 << 20
	// free is the part of each answer that does not count, which covers most answers.
	free = 1 << 20
)

// Ledger counts the bytes of answers in progress.
type Ledger struct {
	mu     sync.Mutex
	all    int64
	stores map[xid.ID]int64 // only stores with a positive count
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{stores: map[xid.ID]int64{}} }

// Held returns the bytes that are counted now.
func (l *Ledger) Held() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// take adds n bytes, which may be negative, to a store's count. It fails with RateLimited if the
// store has no room, and with Unavailable if the service has none.
func (l *Ledger) take(store xid.ID, n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	of, all := l.stores[store]+n, l.all+n
	switch {
	case n > 0 && of > maxStore:
		return &fault.Error{Kind: fault.RateLimited, RetryAfter: time.Second,
			Detail: "Other large responses of this store are being sent. Try again in a moment, or request fewer rows."}
	case n > 0 && all > maxAll:
		return &fault.Error{Kind: fault.Unavailable, RetryAfter: time.Second,
			Detail: "Other large responses are being sent. Try again in a moment, or request fewer rows."}
	}
	l.all, l.stores[store] = all, of
	if of == 0 {
		delete(l.stores, store)
	}
	return nil
}

// Answer counts the bytes of one answer. It is safe for concurrent use.
type Answer struct {
	ledger *Ledger
	store  xid.ID
	early  bool

	mu      sync.Mutex
	read    int64 // bytes of long values in its rows
	written int64
	counted int64 // in the ledger
}

// Open returns the budget of an answer about a store. [Answer.Close] releases it.
func (l *Ledger) Open(store xid.ID) *Answer { return &Answer{ledger: l, store: store} }

// EndEarly says that a page of a list may have fewer rows than asked for.
func (a *Answer) EndEarly() { a.early = true }

// MayEndEarly reports whether [Answer.EndEarly] was called.
func (a *Answer) MayEndEarly() bool { return a != nil && a.early }

// With returns a context whose reads are counted.
func (a *Answer) With(ctx context.Context) context.Context { return ent.WithMeter(ctx, a) }

// Of returns the answer that counts the reads of a context, or nil.
func Of(ctx context.Context) *Answer {
	a, _ := ent.MeterOf(ctx).(*Answer)
	return a
}

// Read implements [ent.Meter]. It fails with [fault.AnswerTooLarge] when the rows exceed
// [limit.Answer], and with [fault.RateLimited] or [fault.Unavailable] when the ledger has no room.
func (a *Answer) Read(n int) error {
	return a.add(&a.read, n)
}

// Write counts n bytes of the answer itself. It fails as [Answer.Read] does.
func (a *Answer) Write(n int) error {
	return a.add(&a.written, n)
}

func (a *Answer) add(to *int64, n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	*to += int64(n)
	if *to > limit.Answer {
		return TooLarge()
	}
	return a.count()
}

// Forget uncounts the rows that were read, because the caller reads others instead.
func (a *Answer) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read = 0
	_ = a.count() // cannot fail: it is less than before
}

// Settle replaces the count by the n bytes of the finished answer. It fails if the ledger has no
// room for them.
func (a *Answer) Settle(n int) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read, a.written = 0, int64(n)
	return a.count()
}

// Close releases the budget once the answer is sent. The answer may be nil.
func (a *Answer) Close() { _ = a.Settle(0) }

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

// TooLarge returns the error of an answer that exceeds [limit.Answer].
func TooLarge() *fault.Error {
	return fault.Newf(fault.AnswerTooLarge,
		"The response has more than %d bytes. Request fewer rows or fewer fields.", limit.Answer)
}
