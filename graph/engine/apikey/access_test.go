package apikey_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/accesstoken"
	"github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// install is an app of another store with a grant in the shop and its token.
type install struct {
	*shop
	developer         *shop
	secret            apikey.Secret
	app, grant, token xid.ID
}

func newInstall(t testing.TB, s *ent.Store, scopes *string) *install {
	t.Helper()
	i := &install{shop: newShop(t, s, nil), developer: newShop(t, s, nil), secret: apikey.Mint(apikey.Access),
		app: xid.New(), grant: xid.New(), token: xid.New()}
	i.developer.change(t, func(ctx context.Context, c *db.Client) error {
		return c.App.Create().SetID(i.app).SetClientID(strings.ToLower(i.app.String())).SetName("Sync it").
			SetDeveloper("Ada").SetRedirectUris("https://sync.example/cb").SetScopes("orders.write products.read").
			SetUpdatedAt(1).Exec(ctx)
	})
	i.change(t, func(ctx context.Context, c *db.Client) error {
		hour := micros.Now().Add(time.Hour)
		err := c.Grant.Create().SetID(i.grant).SetAppStoreID(i.developer.row.ID).SetAppID(i.app).SetUserID(i.person).
			SetUserName("Ada").SetScopes("customers.read orders.read orders.write").
			SetRedirectURI("https://sync.example/cb").SetCodeChallenge("x").
			SetCodeExpiresAt(hour).SetExpiresAt(hour.Add(time.Hour)).SetUpdatedAt(1).Exec(ctx)
		if err == nil {
			err = c.Credential.Create().SetID(digest.Sum(i.secret.Hash())).SetStoreID(i.row.ID).
				SetCredentialID(i.token).SetKind(string(apikey.Access)).Exec(ctx)
		}
		if err == nil {
			err = c.AccessToken.Create().SetID(i.token).SetGrantID(i.grant).SetHint(apikey.Hint(i.secret)).
				SetNillableScopes(scopes).SetExpiresAt(hour).Exec(ctx)
		}
		return err
	})
	return i
}

// A token has the scopes that were granted, that the app is registered for at present, and that the
// refresh asked for.
func TestAuthenticateAccess(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		i, k := newInstall(t, s, nil), apikey.NewKeeper(s)
		v, err := k.Authenticate(t.Context(), i.secret.Reveal(), apikey.Key, apikey.Access)
		if err != nil || v.Kind != viewer.OAuthApp || v.Store != i.row.ID || v.Actor != i.app || v.Principal != i.app ||
			v.Credential != i.token || v.Grant != i.grant || v.Name != "Sync it" || v.Currency != "EUR" || v.Legacy {
			t.Fatalf("%+v, %v", v, err)
		}
		if want := scope.Of(scope.OrdersRead, scope.OrdersWrite); v.Scopes != want {
			t.Errorf("effective %s, want %s", v.Scopes, want)
		}
		if want := scope.Of(scope.CustomersRead, scope.OrdersRead, scope.OrdersWrite); v.Granted != want {
			t.Errorf("granted %s, want %s", v.Granted, want)
		}
		narrow := newInstall(t, s, new("orders.read"))
		if v, err := k.Authenticate(t.Context(), narrow.secret.Reveal(), apikey.Access); err != nil ||
			v.Scopes != scope.Of(scope.OrdersRead) {
			t.Errorf("narrowed: %v, %v", v, err)
		}
		if _, err := k.Authenticate(t.Context(), i.secret.Reveal(), apikey.Key, apikey.Staff); !refused(err) {
			t.Errorf("where access tokens are not taken: %v", err)
		}
	})
}

