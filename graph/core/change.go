package core

import (
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/outbox"
)

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

// UpdateTime is the time of a change: later than the one before, whatever the
// clocks of two processes say, so that a list of changes shows it.
func UpdateTime(before micros.Time) micros.Time { return outbox.After(before) }

// Allowed refuses a transition that the state machine does not have.
func Allowed[S ~string](what string, present, to S, from ...S) error {
	if slices.Contains(from, present) {
		return nil
	}
	return fault.State(fault.InvalidTransition,
		fmt.Sprintf("The %s is %s and cannot become %s.", what, Words(present), Words(to)))
}

func Words[S ~string](s S) string { return strings.ReplaceAll(string(s), "_", " ") }

// TooLarge is the answer to a sum that no amount can hold.
func TooLarge(what string) error {
	return fault.State(fault.AmountTooLarge, "The "+what+" would be above the largest amount.")
}

// Touched raises updated_at as [updateTime] does, in a row that was not read.
func Touched(now micros.Time) func(*sql.UpdateBuilder) {
	return func(u *sql.UpdateBuilder) {
		const later = micros.Time(outbox.Spread)
		u.Set("updated_at", sql.Expr("CASE WHEN `updated_at` > ? THEN `updated_at` + ? ELSE ? END", now-later, later, now))
	}
}
