package oauth_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	engine "github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/oauth"
)

const (
	issuer   = "https://api.test"
	callback = "https://app.test/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
)

// world is the frontend over a database, behind real HTTP, with an app whose owner is signed in.
type world struct {
	t     testing.TB
	store *ent.Store
	keys  *apikey.Keeper
	mux   http.Handler
	url   string
	http  *http.Client
	app   *db.App
	ada   *person
	shop  *db.Store // ada's
}

// person is a person with a browser.
type person struct {
	id     xid.ID
	cookie string
}

// setting changes the configuration.
type setting func(*oauth.Config, *account.Config)

func closed(_ *oauth.Config, a *account.Config) { a.Allowed = false }

// newWorld fills a database and serves it.
func newWorld(t testing.TB, s *ent.Store, edit ...setting) *world {
	t.Helper()
	w := serve(t, s, edit...)
	w.app = w.register(row{})
	w.shop = w.newShop("Kiln & Co")
	w.ada = w.signIn("Ada Example", "ada@example.com", member{w.shop, viewer.Owner})
	return w
}

// sqlite returns a separate world on SQLite.
func sqlite(t testing.TB, edit ...setting) *world {
	t.Helper()
	return newWorld(t, storetest.Open(t), edit...)
}

// each runs f in a world on every engine.
func each(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, newWorld(t, s)) })
}

// serve starts a frontend over an existing database.
func serve(t testing.TB, s *ent.Store, edit ...setting) *world {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("consent tickets ", 3))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: s, keys: apikey.NewKeeper(s)}
	sessions, err := session.NewKeeper(session.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	a := account.Config{Sessions: sessions, Core: graphtest.NewCore(t, s), APIHost: issuer, Allowed: true, Logger: log}
	c := oauth.Config{Resources: []string{"/api/public/v1", "/mcp"}, Logger: log,
		ClientOf: func(*http.Request) netip.Addr {
			return netip.MustParseAddr("192.0.2.1")
		}}
	for _, f := range edit {
		f(&c, &a)
	}
	if c.Server == nil {
		if c.Server, err = engine.New(engine.Config{Store: s, Keys: w.keys, Ring: ring, Issuer: issuer,
			Resources:   c.Resources,
			MayName:     func(context.Context, string) (bool, error) { return true, nil },
			OnLastGrant: func(context.Context, xid.ID) error { return nil }}); err != nil {
			t.Fatal(err)
		}
	}
	if c.Account, err = account.New(a); err != nil {
		t.Fatal(err)
	}
	w.mux = mount(t, c)
	ts := httptest.NewServer(w.mux)
	t.Cleanup(ts.Close)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	w.url = ts.URL
	w.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return w
}

func mount(t testing.TB, c oauth.Config) http.Handler {
	t.Helper()
	frontend, err := oauth.New(c)
	if err != nil {
		t.Fatal(err)
	}
	routes, err := frontend.Routes()
	if err != nil {
		t.Fatal(err)
	}
	m := http.NewServeMux()
	for path, handler := range routes {
		m.Handle(path, handler)
	}
	return m
}

// restart serves the same database again, as a new process would.
func (w *world) restart() *world {
	next := serve(w.t, w.store)
	next.app, next.shop, next.ada = w.app, w.shop, w.ada
	return next
}

// in writes to the database as the operator of a store.
func (w *world) in(store xid.ID, f func(context.Context, *db.Client) error) {
	w.t.Helper()
	err := w.store.InTx(viewer.Operator(w.t.Context(), store), func(ctx context.Context) error {
		return f(ctx, w.store.DB(ctx))
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) newShop(name string) *db.Store {
	w.t.Helper()
	_, s := storetest.Merchant(w.t, w.store)
	w.in(s.ID, func(ctx context.Context, c *db.Client) error { return c.Store.Update().SetName(name).Exec(ctx) })
	s.Name = name
	return s
}

// row holds optional values of an app.
type row struct {
	Name, Developer, Website string
	Scopes                   []string // all of the catalog unless given
	URIs                     []string
	Disabled                 bool
}

// register creates an app of a developer's store.
func (w *world) register(r row) (app *db.App) {
	w.t.Helper()
	if r.Scopes == nil {
		r.Scopes = scope.Names()
	}
	if r.URIs == nil {
		r.URIs = []string{callback}
	}
	if r.Name == "" {
		r.Name, r.Developer = "Sync it", "Sync Ltd"
	}
	_, home := storetest.Merchant(w.t, w.store)
	w.in(home.ID, func(ctx context.Context, c *db.Client) (err error) {
		id, client := xid.New(), strings.ToLower(rand.Text())
		if err := c.OAuthClient.Create().SetID(client).SetStoreID(home.ID).SetAppID(id).Exec(ctx); err != nil {
			return err
		}
		create := c.App.Create().SetID(id).SetClientID(client).SetName(r.Name).SetDeveloper(r.Developer).
			SetRedirectUris(strings.Join(r.URIs, " ")).SetScopes(scope.Of(r.Scopes...).String()).
			SetUpdatedAt(micros.Now())
		if r.Website != "" {
			create.SetWebsite(r.Website)
		}
		if r.Disabled {
			create.SetDisabledAt(micros.Now())
		}
		app, err = create.Save(ctx)
		return err
	})
	return app
}

// member is a person's role in a store.
type member struct {
	shop *db.Store
	role viewer.Role
}

// signIn creates a person with a session.
func (w *world) signIn(name, email string, stores ...member) *person {
	w.t.Helper()
	p := &person{id: xid.New(), cookie: rand.Text() + rand.Text()}
	for _, m := range stores {
		w.in(m.shop.ID, func(ctx context.Context, c *db.Client) error {
			if err := c.Membership.Create().SetID(p.id).SetStoreID(m.shop.ID).Exec(ctx); err != nil {
				return err
			}
			return c.Staff.Create().SetID(p.id).SetRole(m.role).SetUpdatedAt(micros.Now()).Exec(ctx)
		})
	}
	w.in(stores[0].shop.ID, func(ctx context.Context, c *db.Client) error {
		if err := c.User.Create().SetID(p.id).SetName(name).SetEmail(email).
			SetUpdatedAt(micros.Now()).Exec(ctx); err != nil {
			return err
		}
		return w.session(ctx, c, p)
	})
	return p
}

func (w *world) session(ctx context.Context, c *db.Client, p *person) error {
	now := micros.Now()
	return c.Session.Create().SetID(digest.Of([]byte(p.cookie))).SetUserID(p.id).SetAgent("test").
		SetCreatedAt(now).SetSeenAt(now).SetProvedAt(now).SetExpiresAt(now.Add(time.Hour)).Exec(ctx)
}

// elsewhere returns the same person in another browser.
func (w *world) elsewhere(p *person) *person {
	w.t.Helper()
	other := &person{id: p.id, cookie: rand.Text() + rand.Text()}
	w.in(w.shop.ID, func(ctx context.Context, c *db.Client) error { return w.session(ctx, c, other) })
	return other
}
