package oauth_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/keyring"
	engine "github.com/storefront-go/storefront/graph/oauth"
	"github.com/storefront-go/storefront/graph/session"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/oauth"
)

const (
	issuer   = "https://api.test"
	callback = "https://app.test/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
)

// world is the frontend over a database, behind real HTTP, with an app, and its owner
// signed in.
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

// person is somebody with a browser.
type person struct {
	id     xid.ID
	cookie string
}

// setting changes how a frontend is made.
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

// sqlite is a world of its own on SQLite.
func sqlite(t testing.TB, edit ...setting) *world {
	t.Helper()
	return newWorld(t, storetest.Open(t), edit...)
}

// each runs f in a world on every engine.
func each(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, newWorld(t, s)) })
}

// serve starts a frontend over what a database holds.
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
	a := account.Config{Sessions: sessions, APIHost: issuer, Allowed: true, Logger: log}
	c := oauth.Config{Resource: "/api/public/v1", Logger: log, ClientOf: func(*http.Request) netip.Addr {
		return netip.MustParseAddr("192.0.2.1")
	}}
	for _, f := range edit {
		f(&c, &a)
	}
	if c.Server == nil {
		if c.Server, err = engine.New(engine.Config{Store: s, Keys: w.keys, Ring: ring, Issuer: issuer,
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
	for _, r := range routes {
		m.Handle(r.Path, r.Handler)
	}
	return m
}

// restart serves the same database from a new process, as it were.
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

// row is what a test may choose of an app.
type row struct {
	Name, Developer, Website string
	Scopes                   []string // all of the catalogue unless given
	URIs                     []string
	Disabled                 bool
}

// register makes an app of a developer's store.
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

// member says what somebody is in a store.
type member struct {
	shop *db.Store
	role viewer.Role
}

// signIn makes a person with a session.
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
		SetCreatedAt(now).SetSeenAt(now).SetExpiresAt(now.Add(time.Hour)).Exec(ctx)
}

// elsewhere is the same person in another browser.
func (w *world) elsewhere(p *person) *person {
	w.t.Helper()
	other := &person{id: p.id, cookie: rand.Text() + rand.Text()}
	w.in(w.shop.ID, func(ctx context.Context, c *db.Client) error { return w.session(ctx, c, other) })
	return other
}

// reply is an answer over HTTP.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// send sends a request; the person's cookie and "name: value" headers go along.
func (w *world) send(method, target string, p *person, body string, headers ...string) *reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+target, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if p != nil {
		req.Header.Set("Cookie", "__Host-storefront="+p.cookie)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	res, err := w.http.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, target, err)
	}
	return &reply{t: w.t, status: res.StatusCode, header: res.Header, body: string(b)}
}

// values are the parameters of a request with changes: "name=value" sets,
// "name=" empties, "-name" leaves out and "+name=value" adds one more.
func values(base url.Values, changes ...string) url.Values {
	for _, c := range changes {
		name, value, _ := strings.Cut(c, "=")
		switch {
		case strings.HasPrefix(name, "-"):
			base.Del(name[1:])
		case strings.HasPrefix(name, "+"):
			base.Add(name[1:], value)
		default:
			base.Set(name, value)
		}
	}
	return base
}

// asked is a valid authorisation request of the app, with changes.
func (w *world) asked(changes ...string) url.Values {
	return values(url.Values{"response_type": {"code"}, "client_id": {w.app.ClientID},
		"redirect_uri": {callback}, "state": {"st&te"}, "code_challenge": {challenge(verifier)},
		"code_challenge_method": {"S256"}}, changes...)
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorize opens the authorisation endpoint in somebody's browser.
func (w *world) authorize(p *person, changes ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodGet, oauth.AuthorizePath+"?"+w.asked(changes...).Encode(), p, "")
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// form reads the hidden fields of the last form of a page.
func (r *reply) form() url.Values {
	r.t.Helper()
	at := strings.LastIndex(r.body, "<form")
	if r.status != http.StatusOK || at < 0 {
		r.t.Fatalf("%d without a form, to %q\n%s", r.status, r.header.Get("Location"), r.body)
	}
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(r.body[at:], -1) {
		form.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return form
}

// answer posts a consent form as a browser does.
func (w *world) answer(p *person, form url.Values, changes ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodPost, oauth.AuthorizePath, p, values(clone(form), changes...).Encode(),
		"Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin", "Origin: "+issuer)
}

// redirected reads the parameters that an app is answered with.
func (r *reply) redirected(to string) url.Values {
	r.t.Helper()
	location := r.header.Get("Location")
	rest, ok := strings.CutPrefix(location, to)
	if r.status != http.StatusSeeOther || !ok {
		r.t.Fatalf("%d to %q, want 303 to %q\n%s", r.status, location, to, r.body)
	}
	q, err := url.ParseQuery(strings.TrimLeft(rest, "?&"))
	if err != nil {
		r.t.Fatal(err)
	}
	return q
}

// told fails the test unless a page tells the person, and nobody is sent anywhere.
func (r *reply) told(status int) *reply {
	r.t.Helper()
	if r.status != status || r.header.Get("Location") != "" ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		r.t.Errorf("%d %s to %q, want a page with %d", r.status,
			r.header.Get("Content-Type"), r.header.Get("Location"), status)
	}
	return r
}

