// Package change writes changes of rows: the row with its next version and event sequence, one audit
// row, and the events, in one transaction. Only a row that nobody changed in the meantime is written.
package change

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// Record describes what a change writes besides its rows: one audit row and its events.
type Record struct {
	Action string // such as "product.update"; "" writes no audit row
	Kind   xid.Kind
	ID     xid.ID
	Detail string // short, without personal data; may be empty
	// Of is the resource of the events, which are in order.
	Of     outbox.Resource
	Events []outbox.Entry
	// recorded is [Versioned.Recorded].
	recorded func(ctx context.Context, id xid.ID)
}

// Commit runs a change and writes its record in one transaction. f makes the change and returns its
// record, or nil if it changed nothing; like any function of [ent.Store.InTx] it may run again.
// Commit joins an open transaction.
func Commit(ctx context.Context, s *ent.Store, f func(context.Context) (*Record, error)) error {
	return s.InTx(ctx, func(ctx context.Context) error {
		r, err := f(ctx)
		if err != nil || r == nil {
			return err
		}
		return r.Write(ctx, s.DB(ctx))
	})
}

// Write writes the audit row and the events in the transaction of ctx.
func (r *Record) Write(ctx context.Context, c *db.Client) error {
	if r.recorded != nil {
		r.recorded(ctx, r.ID)
	}
	if r.Action != "" {
		if err := audit.Write(ctx, c, r.Action, r.Kind, r.ID, r.Detail); err != nil {
			return err
		}
	}
	if len(r.Events) == 0 {
		return nil
	}
	return outbox.Append(ctx, c, r.Of, r.Events...)
}

// EventsOf returns events of the given types with the same representation.
func EventsOf(object []byte, types ...event.Type) []outbox.Entry {
	list := make([]outbox.Entry, len(types))
	for i, t := range types {
		list[i] = outbox.Entry{Type: t, Object: object}
	}
	return list
}

// Stale returns the fault for a change that expected another version.
func Stale(kind xid.Kind, expected, present int64) error {
	return fault.State(fault.VersionMismatch,
		fmt.Sprintf("The %s has version %d, not %d. Read it again.", KindName(kind), present, expected))
}

// Swapped checks the result of a compare-and-set on the version that this transaction read. A count
// of 0 means that another transaction changed the row first.
func Swapped(kind xid.Kind, count int, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("change %s: %w", KindName(kind), err)
	case count == 0:
		return fault.State(fault.VersionMismatch, "The "+KindName(kind)+" was changed in the meantime. Read it again.")
	}
	return nil
}

// UpdateTime returns the time of a change. It is later than before even if the clocks of two
// processes differ, and not earlier than the transaction, so that lists of changes include it.
func UpdateTime(ctx context.Context, before micros.Time) micros.Time {
	return moment.Raise(ctx, outbox.After(before))
}

// RaiseUpdatedAt sets updated_at of rows that were not read, by the rule of [UpdateTime]. now comes from
// [moment.Now].
func RaiseUpdatedAt(now micros.Time) func(*sql.UpdateBuilder) {
	return func(u *sql.UpdateBuilder) {
		const later = micros.Time(outbox.Spread)
		u.Set("updated_at",
			sql.Expr("CASE WHEN `updated_at` > ? THEN `updated_at` + ? ELSE ? END", now-later, later, now))
	}
}
