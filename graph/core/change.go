package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// Commit is [change.Commit]. It is the only way for an operation to change something. Its errors are
// explained with the name of kind.
func (c *Core) Commit(ctx context.Context, kind xid.Kind, f func(context.Context) (*change.Record, error)) error {
	return Explain(change.KindName(kind), change.Commit(ctx, c.Store, f))
}

// Commit is [Core.Commit] of a change with a result, which is zero after an error.
func Commit[T any](ctx context.Context, c *Core, kind xid.Kind,
	f func(context.Context) (T, *change.Record, error),
) (done T, err error) {
	err = c.Commit(ctx, kind, func(ctx context.Context) (r *change.Record, err error) {
		done, r, err = f(ctx)
		return r, err
	})
	if err != nil {
		var none T
		return none, err
	}
	return done, nil
}

// Change runs edit on the row with the public id if it has the expected version, and returns the
// changed row.
func Change[R any, U change.Update[U]](ctx context.Context, c *Core, v *change.Versioned[R, U],
	id string, expected int64, action string, edit func(context.Context, *change.Edit[R, U]) error,
) (row R, err error) {
	uid, err := ParseID(v.Kind, id)
	if err != nil {
		return row, err
	}
	err = c.Commit(ctx, v.Kind, func(ctx context.Context) (_ *change.Record, err error) {
		if row, err = v.Expect(ctx, uid, expected); err != nil {
			return nil, err
		}
		return v.Apply(ctx, row, action, edit)
	})
	return row, err
}

// Remove deletes the row with the public id if it has the expected version. before runs first, in
// the transaction; nil does nothing.
func Remove[R any, U change.Update[U]](ctx context.Context, c *Core, v *change.Versioned[R, U],
	id string, expected int64, action string, before func(context.Context, R) error, events ...event.Type,
) error {
	uid, err := ParseID(v.Kind, id)
	if err != nil {
		return err
	}
	return c.Commit(ctx, v.Kind, func(ctx context.Context) (*change.Record, error) {
		row, err := v.Expect(ctx, uid, expected)
		if err != nil {
			return nil, err
		}
		if before != nil {
			if err := before(ctx, row); err != nil {
				return nil, err
			}
		}
		return v.Remove(ctx, row, action, events...)
	})
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

// CreatedAt is [Check.Past] for what only staff and the operator may import.
func (c *Check) CreatedAt(ctx context.Context, name string, t *micros.Time) {
	if v := viewer.From(ctx); t != nil && v.Kind != viewer.Staff && v.Kind != viewer.System {
		c.Add(name, fault.UnknownMember, "Only staff can set times when they import.")
		return
	}
	c.Past(name, t)
}

// Past checks the time of an import, which must be in the past.
func (c *Check) Past(name string, t *micros.Time) {
	if t != nil && *t > micros.Now() {
		c.Add(name, fault.OutOfRange, "The time is in the future.")
	}
}

// NewID returns an id for the time of an import, or for now if t is nil.
func NewID(t *micros.Time) xid.ID {
	if t != nil {
		return xid.At(*t)
	}
	return xid.New()
}

// ChangeTime returns the first updated_at of a row: its creation, or now for an import, because
// clients that sync by changes have already passed the imported time.
func ChangeTime(ctx context.Context, id xid.ID, imported *micros.Time) micros.Time {
	if imported != nil {
		return moment.Now(ctx)
	}
	return moment.Raise(ctx, id.Time())
}
