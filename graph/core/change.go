package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// Record describes what a change writes besides its rows: one audit row and its events.
type Record struct {
	Action string // such as "product.update"
	Kind   xid.Kind
	ID     xid.ID
	Detail string // short, without personal data; may be empty
	// Of is the resource of the events, which are in order.
	Of     outbox.Resource
	Events []outbox.Entry
}

// Commit runs a change and writes its record in one transaction. It is the only way to change
// something. f makes the change and returns its record, or nil if it changed nothing; like any
// function of [ent.Store.InTx] it may run again. Commit joins an open transaction, and its errors
// are explained with the name of kind.
func (c *Core) Commit(ctx context.Context, kind xid.Kind, f func(context.Context) (*Record, error)) error {
	return Explain(KindName(kind), c.Store.InTx(ctx, func(ctx context.Context) error {
		done, err := f(ctx)
		if err != nil || done == nil {
			return err
		}
		if done.Kind == xid.Customer || done.Kind == xid.Order {
			idem.About(ctx, done.ID)
		}
		if done.Kind == xid.Theme {
			if v := viewer.From(ctx); v != nil {
				c.themeChanged(ctx, v.Store)
			}
		}
		if err := audit.Write(ctx, c.Client(ctx), done.Action, done.Kind, done.ID, done.Detail); err != nil {
			return err
		}
		return c.Announce(ctx, done.Of, done.Events...)
	}))
}

// Announce writes events in the transaction of ctx, for a resource other than the one of the
// [Record].
func (c *Core) Announce(ctx context.Context, of outbox.Resource, events ...outbox.Entry) error {
	if len(events) == 0 {
		return nil
	}
	return outbox.Append(ctx, c.Client(ctx), of, events...)
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

// CheckTransition returns a fault unless the state machine allows the transition: present must be in from.
func CheckTransition[S ~string](what string, present, to S, from ...S) error {
	if slices.Contains(from, present) {
		return nil
	}
	return fault.State(fault.InvalidTransition,
		fmt.Sprintf("The %s is %s and cannot become %s.", what, Words(present), Words(to)))
}

// Words returns a state as it reads in a sentence.
func Words[S ~string](s S) string { return strings.ReplaceAll(string(s), "_", " ") }

// TooLargeBy returns the fault for an order total above the largest amount. line is the index of
// the most expensive line; alone means that this line exceeds the amount by itself.
func TooLargeBy(line int, alone bool) error {
	if alone {
		return TooLarge(fmt.Sprintf("total of line %d", line+1))
	}
	return TooLarge(fmt.Sprintf("order's total, of which line %d is the largest part,", line+1))
}

// TooLarge returns the fault for a sum above the largest amount.
func TooLarge(what string) error {
	return fault.State(fault.AmountTooLarge, "The "+what+" would be above the largest amount.")
}