// code lets the app in and returns its code.
func (w *world) code(changes ...string) string {
	w.t.Helper()
	form := w.authorize(w.ada, changes...).form()
	return w.answer(w.ada, form, "decision=allow").redirected(w.asked(changes...).Get("redirect_uri")).Get("code")
}

// redeeming is a valid token request for a code, with changes.
func (w *world) redeeming(code string, changes ...string) url.Values {
	return values(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {w.app.ClientID},
		"redirect_uri": {callback}, "code_verifier": {verifier}}, changes...)
}

// refreshing is a valid token request for a refresh token, with changes.
func (w *world) refreshing(token string, changes ...string) url.Values {
	return values(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {w.app.ClientID}},
		changes...)
}

// post sends a form to an endpoint that programs call.
func (w *world) post(path string, form url.Values, headers ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodPost, path, nil, form.Encode(),
		append(headers, "Content-Type: application/x-www-form-urlencoded")...)
}

func (w *world) exchange(code string, changes ...string) *reply {
	w.t.Helper()
	return w.post(oauth.TokenPath, w.redeeming(code, changes...))
}

func (w *world) refresh(token string, changes ...string) *reply {
	w.t.Helper()
	return w.post(oauth.TokenPath, w.refreshing(token, changes...))
}

// tokens is what the token endpoint answers.
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Refresh   string `json:"refresh_token"`
	Scope     string
	StoreID   string `json:"store_id"`
}

func (r *reply) tokens() (t tokens) {
	r.t.Helper()
	if r.status != http.StatusOK {
		r.t.Fatalf("%d %s, want tokens", r.status, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), &t); err != nil {
		r.t.Fatal(err)
	}
	return t
}

// refusal is an error as a program reads it.
type refusal struct {
	Error       string
	Description string `json:"error_description"`
}

// refused fails the test unless the answer is an error of RFC 6749, section 5.2.
func (r *reply) refused(status int, code string) *reply {
	r.t.Helper()
	var e refusal
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.status != status ||
		e.Error != code || e.Description == "" {
		r.t.Errorf("%d %s, want %d %s", r.status, r.body, status, code)
	}
	return r
}

// opens reports whether an access token is live.
func (w *world) opens(token string) bool {
	_, err := w.keys.Authenticate(w.t.Context(), token, apikey.Access)
	return err == nil
}

// grants are those of ada's store.
func (w *world) grants() []*db.Grant {
	w.t.Helper()
	rows, err := w.store.DB(w.t.Context()).Grant.Query().All(viewer.Operator(w.t.Context(), w.shop.ID))
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// ended fails the test unless the only grant ended for a reason; "" is for one
// that lives.
func (w *world) ended(why state.GrantEnd) {
	w.t.Helper()
	rows := w.grants()
	if len(rows) != 1 {
		w.t.Fatalf("%d grants, want one", len(rows))
	}
	got := state.GrantEnd("")
	if rows[0].RevokedReason != nil {
		got = *rows[0].RevokedReason
	}
	if got != why || (rows[0].RevokedAt != nil) != (why != "") {
		w.t.Errorf("the grant ended for %q at %v, want %q", got, rows[0].RevokedAt, why)
	}
}

// lateCode is a code of the app, made as the server makes one, that could be
// redeemed until life from now.
func (w *world) lateCode(life time.Duration) string {
	w.t.Helper()
	secret, id, now := apikey.Mint(apikey.Code), xid.New(), micros.Now()
	w.in(w.shop.ID, func(ctx context.Context, c *db.Client) error {
		err := c.Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(w.shop.ID).SetCredentialID(id).
			SetKind(string(apikey.Code)).Exec(ctx)
		if err != nil {
			return err
		}
		return c.Grant.Create().SetID(id).SetAppStoreID(w.app.StoreID).SetAppID(w.app.ID).
			SetUserID(w.ada.id).SetUserName("Ada").
			SetScopes(scope.ProductsRead).SetRedirectURI(callback).SetCodeChallenge(challenge(verifier)).
			SetCodeExpiresAt(now.Add(life)).SetExpiresAt(now.Add(time.Hour)).SetUpdatedAt(now).Exec(ctx)
	})
	return secret.Reveal()
}

// id is the public id of a store.
func id(s *db.Store) string { return xid.Store.Format(s.ID) }
