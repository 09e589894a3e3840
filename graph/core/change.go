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

// Record is what a change leaves behind besides itself: its row of the audit log
// and its events.
type Record struct {
	Action string // such as "product.update"
	Kind   xid.Kind
	ID     xid.ID
	Detail string // short, without personal data; may be empty
	// Of is what the events are about; they are in their order.
	Of     outbox.Resource
	Events []outbox.Entry
}

// Commit runs a change of a kind of resource in one transaction with all that it
// leaves behind, and explains its error. It is the only way to change something: f
// makes the change and returns its record, or nil when it has changed nothing. It
// may run again, as [ent.Store.InTx] says, and joins a transaction that is open.
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
				c.looksChanged(ctx, v.Store)
			}
		}
		if err := audit.Write(ctx, c.Client(ctx), done.Action, done.Kind, done.ID, done.Detail); err != nil {
			return err
		}
		return c.Announce(ctx, done.Of, done.Events...)
	}))
}

// Announce writes events about a resource in the transaction of ctx: for what
// changes along with the resource that the [Record] is about.
func (c *Core) Announce(ctx context.Context, of outbox.Resource, events ...outbox.Entry) error {
	if len(events) == 0 {
		return nil
	}
	return outbox.Append(ctx, c.Client(ctx), of, events...)
}

// EventsOf returns events that carry one representation.
func EventsOf(object []byte, types ...event.Type) []outbox.Entry {
	list := make([]outbox.Entry, len(types))
	for i, t := range types {
		list[i] = outbox.Entry{Type: t, Object: object}
	}
	return list
}

// Stale is the answer to a change that expected another version.
func Stale(kind xid.Kind, expected, present int64) error {
	return fault.State(fault.VersionMismatch,
		fmt.Sprintf("The %s has version %d, not %d: read it again.", KindName(kind), present, expected))
}

// Swapped judges the count of a compare-and-set that named a version which this
// transaction had just read: none changed means that another one came first.
func Swapped(kind xid.Kind, count int, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("change %s: %w", KindName(kind), err)
	case count == 0:
		return fault.State(fault.VersionMismatch, "The "+KindName(kind)+" was changed meanwhile: read it again.")
	}
	return nil
}

// UpdateTime returns the time of a change: later than the one before, whatever the clocks of two
// processes say, and not before the transaction, so that a list of changes shows it.
func UpdateTime(ctx context.Context, before micros.Time) micros.Time {
	return moment.Raise(ctx, outbox.After(before))
}

// Touched raises updated_at as [UpdateTime] does, in a row that was not read. now is of [moment.Now].
func Touched(now micros.Time) func(*sql.UpdateBuilder) {
	return func(u *sql.UpdateBuilder) {
		const later = micros.Time(outbox.Spread)
		u.Set("updated_at",
			sql.Expr("CASE WHEN `updated_at` > ? THEN `updated_at` + ? ELSE ? END", now-later, later, now))
	}
}

// Allowed refuses a transition that the state machine does not have.
func Allowed[S ~string](what string, present, to S, from ...S) error {
	if slices.Contains(from, present) {
		return nil
	}
	return fault.State(fault.InvalidTransition,
		fmt.Sprintf("The %s is %s and cannot become %s.", what, Words(present), Words(to)))
}

// Words is a state as a sentence has it.
func Words[S ~string](s S) string { return strings.ReplaceAll(string(s), "_", " ") }

// TooLargeBy is the answer to the total of an order that no amount can hold, with the index of the line that
// costs most. Alone says that this line does so by itself.
func TooLargeBy(line int, alone bool) error {
	if alone {
		return TooLarge(fmt.Sprintf("total of line %d", line+1))
	}
	return TooLarge(fmt.Sprintf("order's total, of which line %d is the largest part,", line+1))
}

// TooLarge is the answer to a sum that no amount can hold.
func TooLarge(what string) error {
	return fault.State(fault.AmountTooLarge, "The "+what+" would be above the largest amount.")
}
