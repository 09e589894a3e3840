// Package audit writes the audit log: who did what to which resource, in the
// transaction that does it; and people's own logs of what happened to their accounts.
package audit

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// insert is written out: every change runs it, and a builder of statements costs more than the
// database takes for it.
const insert = "INSERT INTO audit_log (store_id, id, actor_type, actor_id, actor_name, action, resource_type, " +
	"resource_id, detail, address, agent, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

// Write notes what the viewer of ctx does. The detail is short and holds no
// personal data; it may be empty.
func Write(ctx context.Context, c *db.Client, action string, kind xid.Kind, id xid.ID, detail string) error {
	store, err := rule.Stamp(ctx)
	if err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	v, from := viewer.From(ctx), viewer.OriginOf(ctx)
	var actor any
	if !v.Actor.IsNil() {
		actor = v.Actor
	}
	_, err = c.ExecContext(ctx, insert, store, xid.New(), string(v.Kind), actor, v.Name, action, kind.Resource(), id,
		given(detail), from.Address(), from.Program(), given(from.Request))
	if err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	return nil
}

// given is a text, or NULL for none.
func given(s string) any {
	if s == "" {
		return nil
	}
	return s
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
