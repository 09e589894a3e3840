package access

import (
	"context"
	"fmt"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/membership"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/model"
)

// Hire makes a person a member of the viewer's store without an invitation. Only the demo and tests
// call it.
func (r *Resolver) Hire(ctx context.Context, p Person, role viewer.Role) (*model.Staff, error) {
	person, err := r.Person(ctx, p)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, r.Core, xid.User, func(ctx context.Context) (*model.Staff, *change.Record, error) {
		row, err := r.join(ctx, person.ID, role)
		if err != nil {
			return nil, nil, err
		}
		return &model.Staff{Staff: row, Name: person.Name, Email: person.Email},
			r.members().Created(row, "staff.join", string(role)), nil
	})
}

// join writes the membership and revokes tokens of an earlier one.
func (r *Resolver) join(ctx context.Context, id xid.ID, role viewer.Role) (*db.Staff, error) {
	err := r.Room(ctx, limit.People, ent.Primary, core.FindIn(ctx, r.Client(ctx).Staff.Query()))
	if err != nil {
		return nil, err
	}
	row, err := r.Enrol(ctx, id, role)
	if ent.IsDuplicate(err) {
		return nil, core.Invalid("email", fault.Taken, "This person already belongs to the store.")
	}
	if err != nil {
		return nil, fmt.Errorf("add staff: %w", err)
	}
	return row, r.endTokens(ctx, id)
}

// Enrol writes the membership of a person in the viewer's store after its entry in the directory.
// An existing entry is ignored: only the key of the membership decides whether it exists.
func (r *Resolver) Enrol(ctx context.Context, person xid.ID, role viewer.Role) (*db.Staff, error) {
	err := r.Client(ctx).Membership.Create().SetID(person).SetStoreID(viewer.From(ctx).Store).Exec(ctx)
	if err != nil && !ent.IsDuplicate(err) {
		return nil, fmt.Errorf("add membership to the directory: %w", err)
	}
	row, err := r.Client(ctx).Staff.Create().SetID(person).SetRole(role).SetVersion(1).SetUpdatedAt(micros.Now()).
		Save(ctx)
	if err != nil {
		return nil, err
	}
	return row, r.logStore(ctx, person, state.AccountJoined)
}

func (r *Resolver) logStore(ctx context.Context, person xid.ID, action state.AccountAction) error {
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return fmt.Errorf("find the store of a membership: %w", err)
	}
	return audit.AccountBehind(ctx, r.Tasks, person, action, shop.Name)
}

// afterLeaving cleans up after a membership ended: it removes the store from the person's directory
// entry and revokes their tokens.
func (r *Resolver) afterLeaving(ctx context.Context, person xid.ID) error {
	_, err := r.Client(ctx).Membership.Delete().
		Where(membership.ID(person), membership.StoreID(viewer.From(ctx).Store)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove membership from the directory: %w", err)
	}
	if err := r.endTokens(ctx, person); err != nil {
		return err
	}
	return r.logStore(ctx, person, state.AccountLeft)
}

type staffEdit = change.Edit[*db.Staff, *db.StaffUpdate]

