package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/outbox"
)

// stale is the answer to a change that expected another version.
func stale(kind xid.Kind, expected, present int64) error {
	return fault.State(fault.VersionMismatch,
		fmt.Sprintf("The %s has version %d, not %d: read it again.", what(kind), present, expected))
}

// swapped judges the count of a compare-and-set that named a version which this
// transaction had just read: none changed means that another one came first.
func swapped(kind xid.Kind, count int, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("change %s: %w", what(kind), err)
	case count == 0:
		return fault.State(fault.VersionMismatch, "The "+what(kind)+" was changed meanwhile: read it again.")
	}
	return nil
}

// updateTime is the time of a change: later than the one before, whatever the
// clocks of two processes say, so that a list of changes shows it.
func updateTime(before micros.Time) micros.Time { return outbox.After(before) }

// allowed refuses a transition that the state machine does not have.
func allowed[S ~string](what string, present, to S, from ...S) error {
	if slices.Contains(from, present) {
		return nil
	}
	return fault.State(fault.InvalidTransition,
		fmt.Sprintf("The %s is %s and cannot become %s.", what, words(present), words(to)))
}

func words[S ~string](s S) string { return strings.ReplaceAll(string(s), "_", " ") }
