//go:build !race

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
)

// onName serves at a host name, which passkeys are bound to: that of a proxy in front of two
// processes that take turns, if they can share a database.
func onName(t *testing.T, s settings) *program {
	t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(front.Addr().String())
	s.Args = append(s.Args, "--public-url", "http://localhost:"+port, "--trusted-proxies", "127.0.0.1")
	var p *program
	var behind []*url.URL
	for len(behind) == 0 || len(behind) == 1 && slices.Contains(s.Args, "--database") {
		at := freeAddress()
		one := s
		one.Args = append(slices.Clone(s.Args), "--addr", at)
		p = start(t, one)
		behind = append(behind, &url.URL{Scheme: "http", Host: at})
	}
	var turn atomic.Uint64
	server := &http.Server{ReadHeaderTimeout: patience, Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind[turn.Add(1)%uint64(len(behind))])
			r.SetXForwarded()
			r.Out.Host = r.In.Host
		}}}
	go server.Serve(front)
	t.Cleanup(func() { server.Close() })
	return p
}

// freeAddress returns an address to listen on, with a port below those that the system assigns.
func freeAddress() string {
	for {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000)))
		if err == nil {
			l.Close()
			return l.Addr().String()
		}
	}
}

// authenticator gives the browser a virtual authenticator that verifies its user.
func (b *browser) authenticator() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{Protocol: "ctap2", Transport: "internal",
				HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
				AutomaticPresenceSimulation: true}})
	}
	if err != nil {
		b.t.Fatalf("a virtual authenticator: %v", err)
	}
}

// signOut leaves by the button of the dashboard.
func (b *browser) signOut() {
	b.t.Helper()
	b.click(`[data-test="sign-out"]`)
	b.await("the sign-in page", "location.pathname === '/sign-in' && document.readyState === 'complete'")
}

// password enters the password, which leads to the second factor.
func (b *browser) password(o demo.Owner) {
	b.t.Helper()
	b.open("/dashboard/orders")
	b.fill(`input[name="email"]`, o.Email)
	b.fill(`input[name="password"]`, o.Password)
	b.click(`form[action="/sign-in"] button`)
	b.await("the second factor", "location.pathname === '/sign-in/second' && document.readyState === 'complete'")
}

// code enters a code as the second factor, and arrives at the requested page.
func (b *browser) code(code string) {
	b.t.Helper()
	b.fill(`input[name="code"]`, code)
	b.click(`form[action="/sign-in/second"]:not([data-passkey]) button`)
	b.arrive("/dashboard/orders")
}

func (b *browser) arrive(path string) {
	b.t.Helper()
	b.await(path, "location.pathname === "+quote(path)+" && document.querySelector('[data-test=\"sign-out\"]')")
}

// codes returns the recovery codes that are shown once.
func (b *browser) codes() []string {
	b.t.Helper()
	list := strings.Fields(b.text(`dialog [data-test="codes"]`))
	if len(list) != 10 {
		b.t.Errorf("%d codes: %q", len(list), list)
	}
	b.click(`[data-test="codes-done"]`)
	b.gone(`dialog`)
	return list
}

// app sets up an authenticator app and returns its secret.
func (b *browser) app() (secret string) {
	b.t.Helper()
	b.click(`[data-test="totp-new"]`)
	secret = b.text(`dialog [data-test="totp-secret"]`)
	b.await("the QR code", "document.querySelector('dialog .qr img').naturalWidth > 0")
	b.shot("totp")
	b.fill(`dialog input[name="code"]`, factortest.Code(b.t, secret, time.Now()))
	b.fill(`dialog input[name="name"]`, "Phone")
	b.click(`dialog [data-test="submit"]`)
	return secret
}

