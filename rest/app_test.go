package rest_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/transport"
	"github.com/storefront-go/storefront/rest"
)

// install is the app of another store with a grant in the shop.
type install struct {
	app       xid.ID
	developer *shop
	// tokens has an access token for each refreshed set of scopes.
	tokens []string
}

func (m *shop) install(granted, registered scope.Set, narrow ...scope.Set) *install {
	m.t.Helper()
	i := &install{app: xid.New(), developer: newShop(m.t, m.store, shopRow{})}
	i.developer.tx(func(ctx context.Context, c *db.Client) error {
		return c.App.Create().SetID(i.app).SetClientID(strings.ToLower(i.app.String())).
			SetName("Sync it").SetDeveloper("Sync Ltd").
			SetRedirectUris("https://sync.example/cb").SetScopes(registered.String()).SetUpdatedAt(epoch).Exec(ctx)
	})
	m.consent(i, granted, narrow...)
	return i
}

// consent grants a registered app access to another store.
func (m *shop) consent(i *install, granted scope.Set, narrow ...scope.Set) {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		family, hour := xid.New(), micros.Now().Add(time.Hour)
		err := c.Grant.Create().SetID(family).SetAppStoreID(i.developer.id).SetAppID(i.app).
			SetUserID(xid.New()).SetUserName("Ada").
			SetScopes(granted.String()).SetRedirectURI("https://sync.example/cb").
			SetCodeChallenge("x").SetCodeExpiresAt(hour).
			SetExpiresAt(hour).SetUpdatedAt(epoch).Exec(ctx)
		for _, set := range narrow {
			secret, id := apikey.Mint(apikey.Access), xid.New()
			if err == nil {
				err = c.Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(m.id).SetCredentialID(id).
					SetKind(string(apikey.Access)).Exec(ctx)
			}
			if err == nil {
				err = c.AccessToken.Create().SetID(id).SetGrantID(family).
					SetHint(apikey.Hint(secret)).SetScopes(set.String()).
					SetExpiresAt(hour).Exec(ctx)
			}
			i.tokens = append(i.tokens, secret.Reveal())
		}
		return err
	})
}

// An app's token is described with its app and consent, and acts as the app: notes name the app,
// and idempotency keys belong to the client, whatever token it uses.
func TestAppToken(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		all := scope.Of(scope.ProductsRead, scope.OrdersWrite)
		installed := m.install(all|scope.Of(scope.CustomersRead), all, all, all, scope.Of(scope.ProductsRead))
		app, tokens := installed.app, installed.tokens
		var me struct {
			Type          string
			Scopes        []string
			GrantedScopes []string `json:"granted_scopes"`
			App           struct{ ID, Name string }
			Grant         struct{ ID string }
			Credential    struct{ ID, Hint string }
		}
		s.do(t, request{As: tokens[0], Path: "/me"}).want(http.StatusOK, "").decode(&me)
		if me.Type != "oauth_token" || me.App.ID != xid.App.Format(app) || me.App.Name != "Sync it" ||
			!strings.HasPrefix(me.Grant.ID, "grt_") || !strings.HasPrefix(me.Credential.ID, "tok_") ||
			!strings.HasPrefix(me.Credential.Hint, "sfa_") {
			t.Errorf("%+v", me)
		}
		if want := all.Effective().Names(); !slices.Equal(me.Scopes, want) {
			t.Errorf("scopes %v, want %v", me.Scopes, want)
		}
		if !slices.Contains(me.GrantedScopes, scope.CustomersRead) {
			t.Errorf("granted %v lack what the app is not registered for any more", me.GrantedScopes)
		}
		s.do(t, request{As: tokens[0], Path: "/customers"}).want(http.StatusForbidden, "insufficient_scope")
		note := func(token string) *answer {
			return s.post(t, token, "one-key", "/orders/"+orderID+"/notes", `{"body":"by an app"}`)
		}
		first := note(tokens[0]).want(http.StatusCreated, "")
		var made struct {
			Author struct{ Type, ID, Name string }
		}
		first.decode(&made)
		if made.Author.Type != "oauth_app" || made.Author.ID != xid.App.Format(app) || made.Author.Name != "Sync it" {
			t.Errorf("%+v", made)
		}
		same(t, first, note(tokens[1]))
		note(tokens[2]).want(http.StatusForbidden, "insufficient_scope")
	})
}

