//go:build !race

package e2e

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/storefront-go/storefront/ent/scope"
)

// listener is an app on this device that awaits its answer on its own port (RFC 8252, section 7.3).
type listener struct {
	address string
	back    chan *url.URL
}

func listen(t *testing.T) *listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &listener{"http://" + l.Addr().String() + "/callback", make(chan *url.URL, 10)}
	s := &http.Server{ReadHeaderTimeout: patience,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/callback" {
				a.back <- r.URL
				w.Header().Set("Content-Type", "text/html")
				w.Write([]byte("<!doctype html><title>Back in the app</title><link rel=icon href='data:,'><h1>Back " +
					"in the app</h1>"))
			}
		})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return a
}

// A person signs in, reads what an app asks for and allows it; the app gets and uses its tokens;
// the person removes the access on the dashboard, and the tokens are revoked.
func TestBrowserConsent(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f, app := p.browse(t), p.demo(t), listen(t)
	c := p.app(f, oauth2.AuthStyleInParams)
	c.RedirectURL = app.address
	verifier := oauth2.GenerateVerifier()

	b.signIn(c.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), f.Stores[0].Owner)
	b.see(`button[name="decision"][value="allow"]`)
	b.shot("consent")
	text := b.visible()
	for _, want := range []string{f.OAuthApp.Name, f.Stores[0].Name, f.Stores[0].Owner.Email} {
		if !strings.Contains(text, want) {
			t.Errorf("the consent screen does not name %q:\n%s", want, text)
		}
	}
	for _, s := range scope.All() {
		if implied := s.Access == "read" && scope.Known(s.Resource+".write"); !implied &&
			!strings.Contains(text, s.Sentence) {
			t.Errorf("the consent screen lacks %s", s.Name)
		}
	}
	b.dress("dark", 360)
	b.shot("consent-dark-phone")
	b.dress("light", 1280)
	b.click(`button[name="decision"][value="allow"]`)
	b.seeText("Back in the app")
	var back *url.URL
	select {
	case back = <-app.back:
	case <-time.After(patience):
		t.Fatal("the app receives nothing")
	}
	token, err := c.Exchange(p.context(t), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	me := request{As: token.AccessToken, Path: base + "/me"}
	p.send(t, me).want(t, http.StatusOK, "")

	b.open("/dashboard/apps")
	b.see(`[data-test="installed-apps"]`)
	b.seeText(f.OAuthApp.Name)
	b.shot("apps")
	b.click(`[data-test="installed-app-revoke"]`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`[data-test="installed-app-revoke"]`)
	p.send(t, me).want(t, http.StatusUnauthorized, "invalid_token")
	b.shot("apps-revoked")
}

// Cancel returns the person to the app, which is notified.
func TestBrowserCancel(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f, app := p.browse(t), p.demo(t), listen(t)
	c := p.app(f, oauth2.AuthStyleInParams, "orders.read")
	c.RedirectURL = app.address
	b.signIn(c.AuthCodeURL("state", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())), f.Stores[0].Owner)
	b.click(`button[name="decision"][value="deny"]`)
	b.seeText("Back in the app")
	if q := (<-app.back).Query(); q.Get("error") != "access_denied" ||
		q.Get("state") != "state" || q.Get("iss") != p.API {
		t.Errorf("the app received %v", q)
	}
}
