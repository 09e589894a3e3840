package access

import (
	"context"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// maxCreated bounds the listed items of each kind that a person created.
	maxCreated = 100
	// maxRevoked bounds the items that one removal ends: all listed ones.
	maxRevoked = 3 * maxCreated
)

// The indexes of keys and grants by person.
const (
	keysByCreator  = "apikey_store_id_created_by"
	grantsByPerson = "grant_store_id_user_id"
)

// creator returns the id of the acting person, app or key; nil for the operator.
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
	for _, row := range keyRows {
		made.APIKeys = append(made.APIKeys, &model.APIKey{APIKey: row})
	}
	// A store has few apps, so no index is needed.
	registered := c.App.Query().Where(apps.CreatedBy(person), apps.DisabledAtIsNil())
	registered.Modify(core.Window{Limit: maxCreated, Index: ent.Primary}.Apply)
	appRows, err := registered.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range appRows {
		made.Apps = append(made.Apps, &model.App{App: row})
	}
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
		return fault.Invalid(fault.Field{Pointer: "#/revoke", Code: fault.TooLong,
			Detail: "No more than " + strconv.Itoa(maxRevoked) + " items can be revoked at once."})
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
