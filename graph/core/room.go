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

// LimitsOf returns the limits of a store: its own over those that the operator set for
// all.
func (c *Core) LimitsOf(s *db.Store) (limit.Values, error) { return s.Limits.Over(c.Limits) }

// OwnLimits returns the limits of the viewer's store.
func (c *Core) OwnLimits(ctx context.Context) (limit.Values, error) {
	s, err := c.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	return c.LimitsOf(s)
}

// Find runs a query of the entity that is counted, as pick narrows it, into ids.
type Find func(pick func(*sql.Selector), ids any) error

// Room refuses one more of what a store has at most, counted by an index. The update
// of the store's row makes changes of one store wait for each other; the locking read
// then counts what the one before left.
func (c *Core) Room(ctx context.Context, name limit.Name, index string, find Find) error {
	if err := c.meet(ctx); err != nil {
		return err
	}
	return c.RoomLeft(ctx, name, index, find)
}

// RoomLeft is [Core.Room] where the store is held already.
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

// SpaceLeft refuses so many bytes beside what a store has at most, as find reads it
// row by row. The store is held already, as by [Core.Room].
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

// Within counts one of what the viewer's store, or one of its resources, causes within
// a window, and refuses one that is too many: it comes back bit by bit. It counts in a
// transaction of its own.
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

// Reached is the answer at a limit of so many.
func Reached(name limit.Name, most int64) error {
	row, _ := name.Row()
	return fault.AtLimit(string(name), row.Reached(most))
}
