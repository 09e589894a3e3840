package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// gapOfLeaving bounds the gap when a dispatcher stops regularly: 300 ms, with a margin for slow
// machines.
const gapOfLeaving = slower * time.Second

// One of two dispatchers stops while events arrive: the other continues at once, with nothing lost,
// out of order or twice.
func TestWebhookLeave(t *testing.T) { // alone: it is about time
	storetest.Campaign(t)
	storetest.Sequential(t)
	each(t, func(t *testing.T, s settings) {
		s = s.plus("--no-dispatch")
		p := start(t, s)
		c, sink := hire(t, 10*time.Millisecond, p), receiving(t)
		var books []*book
		for i := range 4 {
			b := sink.open(fmt.Sprintf("/in/%d", i), func(*entry) mood { return slowly(20 * time.Millisecond) })
			p.register(t, c.store.Keys["all"], b, salesEvents...)
			books = append(books, b)
		}
		owner := dispatcher(t, s)
		c.begin(t, 3)
		for _, b := range books {
			sink.arrives(t, b, patience)
		}
		for round := range 3 {
			// The first one keeps its queues while it has something to send.
			next := dispatcher(t, s)
			asked := time.Now()
			if code := owner.stop(t); code != 0 {
				t.Errorf("the dispatcher ended with %d", code)
			}
			left := time.Now()
			for _, b := range books {
				sink.arrives(t, b, takeOver)
			}
			beats(time.Second)
			for _, b := range books {
				gap := b.gap(asked, time.Now())
				t.Logf("round %d, %s: it left within %v, the longest gap is %v", round, b.path,
					left.Sub(asked).Round(time.Millisecond), gap)
				if gap > gapOfLeaving {
					t.Errorf("round %d, %s: nothing came for %v", round, b.path, gap)
				}
			}
			owner = next
		}
		c.finish(t, sink, nil, 0, books...)
	})
}

// gap returns the longest time without a request to a book.
func (b *book) gap(from, to time.Time) (longest time.Duration) {
	last := from
	for _, e := range b.all() {
		if e.at.After(from) && e.at.Before(to) {
			longest, last = max(longest, e.at.Sub(last)), e.at
		}
	}
	return max(longest, to.Sub(last)).Round(time.Millisecond)
}
