package core

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// LimitsOf returns the limits of a store: its own where it has any, else those of the operator.
func (c *Core) LimitsOf(s *db.Store) (limit.Values, error) { return s.Limits.Over(c.Limits) }

// OwnLimits returns the limits of the viewer's store.
func (c *Core) OwnLimits(ctx context.Context) (limit.Values, error) {
	s, err := c.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	return c.LimitsOf(s)
}

// Find runs a query of the counted entity, narrowed by pick, and scans the rows into ids.
type Find func(pick func(*sql.Selector), ids any) error

// FindIn returns the [Find] of a query.
func FindIn[S interface {
	Scan(ctx context.Context, v any) error
}](ctx context.Context, q interface {
	Modify(modifiers ...func(*sql.Selector)) S
},
) Find {
	return func(pick func(*sql.Selector), ids any) error { return q.Modify(pick).Scan(ctx, ids) }
}

// Room refuses another row when a store has reached a limit, counted by an index. It updates the
// store's row first, so that such changes of one store run one after the other and the locking read
// counts what the previous one left.
func (c *Core) Room(ctx context.Context, name limit.Name, index string, find Find) error {
	if err := c.lockCounts(ctx); err != nil {
		return err
	}
	return c.RoomLeft(ctx, name, index, find)
}

// RoomLeft is [Core.Room] for a store whose row is already locked.
func (c *Core) RoomLeft(ctx context.Context, name limit.Name, index string, find Find) error {
	limits, err := c.OwnLimits(ctx)
	if err != nil {
		return err
	}
	most := limits.Of(name)
	var rows []struct {
		ID xid.ID `sql:"id"`
	}
	pick := func(s *sql.Selector) {
		ent.ForUpdate(s)
		ent.ForceIndex(index)(s)
		s.Select(s.C("id")).Limit(int(most))
	}
	if err := find(pick, &rows); err != nil {
		return fmt.Errorf("count %s: %w", name, err)
	}
	if int64(len(rows)) < most {
		return nil
	}
	return Reached(name, most)
}

// PictureRoom locks the store's row and refuses more bytes of images and files than its limit leaves.
// used reads how many the store has.
func (c *Core) PictureRoom(ctx context.Context, used func(context.Context) (int64, error), more int64) error {
	s, err := c.LockedStore(ctx)
	if err != nil {
		return err
	}
	limits, err := c.LimitsOf(s)
	if err != nil {
		return err
	}
	before, err := used(ctx)
	if most := limits.Of(limit.PictureBytes); err == nil && before+more > most {
		return Reached(limit.PictureBytes, most)
	}
	return err
}

// SpaceLeft refuses more bytes than a limit leaves to the store; find reads the sizes of its rows.
// The store's row must be locked, as by [Core.Room].
func (c *Core) SpaceLeft(ctx context.Context, name limit.Name, more int64,
	find func(lock func(*sql.Selector), sizes any) error,
) error {
	limits, err := c.OwnLimits(ctx)
	if err != nil {
		return err
	}
	var sizes []struct {
		Size int64 `sql:"size_bytes"`
	}
	if err := find(ent.ForUpdate, &sizes); err != nil {
		return fmt.Errorf("sum %s: %w", name, err)
	}
	for _, row := range sizes {
		more += row.Size
	}
	if most := limits.Of(name); more > most {
		return Reached(name, most)
	}
	return nil
}

// Within counts one use of a limit per window by a store or one of its resources, and refuses it
// beyond the limit. The allowance refills continuously. It counts in its own transaction.
func (c *Core) Within(ctx context.Context, name limit.Name, window time.Duration, of xid.ID) error {
	limits, err := c.OwnLimits(ctx)
	if err != nil {
		return err
	}
	most := limits.Of(name)
	wait, err := ratelimit.Take(ctx, c.Store, ratelimit.Key(string(name), of.String()), ratelimit.Per(most, window))
	if err == nil && wait > 0 {
		err = Reached(name, most)
	}
	return err
}

// Reached returns the fault for a limit that is reached; most is its value.
func Reached(name limit.Name, most int64) error {
	row, _ := name.Row()
	return fault.AtLimit(string(name), row.Reached(most))
}

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
