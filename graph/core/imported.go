package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
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

// ChangeTime is the first updated_at: the creation, but for an import now, since
// whoever syncs by changes has passed its own time.
func ChangeTime(id xid.ID, imported *micros.Time) micros.Time {
	if imported != nil {
		return micros.Now()
	}
	return id.Time()
}
