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

// minuteParts is the number of units into which a minute's allowance is divided.
const minuteParts = 60_000

// PerMinute bounds what each store spends per minute in this process.
type PerMinute struct {
	name  limit.Name
	spent *ratelimit.Limiter[xid.ID]
}

// NewPerMinute returns the bound for a limit.
func NewPerMinute(name limit.Name) *PerMinute {
	// Only other numbers would be an error.
	spent, _ := ratelimit.New[xid.ID](ratelimit.Config{Rate: minuteParts / time.Minute.Seconds(), Burst: minuteParts})
	return &PerMinute{name, spent}
}

// Spend charges n to the viewer's store. It succeeds while anything of the minute's allowance is
// left. Otherwise it returns [fault.RateLimited] with the limit's name; unlike the refusal at a
// quota, this one is not stored with an idempotency key.
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

// knownFor is how long the limits of a store are cached.
const knownFor = 10 * time.Second

// known holds the store's own limits as they were read.
type known struct {
	own   limit.Values
	until time.Time
}

// limitOf returns a limit of the viewer's store, at most [knownFor] old, so that writes need not
// read the store's row each time.
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

// LimitsChanged drops the cached limits of the viewer's store once the transaction of ctx commits.
// Other processes follow within [knownFor].
func (c *Core) LimitsChanged(ctx context.Context) {
	store := viewer.From(ctx).Store
	ent.OnCommit(ctx, func() { c.limits.Remove(store) })
}
