package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

const legacy = "/api/public/v0"

// v0 is closed except for stores on the operator's list, for whom it answers like v1; all of its
// answers announce its end.
func TestVersions(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	s := settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}}
	p := start(t, s)
	f := p.demo(t)
	kestrel, hoshi := f.Stores[0].Keys["all"], f.Stores[1].Keys["all"]
	old := request{As: kestrel, Path: legacy + "/orders?limit=3"}
	retired := func(a *answer) {
		t.Helper()
		h := a.Header
		if h.Get("Deprecation") != "@1775001600" || h.Get("Sunset") != "Tue, 30 Jun 2026 23:59:59 GMT" ||
			!strings.Contains(h.Get("Link"), "<"+p.API+base+`>; rel="successor-version"`) {
			t.Errorf("%d without the headers of a retired version: %v", a.Status, h)
		}
	}
	retired(p.send(t, old).want(t, http.StatusGone, "version_retired"))
	retired(p.send(t, request{Path: legacy + "/orders"}).want(t, http.StatusUnauthorized, "authentication_required"))
	if h := p.send(t, request{As: kestrel, Path: base + "/orders"}).Header; h.Get("Deprecation")+
		h.Get("Sunset")+h.Get("Link") != "" {
		t.Errorf("v1 has the headers of a retired version: %v", h)
	}

	command(t, "store", "legacy", "on", "--store", "kestrel-bikes", "--data", s.Data)
	answered := p.awaitAnswer(t, old, http.StatusOK)
	retired(answered)
	if !same(answered, p.send(t, request{As: kestrel, Path: base + "/orders?limit=3"})) {
		t.Error("v0 does not answer as v1")
	}
	write := request{As: kestrel, Path: legacy + "/products", Body: draft("Old and new", "V0"), Key: "both-versions"}
	first := p.send(t, write).want(t, http.StatusCreated, "")
	retired(first)
	write.Path = base + "/products"
	if again := p.send(t, write); again.Header.Get("Idempotent-Replayed") != "true" ||
		string(again.Body) != string(first.Body) {
		t.Errorf("v1 does not know the key of v0: %d %s", again.Status, again.Body)
	}
	retired(p.send(t, request{As: hoshi, Path: legacy + "/orders"}).want(t, http.StatusGone, "version_retired"))

	command(t, "store", "legacy", "off", "--store", "kestrel-bikes", "--data", s.Data)
	p.stop(t)
	p = start(t, s)
	retired(p.send(t, old).want(t, http.StatusGone, "version_retired"))
}
