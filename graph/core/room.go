package core

import (
	"context"
	"fmt"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
)

// Quota is how many of something the viewer's store has at most.
type Quota struct {
	What string // in the plural, such as "apps"
	Most int
	// Index is the one by which they are counted.
	Index string
	// Advice follows the refusal; it may be empty.
	Advice string
}

// Find runs a query of the entity that is counted, as pick narrows it, into ids.
type Find func(pick func(*sql.Selector), ids any) error

// Room refuses one more of what a store has at most. The update of the store's row
// makes changes of one store wait for each other; the locking read then counts what
// the one before left.
func (c *Core) Room(ctx context.Context, q Quota, find Find) error {
	if err := c.meet(ctx); err != nil {
		return err
	}
	return q.Check(find)
}

// Check is [Core.Room] where the store is held already.
func (q Quota) Check(find Find) error {
	var rows []struct {
		ID xid.ID `sql:"id"`
	}
	pick := func(s *sql.Selector) {
		ent.ForUpdate(s)
		ent.ForceIndex(q.Index)(s)
		s.Select(s.C("id")).Limit(q.Most)
	}
	if err := find(pick, &rows); err != nil {
		return fmt.Errorf("count %s: %w", q.What, err)
	}
	if len(rows) < q.Most {
		return nil
	}
	text := "The store has " + strconv.Itoa(q.Most) + " " + q.What + ", which is the limit"
	if q.Advice != "" {
		text += ": " + q.Advice
	}
	return fault.State(fault.LimitReached, text+".")
}
