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
