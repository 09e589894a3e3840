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

// minute is the allowance of a store's reports, in parts of it.
const minute = 60_000

// meter bounds what the reports of each store read in this process. What one will read
// is known when it has: so the reports of a store are read one after the other, and
// each is let through where anything is left of the minute's allowance.
type meter struct {
	spent *ratelimit.Limiter[xid.ID]
	mu    sync.Mutex
	turns map[xid.ID]chan struct{} // closed when the report of a store has ended
}

func newMeter() *meter {
	// Only other numbers are an error.
	spent, _ := ratelimit.New[xid.ID](ratelimit.Config{Rate: minute / time.Minute.Seconds(), Burst: minute})
	return &meter{spent: spent, turns: map[xid.ID]chan struct{}{}}
}

// turn waits until no other report of the store is read. The function that it returns
// lets the next one begin.
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

// metered runs a report of a store, which returns how many orders it has read. One that
// fails may have read all that there are: no more than were numbered.
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
