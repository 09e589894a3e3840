package access

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/oauth"
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

func (r *Resolver) requireMember(ctx context.Context, person xid.ID) error {
	_, err := core.Only(r.Client(ctx).Staff.Query().Where(staff.ID(person)).Load(ctx))
	return err
}

// membership reads and locks a person's membership in the viewer's store.
func (r *Resolver) membership(ctx context.Context, id xid.ID) (*db.Staff, error) {
	return core.Row(ctx, r.Client(ctx).Staff.Query().Where(staff.ID(id)), ent.ForUpdate)
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

const (
	maxCreated = 100
	// maxRevoked bounds the items that one removal ends: all listed ones.
	maxRevoked = 3 * maxCreated
)

// The indexes of keys and grants by person.
const (
	keysByCreator  = "apikey_store_id_created_by"
	grantsByPerson = "grant_store_id_user_id"
)

func creator(ctx context.Context) *xid.ID {
	if v := viewer.From(ctx); !v.Actor.IsNil() {
		return &v.Actor
	}
	return nil
}

// StaffMade lists what a person created in the viewer's store that is still active and remains when
// they leave. For an unknown person it is empty.
func (q Query) StaffMade(ctx context.Context, id string) (*model.StaffMade, error) {
	uid, err := core.ParseID(xid.User, id)
	if err != nil {
		return nil, err
	}
	made, err := q.made(ctx, uid)
	return made, core.Explain("person", err)
}

func (q Query) made(ctx context.Context, person xid.ID) (*model.StaffMade, error) {
	made, now, c := &model.StaffMade{}, micros.Now(), q.Client(ctx)
	kept := c.APIKey.Query().Where(keys.CreatedBy(person), keys.RevokedAtIsNil(),
		keys.Or(keys.ExpiresAtIsNil(), keys.ExpiresAtGT(now)))
	kept.Modify(core.Window{Limit: maxCreated, Index: keysByCreator}.Apply)
	keyRows, err := kept.Load(ctx)
	if err != nil {
		return nil, err
	}
	made.APIKeys = core.Map(keyRows, shownKey)
	// A store has few apps, so no index is needed.
	registered := c.App.Query().Where(apps.CreatedBy(person), apps.DisabledAtIsNil())
	registered.Modify(core.Window{Limit: maxCreated, Index: ent.Primary}.Apply)
	appRows, err := registered.Load(ctx)
	if err != nil {
		return nil, err
	}
	made.Apps = core.Map(appRows, shownApp)
	given := c.Grant.Query().Where(grant.UserID(person), func(s *sql.Selector) { s.Where(oauth.LiveGrant(now)) })
	given.Modify(core.Window{Limit: maxCreated, Index: grantsByPerson}.Apply)
	grantRows, err := given.Load(ctx)
	if err != nil {
		return nil, err
	}
	made.Grants, err = q.withApps(ctx, grantRows)
	return made, err
}

// endCreated ends the API keys, apps and grants with the ids, in the transaction of ctx, each by
// its own operation.
func (m Mutation) endCreated(ctx context.Context, ids []string) error {
	if len(ids) > maxRevoked {
		return core.Invalid("revoke", fault.TooLong,
			"No more than "+strconv.Itoa(maxRevoked)+" items can be revoked at once.")
	}
	for i, id := range ids {
		if err := m.endOne(ctx, id, "#/revoke/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func (m Mutation) endOne(ctx context.Context, id, pointer string) error {
	if _, err := xid.APIKey.Parse(id); err == nil {
		_, err = m.APIKeyRevoke(ctx, id)
		return err
	}
	if _, err := xid.Grant.Parse(id); err == nil {
		_, err = m.GrantRevoke(ctx, id)
		return err
	}
	uid, err := xid.App.Parse(id)
	if err != nil {
		return fault.Invalid(fault.Field{Pointer: pointer, Code: fault.InvalidFormat,
			Detail: "This is not the id of an API key, an app or a grant."})
	}
	a, err := m.registeredApp(ctx, uid)
	if err != nil {
		return core.Explain("app", err)
	}
	_, err = m.AppDisable(ctx, id, a.Version)
	return err
}
