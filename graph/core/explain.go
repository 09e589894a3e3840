package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// ErrNoRow is returned when a query by key finds no row.
var ErrNoRow = errors.New("no such row")

// Explain turns a missing row and an unavailable database into faults that callers may read. It
// wraps other errors with what.
func Explain(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case db.IsNotFound(err), errors.Is(err, ErrNoRow):
		return fault.Missing(what)
	case ent.IsUnavailable(err):
		return &fault.Error{Kind: fault.Unavailable, Detail: "The service is temporarily unavailable.",
			RetryAfter: time.Second, Err: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Invalid returns the fault of one invalid member.
func Invalid(name, code, detail string) *fault.Error {
	return fault.Invalid(fault.Field{Pointer: "#/" + name, Code: code, Detail: detail})
}

// ParseID parses the id of a resource. A malformed id returns the same 404 as an unknown one
// (contract, section 1).
func ParseID(kind xid.Kind, text string) (xid.ID, error) {
	id, err := kind.Parse(text)
	if err != nil {
		return xid.Nil, fault.Missing(change.KindName(kind))
	}
	return id, nil
}

// Get reads the row with the public id. Malformed and unknown ids return the same fault.
func Get[R any](
	ctx context.Context, kind xid.Kind, id string, load func(context.Context, xid.ID) (R, error),
) (row R, err error) {
	uid, err := ParseID(kind, id)
	if err != nil {
		return row, err
	}
	row, err = load(ctx, uid)
	return row, Explain(change.KindName(kind), err)
}
