package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// CreatedAt checks the creation time of an import. Only staff and the operator may set one, and it
// must be in the past.
func (c *Check) CreatedAt(ctx context.Context, name string, t *micros.Time) {
	switch v := viewer.From(ctx); {
	case t == nil:
	case v.Kind != viewer.Staff && v.Kind != viewer.System:
		c.Add(name, fault.UnknownMember, "Only staff can set times when they import.")
	case *t > micros.Now():
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