// Every way in which a token can become invalid: each alone is enough.
func TestAccessDies(t *testing.T) {
	past := micros.Now().Add(-time.Second)
	for name, die := range map[string]func(*install) (*shop, func(context.Context, *db.Client) error){
		"grant revoked": func(i *install) (*shop, func(context.Context, *db.Client) error) {
			return i.shop, func(ctx context.Context, c *db.Client) error {
				return c.Grant.Update().Where(grant.ID(i.grant)).SetRevokedAt(past).Exec(ctx)
			}
		},
		"token revoked": func(i *install) (*shop, func(context.Context, *db.Client) error) {
			return i.shop, func(ctx context.Context, c *db.Client) error {
				return c.AccessToken.Update().Where(accesstoken.ID(i.token)).SetRevokedAt(past).Exec(ctx)
			}
		},
		"app disabled": func(i *install) (*shop, func(context.Context, *db.Client) error) {
			return i.developer, func(ctx context.Context, c *db.Client) error {
				return c.App.Update().Where(app.ID(i.app)).SetDisabledAt(past).Exec(ctx)
			}
		},
		"store closed": func(i *install) (*shop, func(context.Context, *db.Client) error) {
			return i.shop, func(ctx context.Context, c *db.Client) error {
				return c.Store.Update().Where(store.ID(i.row.ID)).SetStatus(state.StoreClosed).Exec(ctx)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.Open(t)
			i, k := newInstall(t, s, nil), apikey.NewKeeper(s)
			if _, err := k.Authenticate(t.Context(), i.secret.Reveal(), apikey.Access); err != nil {
				t.Fatal(err)
			}
			where, f := die(i)
			where.change(t, f)
			owner := i.row.ID
			if where == i.developer {
				owner = i.app
			}
			k.Forget(owner)
			if _, err := k.Authenticate(t.Context(), i.secret.Reveal(), apikey.Access); !refused(err) {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
}

// An uncached credential costs one statement, which scans no table.
func TestLookUpIsOneStatement(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		i := newInstall(t, s, nil)
		for kind, secret := range map[apikey.Kind]apikey.Secret{
			apikey.Key: i.key, apikey.Staff: i.shop.token, apikey.Access: i.secret,
		} {
			k, before := apikey.NewKeeper(s), s.Statements()
			if _, err := k.Authenticate(t.Context(), secret.Reveal(), kind); err != nil {
				t.Fatal(err)
			}
			if n := s.Statements() - before; n != 1 {
				t.Errorf("%s: %d statements, want 1", kind, n)
			}
			for _, line := range explain(t, s, apikey.LookUp(kind), digest.Sum(secret.Hash()), string(kind)) {
				if strings.Contains(line, "ALL") || strings.Contains(line, "SCAN") {
					t.Errorf("%s: %s", kind, line)
				}
			}
		}
		if err := apikey.NewKeeper(s).WriteUsed(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// explain returns the engine's plan, a line for each table.
func explain(t *testing.T, s *ent.Store, query string, args ...any) (lines []string) {
	t.Helper()
	if s.Dialect() == dialect.SQLite {
		query = "QUERY PLAN " + query
	}
	rows, err := s.DB(t.Context()).QueryContext(t.Context(), "EXPLAIN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, room := make([]*string, len(columns)), make([]any, len(columns))
		for i := range cells {
			room[i] = &cells[i]
		}
		if err := rows.Scan(room...); err != nil {
			t.Fatal(err)
		}
		var line strings.Builder
		for _, cell := range cells {
			if cell != nil {
				line.WriteString(*cell + " ")
			}
		}
		lines = append(lines, line.String())
	}
	if len(lines) == 0 || rows.Err() != nil {
		t.Fatalf("no plan: %v", rows.Err())
	}
	return lines
}

// The use of an access token counts as a use of its grant.
func TestAccessUsed(t *testing.T) {
	s := storetest.Open(t)
	i, k := newInstall(t, s, nil), apikey.NewKeeper(s)
	if _, err := k.Authenticate(t.Context(), i.secret.Reveal(), apikey.Access); err != nil {
		t.Fatal(err)
	}
	if err := k.WriteUsed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if g := i.DB(i.ctx).Grant.Query().Where(grant.ID(i.grant)).OnlyX(i.ctx); g.LastUsedAt == nil {
		t.Error("the grant was not used")
	}
}

// BenchmarkLookUp looks up an uncached access token.
func BenchmarkLookUp(b *testing.B) {
	s := storetest.Unlinted(b)
	i, k := newInstall(b, s, nil), apikey.NewKeeper(s)
	token, ctx := i.secret.Reveal(), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		k.Forget(i.row.ID)
		if _, err := k.Authenticate(ctx, token, apikey.Access); err != nil {
			b.Fatal(err)
		}
	}
}
