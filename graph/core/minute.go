package core

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// minuteParts are the parts of a minute's allowance.
const minuteParts = 60_000

// PerMinute bounds what each store spends within a minute in this process, by a limit.
type PerMinute struct {
	name  limit.Name
	spent *ratelimit.Limiter[xid.ID]
}

// NewPerMinute returns the bound of a limit.
func NewPerMinute(name limit.Name) *PerMinute {
	// Only other numbers are an error.
	spent, _ := ratelimit.New[xid.ID](ratelimit.Config{Rate: minuteParts / time.Minute.Seconds(), Burst: minuteParts})
	return &PerMinute{name, spent}
}

// Spend spends n for the viewer's store. It is let through where anything of the minute's
// allowance is left. Otherwise the fault is [fault.RateLimited], with the limit's name: unlike that
// of a quota, the refusal is not kept with an idempotency key.
func (p *PerMinute) Spend(ctx context.Context, c *Core, n int64) error {
	most, err := c.limitOf(ctx, p.name)
	if err != nil {
		return err
	}
	store := viewer.From(ctx).Store
	if d := p.spent.Take(store); !d.OK {
		row, _ := p.name.Row()
		return &fault.Error{Kind: fault.RateLimited, Limit: string(p.name), Detail: row.Reached(most),
			RetryAfter: max(d.RetryAfter, time.Second)}
	}
	p.spent.Charge(store, int(minuteParts*min(n, most)/most))
	return nil
}

// knownFor is how long the limits of a store are remembered.
const knownFor = 10 * time.Second

// known are the limits that a store has of its own, as they were read.
type known struct {
	own   limit.Values
	until time.Time
}

// limitOf returns a limit of the viewer's store as it was within the last seconds: what is asked
// with each write does not read the store's row each time.
func (c *Core) limitOf(ctx context.Context, name limit.Name) (int64, error) {
	store := viewer.From(ctx).Store
	k, ok := c.limits.Get(store)
	if !ok || time.Now().After(k.until) {
		s, err := c.CurrentStore(ctx)
		if err != nil {
			return 0, err
		}
		own, err := s.Limits.Values()
		if err != nil {
			return 0, fmt.Errorf("read the limits of the store: %w", err)
		}
		k = known{own, time.Now().Add(knownFor)}
		c.limits.Add(store, k)
	}
	if most, ok := k.own[name]; ok {
		return most, nil
	}
	return c.Limits.Of(name), nil
}

// LimitsChanged makes this process read the limits of the viewer's store again once the
// transaction of ctx commits. Others do within [knownFor].
func (c *Core) LimitsChanged(ctx context.Context) {
	store := viewer.From(ctx).Store
	ent.OnCommit(ctx, func() { c.limits.Remove(store) })
}
