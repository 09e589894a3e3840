// Package audit writes the audit log: who did what to which resource, in the
// transaction that does it; and people's own logs of what happened to their accounts.
package audit

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
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
	from := viewer.OriginOf(ctx)
	if from.Request != "" {
		row.SetRequestID(from.Request)
	}
	row.SetNillableAddress(from.Address()).SetNillableAgent(from.Program())
	if _, err := row.Save(ctx); err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	return nil
}

// Account notes in a person's own log what happened to their account, with the address
// and the program of the request of ctx. The detail is short; it may be empty.
func Account(ctx context.Context, c *db.Client, person xid.ID, action state.AccountAction, detail string) error {
	from := viewer.OriginOf(ctx)
	row := c.AccountEvent.Create().SetUserID(person).SetAction(action).
		SetNillableAddress(from.Address()).SetNillableAgent(from.Program())
	if detail != "" {
		row.SetDetail(detail)
	}
	if err := row.Exec(ctx); err != nil {
		return fmt.Errorf("note %s: %w", action, err)
	}
	return nil
}
