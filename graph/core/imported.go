package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// CreatedAt checks the time of an import: people's work, and of the past.
func (c *Check) CreatedAt(ctx context.Context, name string, t *micros.Time) {
	switch v := viewer.From(ctx); {
	case t == nil:
	case v.Kind != viewer.Staff && v.Kind != viewer.System:
		c.Add(name, fault.UnknownMember, "Only people import with their own times.")
	case *t > micros.Now():
		c.Add(name, fault.OutOfRange, "The time is in the future.")
	}
}

// NewID mints an id for now, or for the time of an import.
func NewID(t *micros.Time) xid.ID {
	if t != nil {
		return xid.At(*t)
	}
	return xid.New()
}

// ChangeTime returns the first updated_at: the creation, or now for an import, since a client that
// syncs by changes has passed the import's own time.
func ChangeTime(ctx context.Context, id xid.ID, imported *micros.Time) micros.Time {
	if imported != nil {
		return moment.Now(ctx)
	}
	return moment.Raise(ctx, id.Time())
}
