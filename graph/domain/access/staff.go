package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Staff lists the people of the store, newest first.
func (q Query) Staff(ctx context.Context, first *int, after *string) (*model.StaffConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Staff]{
		Name: "staff",
		At:   func(s *model.Staff) page.Position { return core.ByID(s.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Staff, error) {
			query := q.Client(ctx).Staff.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			rows, err := query.Load(ctx)
			if err != nil {
				return nil, err
			}
			return q.named(ctx, rows)
		},
	}, first, after)
}

// named adds the names and addresses of the people to memberships.
func (r *Resolver) named(ctx context.Context, rows []*db.Staff) ([]*model.Staff, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	there := r.Store.Aside(ctx)
	people, err := r.Client(there).User.Query().
		Where(user.IDIn(core.IDs(rows, func(s *db.Staff) *xid.ID { return &s.ID })...)).Load(there)
	if err != nil {
		return nil, err
	}
	of := map[xid.ID]*db.User{}
	for _, p := range people {
		of[p.ID] = p
	}
	shown := make([]*model.Staff, len(rows))
	for i, row := range rows {
		p := of[row.ID]
		if p == nil {
			return nil, fmt.Errorf("membership %s without a person", row.ID)
		}
		shown[i] = &model.Staff{Staff: row, Name: p.Name, Email: p.Email}
	}
	return shown, nil
}

// requireMember returns [core.ErrNoRow] unless the person is a member of the viewer's store.
func (r *Resolver) requireMember(ctx context.Context, person xid.ID) error {
	_, err := core.Only(r.Client(ctx).Staff.Query().Where(staff.ID(person)).Load(ctx))
	return err
}

// membership reads and locks a person's membership in the viewer's store.
func (m Mutation) membership(ctx context.Context, id xid.ID) (*db.Staff, error) {
	query := m.Client(ctx).Staff.Query().Where(staff.ID(id))
	query.Modify(ent.ForUpdate)
	return core.Only(query.Load(ctx))
}

// keepOwner refuses to remove the last owner of the store.
//
// Two transactions that each remove one of two owners write different rows and would not see each
// other. So both write the store's row first: the second waits for the first, or is retried, and
// then counts the remaining owners.
func (m Mutation) keepOwner(ctx context.Context) error {
	if err := m.HoldStore(ctx); err != nil {
		return err
	}
	query := m.Client(ctx).Staff.Query().Where(staff.RoleEQ(viewer.Owner)).Limit(2)
	query.Modify(ent.ForUpdate)
	owners, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("count owners: %w", err)
	}
	if len(owners) < 2 {
		return fault.State(fault.LastOwner, "A store must have at least one owner.")
	}
	return nil
}

// ownersOnly refuses a change that adds, changes or removes an owner, except to owners and the
// operator.
func ownersOnly(ctx context.Context, roles ...viewer.Role) error {
	if slices.Contains(roles, viewer.Owner) {
		return core.OwnerOnly(ctx, "make, change or remove owners")
	}
	_, err := core.Caller(ctx)
	return err
}
