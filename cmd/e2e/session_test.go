package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/storetest"
)

// The operator sets a new password: the person is signed out of a running server at once, and only
// the new password works.
func TestStaffPassword(t *testing.T) {
	storetest.Sequential(t)
	data := t.TempDir()
	in := place{"--data", data, "--json"}
	store := parse[struct {
		Invitation struct{ Link string }
	}](t, command(t, in.with("store", "create", "Blue Door Books", "--currency", "GBP",
		"--owner-email", "ana@bluedoor.example")...))
	p := start(t, settings{Data: data})
	who := p.person(t)
	old := p.person(t).accept(store.Invitation.Link, "ana@bluedoor.example", "Ana")
	if at := who.signIn(who.open("/sign-in?return_to=/docs"), old); at.status != http.StatusOK ||
		at.at != p.API+"/docs" {
		t.Fatalf("sign-in leads to %s (%d)", at.at, at.status)
	}
	made := parse[struct {
		Email, Password string
		EndedSessions   int `json:"ended_sessions"`
	}](t, command(t, in.with("staff", "password", "ana@bluedoor.example")...))
	if made.Email != old.Email || made.Password == "" || made.Password == old.Password || made.EndedSessions != 2 {
		t.Errorf("%+v", made)
	}
	at := who.open("/sign-in?return_to=/docs")
	if at.at == p.API+"/docs" {
		t.Fatal("the browser is still signed in")
	}
	if refused := who.signIn(at, old); refused.status != http.StatusForbidden {
		t.Errorf("the old password: %d at %s", refused.status, refused.at)
	}
	if in := who.signIn(at, demo.Owner{Email: made.Email, Password: made.Password}); in.at != p.API+"/docs" {
		t.Errorf("the new password leads to %s (%d)", in.at, in.status)
	}
	code, out, log := try(t, in.with("staff", "password", "nobody@bluedoor.example")...)
	oneLine(t, code, 1, out, log)
}

// The demo's passwords are in a file for everyone to try, so its database is not served where
// others can reach the address.
func TestDemoPasswordsStayHome(t *testing.T) {
	data := demoData(t)
	code, out, log := try(t, "serve", "--data", data, "--addr", "0.0.0.0:0", "--admin-addr",
		"127.0.0.1:0", "--log-level", "error")
	oneLine(t, code, 1, out, log)
	if !strings.Contains(log, "storefront staff password") {
		t.Errorf("%s", log)
	}
}

// Plain http that others can read accepts no passwords, unless the operator says so.
func TestPlainHTTP(t *testing.T) {
	storetest.Sequential(t)
	data := t.TempDir()
	command(t, "store", "create", "Blue Door Books", "--currency", "GBP", "--owner-email",
		"ana@bluedoor.example", "--data", data)
	for _, tc := range []struct {
		args   []string
		status int
	}{
		{[]string{"--addr", "0.0.0.0:0"}, http.StatusForbidden},
		{[]string{"--addr", "0.0.0.0:0", "--insecure-http"}, http.StatusOK},
		{nil, http.StatusOK},
	} {
		p := start(t, settings{Data: data, Args: tc.args})
		a := p.send(t, request{Path: "/sign-in"})
		if a.Status != tc.status || (tc.status == http.StatusForbidden) !=
			strings.Contains(string(a.Body), "--insecure-http") {
			t.Errorf("%v: %d, want %d: %s", tc.args, a.Status, tc.status, a.Body)
		}
		if warned := strings.Contains(p.log.String(), "sign-in, consent and tokens are off"); warned !=
			(tc.status == http.StatusForbidden) {
			t.Errorf("%v: warned %t", tc.args, warned)
		}
		p.stop(t)
	}
}
