package access_test

import (
	"context"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// plantApps inserts n apps of the store directly.
func plantApps(p *graphtest.Shop, t testing.TB, n int) []*model.App {
	t.Helper()
	var shown []*model.App
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		made := make([]*db.AppCreate, n)
		for i := range made {
			id := xid.New()
			made[i] = p.Client(ctx).App.Create().SetID(id).SetClientID(id.String()).SetName("Planted").
				SetDeveloper("X").SetRedirectUris("https://x.example/").SetScopes("products.read").
				SetUpdatedAt(id.Time())
		}
		rows, err := p.Client(ctx).App.CreateBulk(made...).Save(ctx)
		for _, row := range rows {
			shown = append(shown, &model.App{App: row})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

// TestGrantPlansMySQL counts the rows that the engine reads for a page: those of the page and their
// apps, however many others there are.
func TestGrantPlansMySQL(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		if p.Resolver.Store.Dialect() != dialect.MySQL {
			return
		}
		for range 3 {
			maker := graphtest.NewShop(t, p.Resolver)
			for i, a := range plantApps(maker, t, 80) {
				p.AddGrants(t, a, 2, nil)
				if i%2 == 0 {
					maker.AddGrants(t, a, 3, nil)
				}
			}
		}
		after := graphtest.Must[*model.GrantConnection](t)(p.Query().Grants(p.Ctx, new(100), nil, nil)).Next
		read := graphtest.Reads(t, p.Ctx, p.Resolver, func(ctx context.Context) {
			graphtest.Must[*model.GrantConnection](t)(p.Query().Grants(ctx, new(50), &after, nil))
		})
		if read > 51+25+4 {
			t.Errorf("a page of 50 grants of 25 apps: read %d rows", read)
		}
		read = graphtest.Reads(t, p.Ctx, p.Resolver, func(ctx context.Context) {
			c := graphtest.Must[*model.InstalledAppConnection](t)(p.Query().InstalledApps(ctx, new(20), nil))
			if len(c.Nodes) != 20 {
				t.Errorf("%d apps", len(c.Nodes))
			}
		})
		// The ids of the apps with two grants each, their grants, also from the parts, and the
		// apps.
		if read > 300 {
			t.Errorf("a page of 20 installed apps: read %d rows", read)
		}
	})
}

// TestGrantPlansSQLite checks that no statement scans a table.
func TestGrantPlansSQLite(t *testing.T) {
	var seen []ent.Statement
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Inspect: func(s ent.Statement) error {
		seen = append(seen, s)
		return storetest.Lint(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := graphtest.NewShop(t, graphtest.NewCore(t, s))
	maker := graphtest.NewShop(t, p.Resolver)
	for _, a := range plantApps(maker, t, 5) {
		p.AddGrants(t, a, 2, nil)
	}
	p.AddNotices(t, 3)
	for name, call := range map[string]func() error{
		"grants":         func() error { return graphtest.ErrOf(p.Query().Grants(p.Ctx, nil, nil, nil)) },
		"installed apps": func() error { return graphtest.ErrOf(p.Query().InstalledApps(p.Ctx, nil, nil)) },
		"created items": func() error {
			return graphtest.ErrOf(p.Query().StaffMade(p.Ctx, xid.User.Format(p.Owner.ID)))
		},
		"unread":       func() error { return graphtest.ErrOf(p.Query().UnreadNotifications(p.Ctx)) },
		"sales report": func() error { return graphtest.ErrOf(p.Query().SalesReport(p.Ctx, 30)) },
	} {
		seen = nil
		if err := call(); err != nil {
			t.Fatal(err)
		}
		for _, st := range seen {
			plan := graphtest.ExplainQuery(t, s, st)
			for _, table := range []string{"api_keys", "apps", "grants", "notifications", "orders"} {
				if strings.Contains(plan, "SCAN "+table) {
					t.Errorf("%s: %s\n%s", name, plan, st.Query)
				}
			}
		}
	}
}
