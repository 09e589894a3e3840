package report

import (
	"context"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// minute is the allowance of a store's reports per minute, in units of 1/60,000 of it.
const minute = 60_000

// meter bounds what the reports of each store read in this process. The cost of a report is known
// only afterwards, so the reports of a store run one at a time, and each may run if any of the
// minute's allowance is left.
type meter struct {
	spent *ratelimit.Limiter[xid.ID]
	mu    sync.Mutex
	turns map[xid.ID]chan struct{} // closed when the store's current report has ended
}

func newMeter() *meter {
	// These constants are valid.
	spent, _ := ratelimit.New[xid.ID](ratelimit.Config{Rate: minute / time.Minute.Seconds(), Burst: minute})
	return &meter{spent: spent, turns: map[xid.ID]chan struct{}{}}
}

// turn waits until no other report of the store is running. Calling end lets the next one begin.
func (m *meter) turn(ctx context.Context, store xid.ID) (end func(), err error) {
	for {
		m.mu.Lock()
		other := m.turns[store]
		if other == nil {
			own := make(chan struct{})
			m.turns[store] = own
			m.mu.Unlock()
			return func() {
				m.mu.Lock()
				delete(m.turns, store)
				m.mu.Unlock()
				close(own)
			}, nil
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// metered runs a report of a store, which returns how many orders it has read. A failed one is
// charged the most that it can have read: all orders that were numbered.
func (r *Resolver) metered(ctx context.Context, s *db.Store, report func() (read int64, err error)) error {
	limits, err := r.LimitsOf(s)
	if err != nil {
		return err
	}
	end, err := r.meter.turn(ctx, s.ID)
	if err != nil {
		return err
	}
	defer end()
	most := limits.Of(limit.ReportOrders)
	if !r.meter.spent.Take(s.ID).OK {
		return core.Reached(limit.ReportOrders, most)
	}
	read, err := report()
	if err != nil {
		read = s.NextNumber
	}
	r.meter.spent.Charge(s.ID, int(minute*min(read, most)/most))
	return err
}
