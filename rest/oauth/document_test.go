package oauth_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	engine "github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/oauth"
)

// documented returns a world with an unregistered client, and its document's host, the name in it,
// and the number of requests for it.
func documented(t *testing.T) (w *world, host string, name *atomic.Value, asked *atomic.Int64) {
	t.Helper()
	name, asked = new(atomic.Value), new(atomic.Int64)
	name.Store("Help & <b>Co</b>")
	h := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id": "https://%s%s", "client_name": %q, "redirect_uris": [%q, %q]}`, r.Host,
			r.URL.Path, name.Load(), callback, "http://localhost/cb")
	}))
	t.Cleanup(h.Close)
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	ring, err := keyring.Parse(strings.Repeat("consent tickets ", 3))
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t)
	w = newWorld(t, s, func(c *oauth.Config, _ *account.Config) {
		c.Server, err = engine.New(engine.Config{Store: s, Keys: apikey.NewKeeper(s), Ring: ring, Issuer: issuer,
			Documents:   engine.Documents{Egress: egress.Policy{AllowLoopback: true}, RootCAs: roots},
			MayName:     func(context.Context, string) (bool, error) { return true, nil },
			OnLastGrant: func(context.Context, xid.ID) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
	})
	w.app.ClientID = h.URL + "/client.json"
	return w, h.Listener.Addr().String(), name, asked
}

// The consent page names the hosts of the document and of the redirect, because a stranger's
// document proves nothing.
func TestDocumentConsent(t *testing.T) {
	w, host, name, asked := documented(t)
	if r := w.authorize(nil); r.status != http.StatusSeeOther || asked.Load() > 0 {
		t.Errorf("for a stranger: %d, the document was fetched %d times", r.status, asked.Load())
	}
	screen := w.authorize(w.ada)
	for _, want := range []string{"Help &amp; &lt;b&gt;Co&lt;/b&gt;", "Published at</dt><dd><strong><bdi>" + host,
		"Redirects to</dt><dd><strong><bdi>app.test", "This app is not verified", `value="allow"`} {
		if !strings.Contains(screen.body, want) {
			t.Errorf("the screen lacks %s", want)
		}
	}
	if strings.Contains(screen.body, "Registered by") || strings.Contains(screen.body, "Any program") {
		t.Error("the screen shows a registration or the warning of loopback addresses")
	}
	local := w.authorize(w.ada, "redirect_uri=http://localhost:3118/cb")
	if !strings.Contains(local.body, "Any program on this device can pretend to be this app") {
		t.Errorf("no warning of loopback addresses: %d %s", local.status, local.body)
	}
	denied := w.answer(w.ada, local.form(), "decision=deny").redirected("http://localhost:3118/cb")
	if denied.Get("error") != "access_denied" {
		t.Errorf("deny: %v", denied)
	}
	tokens := w.exchange(w.answer(w.ada, screen.form(), "decision=allow").redirected(callback).Get("code")).tokens()
	if !w.opens(tokens.Access) {
		t.Errorf("%+v", tokens)
	}
	again := w.authorize(w.ada)
	if strings.Contains(again.body, "NEW") {
		t.Error("what the app has is marked as new")
	}
	if asked.Load() != 1 {
		t.Errorf("the document was fetched %d times", asked.Load())
	}
	w.app.ClientID += "?other"
	name.Store("Another")
	if r := w.authorize(w.ada); r.status != http.StatusBadRequest || strings.Contains(r.body, "Another") {
		t.Errorf("a client that its document does not name: %d %s", r.status, r.body)
	}
}
