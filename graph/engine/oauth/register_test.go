package oauth_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// registers registers a client and makes it the client of the stage.
func (st *stage) registers(body string) *oauth.Registration {
	st.t.Helper()
	r, err := st.Register(st.t.Context(), []byte(body))
	if err != nil {
		st.t.Fatal(err)
	}
	st.app.ClientID = r.ID
	return r
}

// signed makes a client that registered some time ago the client of the stage.
func (st *stage) signed(name string, ago time.Duration) {
	st.t.Helper()
	r := &oauth.Registration{Name: name, Redirects: []string{callback}, Issued: micros.Now().Add(-ago)}
	if err := st.Sign(r); err != nil {
		st.t.Fatal(err)
	}
	st.app.ClientID = r.ID
}

// rekey gives the row of a registered client another id.
func (st *stage) rekey(from, to string) {
	st.t.Helper()
	if err := st.store.InTx(st.person, func(ctx context.Context) error {
		for _, table := range []string{"apps", "oauth_clients"} {
			if _, err := st.store.DB(ctx).ExecContext(ctx, "UPDATE "+table+
				" SET client_id = ? WHERE client_id = ? AND store_id = ?",
				oauth.DocumentKey(st.id, to), oauth.DocumentKey(st.id, from), st.id); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		st.t.Fatal(err)
	}
}

// A registered client completes the whole flow, limited to the scopes of its registration.
func TestRegisteredFlow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		st.registers(`{"client_name": "Helper", "redirect_uris": ["` + callback + `"], "scope": "orders.read nothing",
			"token_endpoint_auth_method": "client_secret_post", "logo_uri": "https://evil.test/logo.png"}`)
		if n := st.store.DB(st.person).App.Query().Where(apps.MetadataURLNotNil()).CountX(st.person); n != 0 {
			t.Errorf("%d rows before a consent", n)
		}
		tokens, err := st.exchange(st.consent("scope", "orders.read products.read", "resource", issuer+"/mcp"))
		if err != nil || tokens.Scopes.String() != "orders.read" {
			t.Fatalf("%+v %v", tokens, err)
		}
		next, err := st.elsewhere().refresh(tokens.Refresh)
		if err != nil || !st.opens(next.Access) {
			t.Fatal(err)
		}
		st.consent()
		row := st.store.DB(st.person).App.Query().Where(apps.MetadataURL(st.app.ClientID)).OnlyX(st.person)
		if row.Name != "Helper" || row.StoreID != st.id || row.Developer != "an unverified developer" {
			t.Errorf("%+v", row)
		}
		if err := st.Revoke(t.Context(), form(t, "token", next.Refresh.Reveal(), "client_id", st.app.ClientID),
			nil); err != nil || st.opens(next.Access) {
			t.Errorf("revoked: %v", err)
		}
	})
}

// A stranger's registration gives no code to another address, no name of others, and no id that this
// server did not issue.
func TestRegisteredAttacks(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	st.registers(`{"client_name": "Storefront", "redirect_uris": ["` + callback + `", "http://localhost/cb"]}`)
	for _, uri := range []string{"https://evil.test/cb", callback + "/", callback + "?x",
		"http://localhost.evil.test/cb"} {
		if _, err := st.asks(t.Context(), "redirect_uri", uri); code(err) != oauth.InvalidRequest {
			t.Errorf("%s: %v", uri, err)
		}
	}
	r, err := st.asks(t.Context(), "redirect_uri", "http://localhost:3118/cb")
	if err != nil || r.App.Name != "Unnamed app" {
		t.Errorf("%+v %v", r, err)
	}
	id := st.app.ClientID
	stolen := st.lets(st.person, st.begin())
	st.registers(`{"redirect_uris": ["` + callback + `"]}`) // the thief has the same address
	if _, err := st.exchange(stolen); code(err) != oauth.InvalidGrant {
		t.Errorf("by another registration: %v", err)
	}
	for _, forged := range []string{"dynamic-", "dynamic-AAAA", id[:len(id)-2], id + "A", id[:20] + "x" + id[21:],
		strings.ToUpper(id), "dynamic-" + strings.Repeat("A", 4000)} {
		if _, err := st.asks(t.Context(), "client_id", forged); code(err) != oauth.InvalidClient {
			t.Errorf("%.60s: %v", forged, err)
		}
		st.app.ClientID = forged
		if _, err := st.exchange(stolen); code(err) != oauth.InvalidClient {
			t.Errorf("the code with %.60s: %v", forged, err)
		}
	}
	st.app.ClientID = id
	if _, err := st.exchange(stolen); err != nil {
		t.Errorf("by its client: %v", err)
	}
	st.Registration = false
	if _, err := st.asks(t.Context()); code(err) != oauth.InvalidClient {
		t.Errorf("where it is off: %v", err)
	}
	if _, err := st.Register(t.Context(), []byte(`{"redirect_uris": ["`+callback+`"]}`)); code(err) == "" {
		t.Error("it registers where that is off")
	}
}