// GraphQL describes a credential as GET /me does.
func TestMeOfGraphQL(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) {
		var err error
		c.RatePerSecond, c.RateBurst, c.StoreRate, c.VisitorRate = 7.5, 90, 80, 3
		c.Core.Limits[limit.People] = 7
		if c.GraphQL, err = transport.New(transport.Config{Core: c.Core, Idem: c.Idem}); err != nil {
			t.Fatal(err)
		}
	})
	all := scope.Of(scope.ProductsRead)
	var plain, over struct {
		App, Grant, Limits map[string]any
		Data               struct {
			Me struct{ App, Grant, Limits map[string]any }
		}
	}
	token := m.install(all, all, all).tokens[0]
	s.do(t, request{As: token, Path: "/me"}).want(http.StatusOK, "").decode(&plain)
	fields := []string{"page_size_default: pageSizeDefault page_size_max: pageSizeMax body_bytes_max: bodyBytesMax " +
		"idempotency_key_ttl_seconds: idempotencyKeyTtlSeconds"}
	for _, row := range limit.Rows() {
		words := strings.Split(row.Member(), "_")
		for i, w := range words[1:] {
			words[1+i] = strings.ToUpper(w[:1]) + w[1:]
		}
		fields = append(fields, row.Member()+": "+strings.Join(words, ""))
	}
	query := "{ me { app { id name client_id: clientId } grant { id consented_at: consentedAt } limits { " +
		strings.Join(fields, " ") + " } } }"
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":`+strconv.Quote(query)+`}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &over); err != nil {
		t.Fatalf("%v: %s, REST has %v", err, w.Body, plain)
	}
	here := limit.Values{limit.People: 7, limit.RatePerSecond: 8, limit.RateBurst: 90, limit.StoreRatePerSecond: 80,
		limit.VisitorRatePerSecond: 3}
	for _, row := range limit.Rows() {
		if got := plain.Limits[row.Member()]; got != float64(here.Of(row.Name)) {
			t.Errorf("%s: got %v, want %d", row.Member(), got, here.Of(row.Name))
		}
	}
	for name, pair := range map[string][2]map[string]any{
		"app": {plain.App, over.Data.Me.App}, "grant": {plain.Grant, over.Data.Me.Grant},
		"limits": {plain.Limits, over.Data.Me.Limits},
	} {
		if len(pair[0]) == 0 || !maps.Equal(pair[0], pair[1]) {
			t.Errorf("%s: REST has %v, GraphQL %v", name, pair[0], pair[1])
		}
	}
}

// Only apps on the legacy list are served v0, in every store.
func TestLegacyApp(t *testing.T) {
	s, m := sqlite(t)
	all := scope.Of(scope.ProductsRead)
	i, other := m.install(all, all, all), m.install(all, all, all)
	i.developer.tx(func(ctx context.Context, c *db.Client) error {
		return c.App.Update().SetLegacy(true).Exec(ctx)
	})
	s.do(t, request{As: i.tokens[0], Path: legacy + "/products"}).want(http.StatusOK, "")
	s.do(t, request{As: other.tokens[0], Path: legacy + "/products"}).want(http.StatusGone, "version_retired")
}

// A token that was refreshed with fewer scopes cannot replay an answer that it could not get
// itself: neither the secret of an endpoint with events that it may not read, nor an export of such
// rows.
func TestReplayNeedsScopes(t *testing.T) {
	s, m := sqlite(t)
	all := scope.Of(scope.WebhooksWrite, scope.ExportsWrite, scope.OrdersRead).Effective()
	tokens := m.install(all, all, all, scope.Of(scope.WebhooksWrite, scope.ExportsWrite)).tokens
	for _, write := range []request{
		{Path: "/webhooks", Body: `{"url":"https://hook.example/in","events":["order.paid"]}`},
		{Path: "/exports", Body: `{"kind":"orders"}`},
	} {
		write.Method, write.Header = http.MethodPost, map[string]string{"Idempotency-Key": "once" + write.Path[1:]}
		write.As = tokens[0]
		first := s.do(t, write)
		write.As = tokens[1]
		if got := s.do(t, write).want(http.StatusForbidden, "insufficient_scope"); strings.Contains(string(got.Body),
			"whsec_") {
			t.Errorf("%s: %s", write.Path, got.Body)
		}
		write.As = tokens[0]
		if again := s.do(t, write); first.Status >= 400 || string(again.Body) != string(first.Body) {
			t.Errorf("%s: %d %s and then %s", write.Path, first.Status, first.Body, again.Body)
		}
	}
}
