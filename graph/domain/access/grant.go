package access

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const grantIndex = "grant_store_id_app_id_id"

const maxInstalled = 100

// isStanding is [oauth.LiveGrant] for a loaded grant.
func isStanding(g *db.Grant, now micros.Time) bool {
	if g.RevokedAt != nil || g.ExpiresAt <= now {
		return false
	}
	return g.RefreshExpiresAt != nil && *g.RefreshExpiresAt > now || g.CodeUsedAt == nil && g.CodeExpiresAt > now
}

// Grants lists the grants that people of the store gave to apps, newest first, including ended ones
// that are not purged yet. A page takes two statements: the grants and their apps.
func (q Query) Grants(
	ctx context.Context, first *int, after *string, filter *model.GrantFilter,
) (*model.GrantConnection, error) {
	var filters []string
	index, query := ent.Primary, q.Client(ctx).Grant.Query
	if filter != nil && filter.AppID != nil {
		id, err := xid.App.Parse(*filter.AppID)
		if err != nil {
			return nil, &fault.Error{Kind: fault.InvalidParameter, Detail: "The filter contains a malformed id.",
				Fields: []fault.Field{{Parameter: "app_id", Code: fault.InvalidFormat,
					Detail: "This is not the id of an app."}}}
		}
		filters, index = []string{"app_id", id.String()}, grantIndex
		query = func() *db.GrantQuery { return q.Client(ctx).Grant.Query().Where(grant.AppID(id)) }
	}
	c, err := core.Connect(ctx, q.Core, core.List[*db.Grant]{
		Name: "grants", Filters: filters,
		At:   func(g *db.Grant) page.Position { return core.ByID(g.ID) },
		Read: core.ReadNewest(index, query, core.Self[*db.Grant]),
	}, first, after)
	if err != nil {
		return nil, err
	}
	nodes, err := q.withApps(ctx, c.Nodes)
	if err != nil {
		return nil, core.Explain("grants", err)
	}
	return &model.GrantConnection{Nodes: nodes, Next: c.Next,
		Sign: func(g *model.Grant) string { return c.Sign(g.Grant) }}, nil
}

func (r *Resolver) withApps(ctx context.Context, rows []*db.Grant) ([]*model.Grant, error) {
	of, err := r.appsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	now := micros.Now()
	return core.Map(rows, func(g *db.Grant) *model.Grant { return shownGrant(g, of[g.AppID], now) }), nil
}

// shownGrant returns a grant as it is at a time. Grants of disabled apps are not live.
func shownGrant(g *db.Grant, app *model.AppSummary, now micros.Time) *model.Grant {
	return &model.Grant{Grant: g, App: app, Live: isStanding(g, now) && !app.Disabled()}
}

// Grant returns one grant of the viewer's store.
func (q Query) Grant(ctx context.Context, id string) (*model.Grant, error) {
	g, err := core.Get(ctx, xid.Grant, id, q.grant)
	if err != nil {
		return nil, err
	}
	nodes, err := q.withApps(ctx, []*db.Grant{g})
	if err != nil {
		return nil, core.Explain("grant", err)
	}
	return nodes[0], nil
}

func (r *Resolver) grant(ctx context.Context, id xid.ID) (*db.Grant, error) {
	return core.Only(r.Client(ctx).Grant.Query().Where(grant.ID(id)).Load(ctx))
}

// InstalledApps lists the apps with a standing grant in the store, the newest app first. Disabled
// apps are included, because they work again once enabled. A page takes three statements: the ids
// of the apps, their grants, and the apps.
func (q Query) InstalledApps(ctx context.Context, first *int, after *string) (*model.InstalledAppConnection, error) {
	now := micros.Now()
	c, err := core.Connect(ctx, q.Core, core.List[xid.ID]{
		Name: "installed_apps",
		At:   core.ByID,
		Read: func(ctx context.Context, after *page.Position, limit int) ([]xid.ID, error) {
			return q.installed(ctx, now, after, limit)
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	nodes, err := q.installs(ctx, c.Nodes, now)
	if err != nil {
		return nil, core.Explain("installed apps", err)
	}
	return &model.InstalledAppConnection{Nodes: nodes, Next: c.Next,
		Sign: func(i *model.InstalledApp) string { return c.Sign(i.App.ID) }}, nil
}

func (q Query) installed(ctx context.Context, now micros.Time, after *page.Position, limit int) ([]xid.ID, error) {
	query := q.Client(ctx).Grant.Query()
	core.Opt(after, func(p page.Position) { query.Where(grant.AppIDLT(p.ID)) })
	var found []xid.ID
	err := query.Modify(func(s *sql.Selector) {
		ent.ForceIndex(grantIndex)(s)
		app := s.C(grant.FieldAppID)
		s.Select(app).Distinct().Where(oauth.LiveGrant(now)).OrderExpr(sql.Raw(app + " DESC")).Limit(limit)
	}).Scan(ctx, &found)
	return found, err
}

// installs reads the newest standing grants of the apps, and the apps. It omits apps whose last
// grant ended meanwhile.
func (r *Resolver) installs(ctx context.Context, found []xid.ID, now micros.Time) ([]*model.InstalledApp, error) {
	if len(found) == 0 {
		return nil, nil
	}
	query := r.Client(ctx).Grant.Query()
	query.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: grant.FieldAppID, Parents: found,
		Columns: grant.Columns, Index: grantIndex, Limit: maxInstalled, Newest: true,
		Only: func() *sql.Predicate { return oauth.LiveGrant(now) }}.Apply)
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, err
	}
	apps, err := r.appsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	of := map[xid.ID][]*model.Grant{}
	for _, g := range rows {
		of[g.AppID] = append(of[g.AppID], shownGrant(g, apps[g.AppID], now))
	}
	nodes := make([]*model.InstalledApp, 0, len(found))
	for _, id := range found {
		if grants := of[id]; len(grants) > 0 {
			nodes = append(nodes, &model.InstalledApp{App: apps[id], Grants: grants})
		}
	}
	return nodes, nil
}