// A registration does not outlive its expiry, except in the stores that use it.
func TestRegistrationExpires(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	st.signed("Late", oauth.RegistrationLife)
	r, err := st.asks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Consent(st.person, r); code(err) != oauth.InvalidClient {
		t.Errorf("the screen: %v", err)
	}
	st.signed("Early", oauth.RegistrationLife-time.Minute)
	early := st.app.ClientID
	r = st.begin()
	screen, err := st.Consent(st.person, r)
	if err != nil {
		t.Fatal(err)
	}
	r.Registration.Issued = r.Registration.Issued.Add(-time.Hour) // while the screen was open
	if _, err := st.Allow(st.person, r, screen.Ticket); code(err) != oauth.InvalidClient {
		t.Errorf("the answer: %v", err)
	}
	// One that is connected, and then forgotten.
	st.app.ClientID = early
	tokens := st.token()
	st.signed("Old", 2*oauth.RegistrationLife)
	st.rekey(early, st.app.ClientID)
	if _, err := st.Consent(st.person, st.begin()); err != nil {
		t.Errorf("with live access: %v", err)
	}
	tokens, err = st.refresh(tokens.Refresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.store.InTx(st.person, func(ctx context.Context) error {
		return st.store.DB(ctx).Grant.Update().Where(grant.StoreID(st.id)).
			SetRefreshExpiresAt(micros.Now().Add(-time.Second)).Exec(ctx)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Consent(st.person, st.begin()); code(err) != oauth.InvalidClient {
		t.Errorf("after its access ended: %v", err)
	}
	if _, err := st.refresh(tokens.Refresh); code(err) != oauth.InvalidClient {
		t.Errorf("a refresh, which makes clients register again: %v", err)
	}
}

// A flood from one network is refused, and other networks register.
func TestRegistrationFlood(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	body := []byte(`{"redirect_uris": ["` + callback + `"]}`)
	refused := 0
	for range 200 {
		if _, err := st.Register(from(t, "192.0.2.1"), body); code(err) == oauth.TemporarilyUnavailable {
			refused++
		}
	}
	if _, err := st.Register(from(t, "198.51.100.1"), body); err != nil || refused < 130 {
		t.Errorf("%d refused, another network: %v", refused, err)
	}
	passed := 0
	for i := range 2000 {
		if _, err := st.Register(from(t, "10.0."+strconv.Itoa(i/250)+"."+strconv.Itoa(i%250)), body); err == nil {
			passed++
		}
	}
	if passed > 700 {
		t.Errorf("%d registrations of many networks at once", passed)
	}
}

func TestParseRegistration(t *testing.T) {
	whole := `{"client_name": "Helper", "redirect_uris": ["` + callback + `", "http://127.0.0.1:1/cb"],
		"token_endpoint_auth_method": "none", "grant_types": ["authorization_code"], "response_types": ["code"]}`
	if r, err := oauth.ParseRegistration([]byte(whole)); err != nil || r.Name != "Helper" || len(r.Redirects) != 2 {
		t.Errorf("%+v %v", r, err)
	}
	for _, tc := range []struct{ old, new, want string }{
		{"{", "[{", oauth.InvalidMetadata}, {`"none"`, `"private_key_jwt"`, oauth.InvalidMetadata},
		{`"none"`, "7", oauth.InvalidMetadata}, {`"authorization_code"`, `"implicit"`, oauth.InvalidMetadata},
		{`["code"]`, `["token"]`, oauth.InvalidMetadata}, {"Helper", strings.Repeat("x", 256), oauth.InvalidMetadata},
		{`"response_types"`, `"scope": "nothing", "x"`, oauth.InvalidMetadata},
		{`"redirect_uris"`, `"uris"`, oauth.InvalidRedirectURI},
		{callback, "http://app.test/cb", oauth.InvalidRedirectURI},
		{callback, "https://app.test/cb#x", oauth.InvalidRedirectURI},
		{callback, "https://a@app.test/cb", oauth.InvalidRedirectURI},
		{callback, "com.example.app:/cb", oauth.InvalidRedirectURI},
		{callback, "javascript:1", oauth.InvalidRedirectURI},
		{`"` + callback + `"`, "7", oauth.InvalidRedirectURI},
		{`"` + callback, strings.Repeat(`"https://a.test/",`, 20) + `"` + callback, oauth.InvalidRedirectURI},
	} {
		body := strings.Replace(whole, tc.old, tc.new, 1)
		if _, err := oauth.ParseRegistration([]byte(body)); code(err) != tc.want {
			t.Errorf("%s: %v, want %s", body, err, tc.want)
		}
	}
	st := newStage(t, storetest.Open(t))
	long := []byte(`{"redirect_uris": ["https://app.test/` + strings.Repeat("a", 1900) + `"]}`)
	if _, err := st.Register(t.Context(), long); code(err) != oauth.InvalidMetadata {
		t.Errorf("too long together: %v", err)
	}
}

// Accepted metadata has redirect URIs that are https or on this device.
func FuzzParseRegistration(f *testing.F) {
	f.Add(`{"redirect_uris": ["` + callback + `"], "scope": "orders.read", "client_name": "a"}`)
	f.Add(`{"redirect_uris": ["http://localhost:1/a", 7], "grant_types": {}}`)
	f.Fuzz(func(t *testing.T, body string) {
		r, err := oauth.ParseRegistration([]byte(body))
		if err != nil {
			if code(err) != oauth.InvalidMetadata && code(err) != oauth.InvalidRedirectURI {
				t.Fatal(err)
			}
			return
		}
		local := func(uri string) bool {
			return strings.HasPrefix(uri, "http://127.0.0.1") || strings.HasPrefix(uri, "http://[::1]") ||
				strings.HasPrefix(uri, "http://localhost")
		}
		if len(r.Redirects) == 0 || r.Scopes() == 0 || slices.ContainsFunc(r.Redirects, func(uri string) bool {
			return strings.ContainsAny(uri, " #") || !strings.HasPrefix(uri, "https://") && !local(uri)
		}) {
			t.Fatalf("accepted %q", r)
		}
	})
}
