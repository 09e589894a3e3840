// Package audit writes the audit log: who did what to which resource, in the
// transaction that does it.
package audit

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Write notes what the viewer of ctx does. The detail is short and holds no
// personal data; it may be empty.
func Write(ctx context.Context, c *db.Client, action string, kind xid.Kind, id xid.ID, detail string) error {
	v := viewer.From(ctx)
	row := c.Audit.Create().SetActorType(v.Kind).SetActorName(v.Name).
		SetAction(action).SetResourceType(kind.Resource()).SetResourceID(id)
	if !v.Actor.IsNil() {
		row.SetActorID(v.Actor)
	}
	if detail != "" {
		row.SetDetail(detail)
	}
	if request := viewer.Request(ctx); request != "" {
		row.SetRequestID(request)
	}
	if _, err := row.Save(ctx); err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	return nil
}
