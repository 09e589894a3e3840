package oauth_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	engine "github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/oauth"
)

// registering returns a world in which clients register themselves.
func registering(t *testing.T) *world {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("consent tickets ", 3))
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t)
	return newWorld(t, s, func(c *oauth.Config, _ *account.Config) {
		c.Server, err = engine.New(engine.Config{Store: s, Keys: apikey.NewKeeper(s), Ring: ring, Issuer: issuer,
			Registration: true,
			MayName:      func(_ context.Context, name string) (bool, error) { return name != "Storefront", nil },
			OnLastGrant:  func(context.Context, xid.ID) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func (w *world) registers(body string) *reply {
	return w.send(http.MethodPost, oauth.RegisterPath, nil, body, "Content-Type: application/json")
}

// The answer has what the server made of the metadata, and no secret.
func TestRFC7591_3_2_1(t *testing.T) {
	w := registering(t)
	if doc := w.send(http.MethodGet, oauth.MetadataPath, nil, "").document(); doc["registration_endpoint"] !=
		issuer+oauth.RegisterPath {
		t.Errorf("the metadata: %v", doc)
	}
	r := w.registers(`{"client_name": "Helper", "redirect_uris": ["` + callback + `"], "scope": "orders.read",
		"token_endpoint_auth_method": "client_secret_basic", "logo_uri": "https://evil.test/logo.png"}`)
	var got map[string]any
	if err := json.Unmarshal([]byte(r.body), &got); err != nil || r.status != http.StatusCreated ||
		r.header.Get("Cache-Control") != "no-store" || r.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %s", r.status, r.header, r.body)
	}
	id, _ := got["client_id"].(string)
	if _, issued := got["client_id_issued_at"].(float64); !issued || id == "" {
		t.Errorf("%s", r.body)
	}
	delete(got, "client_id")
	delete(got, "client_id_issued_at")
	if diff := cmp.Diff(map[string]any{"client_name": "Helper", "redirect_uris": list(callback), "scope": "orders.read",
		"grant_types": list("authorization_code", "refresh_token"), "response_types": list("code"),
		"token_endpoint_auth_method": "none"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRFC7591_3_2_2(t *testing.T) {
	w := registering(t)
	for body, want := range map[string]string{
		`{"redirect_uris": ["http://evil.test/"]}`: "invalid_redirect_uri", `{}`: "invalid_redirect_uri",
		`[]`: "invalid_client_metadata", "": "invalid_client_metadata",
	} {
		var e refusal
		r := w.registers(body)
		if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.status != http.StatusBadRequest ||
			e.Error != want || !plain(e.Description) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if r := w.send(http.MethodGet, oauth.RegisterPath, nil, ""); r.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", r.status)
	}
	form := w.send(http.MethodPost, oauth.RegisterPath, nil, "a=b", "Content-Type: application/x-www-form-urlencoded")
	if form.status != http.StatusBadRequest || !strings.Contains(form.body, "invalid_client_metadata") {
		t.Errorf("a form: %d %s", form.status, form.body)
	}
	if r := sqlite(t).registers(`{"redirect_uris": ["` + callback + `"]}`); r.status != http.StatusNotFound {
		t.Errorf("where it is off: %d", r.status)
	}
}

// The consent page says that nobody verified the app, and never shows what the app linked to.
func TestRegisteredConsent(t *testing.T) {
	w := registering(t)
	connect := func(name string) *reply {
		var got struct {
			ID string `json:"client_id"`
		}
		r := w.registers(`{"client_name": "` + name + `", "redirect_uris": ["` + callback + `", "http://localhost/cb"],
			"logo_uri": "https://evil.test/logo.png", "client_uri": "https://kiln.example"}`)
		if err := json.Unmarshal([]byte(r.body), &got); err != nil {
			t.Fatal(err)
		}
		w.app.ClientID = got.ID
		return w.authorize(w.ada)
	}
	if screen := connect("Storefront"); strings.Contains(screen.body, "<bdi>Storefront</bdi> asks") ||
		!strings.Contains(screen.body, "<bdi>Unnamed app</bdi> asks") {
		t.Errorf("a name of others: %d %s", screen.status, screen.body)
	}
	screen := connect("Help & <b>Co</b>")
	for _, want := range []string{"Help &amp; &lt;b&gt;Co&lt;/b&gt;", "Not verified. The app registered itself on",
		"Redirects to</dt><dd><strong><bdi>app.test", "This app is not verified", `value="allow"`} {
		if !strings.Contains(screen.body, want) {
			t.Errorf("the screen lacks %s", want)
		}
	}
	for _, not := range []string{"evil.test", "kiln.example", "Registered by", "Published at"} {
		if strings.Contains(screen.body, not) {
			t.Errorf("the screen shows %s", not)
		}
	}
	if local := w.authorize(w.ada, "redirect_uri=http://localhost:3118/cb"); !strings.Contains(local.body,
		"Any program on this device can pretend to be this app") {
		t.Errorf("no warning of loopback addresses: %d", local.status)
	}
	tokens := w.exchange(w.answer(w.ada, screen.form(), "decision=allow").redirected(callback).Get("code")).tokens()
	if !w.opens(tokens.Access) {
		t.Errorf("%+v", tokens)
	}
}
