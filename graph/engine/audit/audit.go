// Package audit writes two kinds of logs, each in the transaction of the change: the audit log of a
// store (who did what to which resource), and every person's log of what happened to their account.
package audit

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// insert is plain SQL because a statement builder would cost more than the row.
const insert = "INSERT INTO audit_log (store_id, id, actor_type, actor_id, actor_name, action, resource_type, " +
	"resource_id, detail, address, agent, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

type entry struct {
	By       string  `json:"by"`
	Actor    []byte  `json:"actor,omitempty"`
	Name     string  `json:"name,omitempty"`
	Action   string  `json:"action"`
	Resource string  `json:"resource"`
	ID       []byte  `json:"id"`
	Detail   string  `json:"detail,omitempty"`
	Address  *string `json:"address,omitempty"`
	Agent    *string `json:"agent,omitempty"`
	Request  string  `json:"request,omitempty"`
}

func entryOf(ctx context.Context, action string, kind xid.Kind, id xid.ID, detail string) entry {
	v, from := viewer.From(ctx), viewer.OriginOf(ctx)
	e := entry{By: string(v.Kind), Name: v.Name, Action: action, Resource: kind.Resource(), ID: id[:], Detail: detail,
		Address: from.Address(), Agent: from.Program(), Request: from.Request}
	if !v.Actor.IsNil() {
		e.Actor = v.Actor[:]
	}
	return e
}

func (e entry) write(ctx context.Context, c *db.Client, store, id xid.ID) error {
	var actor any
	if e.Actor != nil {
		actor = e.Actor
	}
	_, err := c.ExecContext(ent.Later(ctx), insert, store, id, e.By, actor, e.Name, e.Action, e.Resource, e.ID,
		given(e.Detail), e.Address, e.Agent, given(e.Request))
	if err != nil {
		return fmt.Errorf("audit %s: %w", e.Action, err)
	}
	return nil
}

// Write adds a row to the audit log for an action of the viewer of ctx. The detail is short, holds
// no personal data and may be empty.
func Write(ctx context.Context, c *db.Client, action string, kind xid.Kind, id xid.ID, detail string) error {
	store, err := rule.Stamp(ctx)
	if err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	return entryOf(ctx, action, kind, id, detail).write(ctx, c, store, xid.New())
}

func given(s string) any {
	if s == "" {
		return nil
	}
	return s
}

type note struct {
	Action  state.AccountAction `json:"action"`
	Address *string             `json:"address,omitempty"`
	Agent   *string             `json:"agent,omitempty"`
	Detail  string              `json:"detail,omitempty"`
}

func (n note) write(ctx context.Context, c *db.Client, person, id xid.ID) error {
	row := c.AccountEvent.Create().SetUserID(person).SetID(id).SetAction(n.Action).
		SetNillableAddress(n.Address).SetNillableAgent(n.Agent)
	if n.Detail != "" {
		row.SetDetail(n.Detail)
	}
	if err := row.Exec(ctx); err != nil {
		return fmt.Errorf("note %s: %w", n.Action, err)
	}
	return nil
}

// Account adds a row to a person's account log, with the address and the program of the request of
// ctx. The detail is short and may be empty.
func Account(ctx context.Context, c *db.Client, person xid.ID, action state.AccountAction, detail string) error {
	from := viewer.OriginOf(ctx)
	return note{Action: action, Address: from.Address(), Agent: from.Program(), Detail: detail}.
		write(ctx, c, person, xid.New())
}