// members describes how memberships change. Callers who may not change the present role, or the
// next one, are refused before anything else is revealed.
func (r *Resolver) members(next ...viewer.Role) *change.Versioned[*db.Staff, *db.StaffUpdate] {
	return &change.Versioned[*db.Staff, *db.StaffUpdate]{
		Kind: xid.User,
		Load: func(ctx context.Context, id xid.ID) (*db.Staff, error) {
			row, err := r.membership(ctx, id)
			if err != nil {
				return nil, err
			}
			return row, ownersOnly(ctx, append(next, row.Role)...)
		},
		Head: func(s *db.Staff) change.Head {
			return change.Head{Store: s.StoreID, ID: s.ID, Version: &s.Version, UpdatedAt: &s.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.StaffUpdate {
			return r.Client(ctx).Staff.Update().Where(staff.ID(id), staff.Version(version))
		},
	}
}

// StaffUpdateRole changes a person's role in the store.
func (m Mutation) StaffUpdateRole(ctx context.Context, id string, role viewer.Role,
	expectedVersion int64,
) (*model.StaffPayload, error) {
	if _, err := core.ParseID(xid.User, id); err != nil {
		return nil, err // before a fault of the role
	}
	c := &core.Check{}
	checkRole(c, "role", role)
	if err := c.Err(); err != nil {
		return nil, err
	}
	var shown []*model.Staff
	edit := func(ctx context.Context, e *staffEdit) error {
		before := e.Row.Role
		show := func(ctx context.Context) (err error) {
			shown, err = m.named(ctx, []*db.Staff{e.Row})
			if err != nil || role != viewer.Owner || before == viewer.Owner {
				return err
			}
			return m.announceOwner(ctx, e.Row.ID, shown[0].Name+" ("+shown[0].Email+") was "+roleName(before)+
				" and is "+roleName(role)+" now.")
		}
		if before == role {
			return show(ctx)
		}
		e.Detail, e.Then = string(role), show
		if err := m.dropRole(ctx, e.Row); err != nil {
			return err
		}
		core.Replace(&e.Changed, &role, "role", &e.Row.Role, e.Update.SetRole)
		return nil
	}
	_, err := core.Change(ctx, m.Core, m.members(role), id, expectedVersion, "staff.update_role", edit)
	if err != nil {
		return nil, err
	}
	return &model.StaffPayload{Staff: shown[0]}, nil
}

// StaffSetOrderEmails turns the caller's emails about each new order on or off.
func (m Mutation) StaffSetOrderEmails(ctx context.Context, enabled bool) (*model.StaffPayload, error) {
	return m.setAlerts(ctx, "staff.set_order_emails", func(now notify.Alerts) (notify.Alerts, error) {
		a := document.Alert{Notice: now[state.AlertOrder].Notice, Email: state.AlertEmailOff}
		if enabled {
			a.Email = state.AlertEmailAtOnce
		}
		return notify.Alerts{state.AlertOrder: a}, nil
	})
}

// StaffSetAlerts sets how the caller is informed of some topics.
func (m Mutation) StaffSetAlerts(ctx context.Context, alerts []*model.AlertInput) (*model.StaffPayload, error) {
	return m.setAlerts(ctx, "staff.set_alerts", func(now notify.Alerts) (notify.Alerts, error) {
		c, chosen := &core.Check{}, notify.Alerts{}
		for i, a := range alerts {
			if _, handled := now[a.Topic]; !handled {
				c.Add("alerts/"+strconv.Itoa(i)+"/topic", fault.UnknownValue, "Your role does not handle this topic.")
				break
			}
			chosen[a.Topic] = document.Alert{Notice: a.Notice, Email: a.Email}
		}
		return chosen, c.Err()
	})
}

// setAlerts sets how the caller is informed of the topics that choose returns.
func (m Mutation) setAlerts(ctx context.Context, action string,
	choose func(now notify.Alerts) (notify.Alerts, error),
) (*model.StaffPayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.User, func(ctx context.Context) (*model.StaffPayload, *change.Record, error) {
		row, err := m.membership(ctx, v.Actor)
		if err != nil {
			return nil, nil, core.Explain("membership", err)
		}
		now, err := notify.AlertsOf(row)
		if err != nil {
			return nil, nil, err
		}
		chosen, err := choose(now)
		if err != nil {
			return nil, nil, err
		}
		if err := chosen.Set(ctx, m.Client(ctx), row); err != nil {
			return nil, nil, err
		}
		shown, err := m.named(ctx, []*db.Staff{row})
		if err != nil {
			return nil, nil, err
		}
		return &model.StaffPayload{Staff: shown[0]}, &change.Record{Action: action, Kind: xid.User, ID: v.Actor}, nil
	})
}

// dropRole prepares the loss of a role: it refuses the last owner, withdraws the invitations that
// the person sent, and drops the store's cached credentials.
func (m Mutation) dropRole(ctx context.Context, row *db.Staff) error {
	if row.Role == viewer.Owner {
		if err := m.keepOwner(ctx); err != nil {
			return err
		}
	}
	if err := m.withdrawFrom(ctx, row.ID); err != nil {
		return err
	}
	return m.Keys.Revoke(ctx, row.StoreID, row.StoreID)
}

// StaffRemove ends a person's membership and their tokens in the store, along with the API keys,
// apps and grants with the ids in revoke. The account remains, because it may belong to other
// stores.
func (m Mutation) StaffRemove(ctx context.Context, id string, revoke []string) (*model.StaffRemovePayload, error) {
	uid, err := core.ParseID(xid.User, id)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.User, func(ctx context.Context) (*change.Record, error) {
		row, err := m.members().Load(ctx, uid)
		if err != nil {
			return nil, err
		}
		if err := m.endCreated(ctx, revoke); err != nil {
			return nil, err
		}
		return m.remove(ctx, row, "staff.remove")
	})
	if err != nil {
		return nil, err
	}
	return &model.StaffRemovePayload{RemovedID: &id}, nil
}

// StoreLeave ends the calling person's membership and tokens in the store. The last owner cannot
// leave.
func (m Mutation) StoreLeave(ctx context.Context) (*model.StaffRemovePayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.User, func(ctx context.Context) (*change.Record, error) {
		row, err := m.membership(ctx, v.Actor)
		if err != nil {
			return nil, err
		}
		return m.remove(ctx, row, "store.leave")
	})
	if err != nil {
		return nil, err
	}
	return &model.StaffRemovePayload{RemovedID: new(xid.User.Format(v.Actor))}, nil
}

func (m Mutation) remove(ctx context.Context, row *db.Staff, action string) (*change.Record, error) {
	if err := m.dropRole(ctx, row); err != nil {
		return nil, err
	}
	n, err := m.Client(ctx).Staff.Delete().Where(staff.ID(row.ID), staff.Version(row.Version)).Exec(ctx)
	if err := change.Swapped(xid.User, n, err); err != nil {
		return nil, err
	}
	return &change.Record{Action: action, Kind: xid.User, ID: row.ID}, m.afterLeaving(ctx, row.ID)
}

func (r *Resolver) endTokens(ctx context.Context, person xid.ID) error {
	return fault.Wrap("end staff tokens",
		r.Client(ctx).StaffToken.Update().Where(stafftoken.UserID(person), stafftoken.RevokedAtIsNil()).
			SetRevokedAt(micros.Now()).Exec(ctx))
}

func checkRole(c *core.Check, name string, role viewer.Role) {
	if !role.Known() {
		c.Add(name, fault.UnknownValue, "Unknown role.")
	}
}
