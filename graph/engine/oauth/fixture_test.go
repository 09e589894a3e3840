package oauth_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

const (
	issuer   = "https://api.test"
	callback = "https://app.test/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// stage is a server, an app and a person who may connect it to their store.
type stage struct {
	*oauth.Server
	t      testing.TB
	store  *ent.Store
	keys   *apikey.Keeper
	ring   *keyring.Ring
	person context.Context // the owner signed in to their store
	id     xid.ID          // of the store
	app    *db.App
	// orphaned are the apps whose last grant in the store ended.
	orphaned []xid.ID
	// documents configures how metadata documents are fetched.
	documents oauth.Documents
}

func newStage(t testing.TB, s *ent.Store) *stage {
	t.Helper()
	st := &stage{t: t, store: s, keys: apikey.NewKeeper(s)}
	ring, err := keyring.Parse(strings.Repeat("consent tickets ", 3))
	if err != nil {
		t.Fatal(err)
	}
	st.ring = ring
	st.serve()
	_, row := storetest.Merchant(t, s)
	st.id = row.ID
	st.person = st.as(viewer.Owner)
	st.app = st.register("orders.write products.read", callback, "http://127.0.0.1/callback")
	return st
}

// serve creates the server of a process.
func (st *stage) serve() {
	st.t.Helper()
	var err error
	if st.Server, err = oauth.New(oauth.Config{Store: st.store, Keys: st.keys, Ring: st.ring, Issuer: issuer,
		Documents: st.documents, Registration: true, Resources: []string{"/api/public/v1", "/mcp"},
		MayName: func(_ context.Context, name string) (bool, error) { return name != "Storefront", nil },
		OnLastGrant: func(_ context.Context, app xid.ID) error {
			st.orphaned = append(st.orphaned, app)
			return nil
		}}); err != nil {
		st.t.Fatal(err)
	}
}

// elsewhere returns the same stage in another process.
func (st *stage) elsewhere() *stage {
	st.t.Helper()
	other := *st
	other.keys = apikey.NewKeeper(st.store)
	other.serve()
	return &other
}

// as returns the context of a person with the role, signed in to the store.
func (st *stage) as(role viewer.Role) context.Context {
	user := xid.New()
	return viewer.With(st.t.Context(),
		&viewer.Viewer{Kind: viewer.Staff, Store: st.id, Actor: user, Principal: user, Name: "Ada",
			Session: digest.Sum(sha256.Sum256(user[:])), Granted: role.Scopes(), Scopes: role.Scopes().Effective(),
			Role: role})
}

// register registers an app in a store of its own.
func (st *stage) register(scopes string, uris ...string) (row *db.App) {
	st.t.Helper()
	ctx, developer := storetest.Merchant(st.t, st.store)
	err := st.store.InTx(ctx, func(ctx context.Context) (err error) {
		c, id, client := st.store.DB(ctx), xid.New(), strings.ToLower(rand.Text())
		if err := c.OAuthClient.Create().SetID(client).SetStoreID(developer.ID).SetAppID(id).Exec(ctx); err != nil {
			return err
		}
		row, err = c.App.Create().SetID(id).SetClientID(client).SetName("Sync it").SetDeveloper("Sync Ltd").
			SetRedirectUris(strings.Join(uris, " ")).SetScopes(scopes).SetUpdatedAt(micros.Now()).Save(ctx)
		return err
	})
	if err != nil {
		st.t.Fatal(err)
	}
	return row
}

// form parses "name=value" pairs.
func form(t testing.TB, pairs ...string) oauth.Params {
	t.Helper()
	var q []string
	for i := 0; i < len(pairs); i += 2 {
		q = append(q, url.QueryEscape(pairs[i])+"="+url.QueryEscape(pairs[i+1]))
	}
	p, err := oauth.ParseForm(strings.Join(q, "&"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// begin begins an authorization request, with additional parameters.
func (st *stage) begin(more ...string) *oauth.Request {
	st.t.Helper()
	r, err := st.Begin(st.t.Context(), form(st.t, append([]string{"response_type", "code", "client_id", st.app.ClientID,
		"redirect_uri", callback, "state", "s&1", "code_challenge", challenge(verifier), "code_challenge_method",
		"S256"}, more...)...))
	if err != nil {
		st.t.Fatal(err)
	}
	return r
}

// consent allows the app and returns its code.
func (st *stage) consent(more ...string) string {
	st.t.Helper()
	r := st.begin(more...)
	screen, err := st.Consent(st.person, r)
	if err != nil {
		st.t.Fatal(err)
	}
	to, err := st.Allow(st.person, r, screen.Ticket)
	if err != nil {
		st.t.Fatal(err)
	}
	return query(st.t, to).Get("code")
}

func query(t testing.TB, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// exchange redeems a code as its app would.
func (st *stage) exchange(code string) (*oauth.Token, error) {
	return st.Token(st.t.Context(),
		form(st.t, "grant_type", "authorization_code", "code", code, "client_id", st.app.ClientID,
			"redirect_uri", callback, "code_verifier", verifier), nil)
}

func (st *stage) refresh(token apikey.Secret, more ...string) (*oauth.Token, error) {
	return st.Token(st.t.Context(),
		form(st.t, append([]string{"grant_type", "refresh_token", "refresh_token", token.Reveal(),
			"client_id", st.app.ClientID}, more...)...), nil)
}

// token allows the app and redeems the code.
func (st *stage) token() *oauth.Token {
	st.t.Helper()
	t, err := st.exchange(st.consent())
	if err != nil {
		st.t.Fatal(err)
	}
	return t
}

// opens reports whether an access token is live.
func (st *stage) opens(token apikey.Secret) bool {
	_, err := st.keys.Authenticate(st.t.Context(), token.Reveal(), apikey.Access)
	return err == nil
}

// only returns the one grant of the store.
func (st *stage) only() *db.Grant {
	st.t.Helper()
	g, err := st.store.DB(st.person).Grant.Query().Where(grant.StoreID(st.id)).Only(st.person)
	if err != nil {
		st.t.Fatal(err)
	}
	return g
}

// code returns the OAuth error code of an error.
func code(err error) string {
	if e, ok := errors.AsType[*oauth.Error](err); ok {
		return e.Code
	}
	return ""
}