// An owner sets up a passkey, signs in with it alone, with the password and it, with an app and
// with a recovery code; then the store requires a second factor, and a new member is asked to set
// one up.
func TestBrowserFactor(t *testing.T) {
	t.Parallel()
	s := either(t)
	p := onName(t, s)
	shop := p.demo(t).Stores[0]
	b := p.browse(t)
	b.authenticator()
	b.signIn("/dashboard/security", shop.Owner)
	b.click(`[data-test="passkey-new"]`)
	b.fill(`dialog input[name="name"]`, "Laptop")
	b.click(`dialog [data-test="submit"]`)
	b.codes()
	b.seeText("Laptop")
	b.seeText("10 of 10 recovery codes")
	b.shot("security")

	b.signOut()
	b.shot("sign-in")
	b.click(`form[action="/sign-in/passkey"] button`)
	b.arrive("/dashboard")

	b.signOut()
	b.password(shop.Owner)
	b.shot("second")
	b.click(`form[data-passkey] button`)
	b.arrive("/dashboard/orders")

	b.open("/dashboard/security")
	secret := b.app()
	b.seeText("Phone")
	codes := b.proves(s, shop.Owner)
	b.signOut()
	b.password(shop.Owner)
	b.fill(`input[name="code"]`, "000000")
	b.click(`form[action="/sign-in/second"]:not([data-passkey]) button`)
	b.seeText("The code is wrong")
	b.code(factortest.Code(t, secret, time.Now().Add(30*time.Second))) // the current code was used for the set-up
	b.signOut()
	b.password(shop.Owner)
	b.code(codes[0])

	b.open("/dashboard/settings")
	b.click(`input[name="required"]`)
	b.click(`[data-test="require-factor"] [data-test="submit"]`)
	b.seeText("Second factor required.")
	p.led(t, shop)
}

// proves renews the recovery codes after the session's confirmation has expired: after confirming
// with a passkey, with the password, and not at all without.
func (b *browser) proves(s settings, o demo.Owner) (codes []string) {
	b.t.Helper()
	begin := func() {
		s.rest(b.t)
		b.click(`[data-test="codes-renew"]`)
		b.click(`[data-test="codes-renew-dialog"] [data-test="submit"]`)
		b.see(`[data-test="proof-dialog"] input[name="password"]`)
	}
	begin()
	b.shot("proof")
	b.click(`[data-test="proof-dialog"] [aria-label="Close"]`)
	b.gone(`[data-test="proof-dialog"]`)
	b.seeText("Nothing was changed")
	b.click(`[data-test="codes-renew-dialog"] [aria-label="Close"]`)
	begin()
	b.click(`[data-test="proof-passkey"]`)
	b.codes()
	begin()
	b.fill(`[data-test="proof-dialog"] input[name="password"]`, "wrong")
	b.click(`[data-test="proof-dialog"] [data-test="submit"]`)
	b.seeText("This is not your password.")
	b.fill(`[data-test="proof-dialog"] input[name="password"]`, o.Password)
	b.click(`[data-test="proof-dialog"] [data-test="submit"]`)
	return b.codes()
}

// rest makes every confirmation of identity expire.
func (s settings) rest(t testing.TB) {
	t.Helper()
	database := "sqlite:" + filepath.Join(s.Data, "storefront.db")
	if i := slices.Index(s.Args, "--database"); i >= 0 {
		database = s.Args[i+1]
	}
	store, err := ent.Open(t.Context(), ent.Config{Database: database})
	if err != nil {
		t.Fatal(err)
	}
	err = store.InTx(t.Context(), func(ctx context.Context) error {
		return store.DB(ctx).Session.Update().SetProvedAt(micros.Now().Add(-viewer.ProofLife)).Exec(ctx)
	})
	if err := cmpErr(err, store.Close()); err != nil {
		t.Fatal(err)
	}
}

// led lets a person join a store that requires a second factor.
func (p *program) led(t *testing.T, shop demo.Store) {
	t.Helper()
	var made struct{ StaffInvite struct{ Link string } }
	p.graphql(t, shop.StaffToken, `mutation { staffInvite(input: {email: "uma@example.com", role: SUPPORT}) {
		link userErrors { message } } }`, nil, &made)
	b := p.browse(t)
	b.open(made.StaffInvite.Link)
	b.fill(`input[name="name"]`, "Uma")
	b.fill(`input[name="password"]`, "a quiet kite over the bay")
	b.click(`button[value="join"]`)
	b.see(`[data-test="locked"]`)
	b.shot("locked")
	b.open("/dashboard/orders")
	b.see(`[data-test="locked"]`)
	b.app()
	b.codes()
	b.gone(`[data-test="locked"]`)
	b.see(`nav a[href="/dashboard/orders"]`)
}
