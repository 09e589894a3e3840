package oauth_test

import (
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/oauth"
)

var item = regexp.MustCompile(`(?s)<li data-scope="([^"]+)">(.*?)</li>`)

// lines returns the scopes of a consent page in order.
func (r *reply) lines() (names []string, texts map[string]string) {
	texts = map[string]string{}
	for _, m := range item.FindAllStringSubmatch(r.body, -1) {
		names = append(names, m[1])
		texts[m[1]] = html.UnescapeString(m[2])
	}
	return names, texts
}

func TestConsentScreen(t *testing.T) {
	w := sqlite(t)
	w.app = w.register(row{Name: "Sync it", Developer: "Sync Ltd", Website: "https://sync.test/about",
		Scopes: []string{scope.CustomersRead, scope.OrdersWrite, scope.ProductsRead}})
	r := w.authorize(w.ada)
	for _, want := range []string{"Registered by", time.Now().UTC().Format("2006"),
		"Sync it", "Sync Ltd", "https://sync.test/about",
		"Kiln &amp; Co", "Ada Example", "ada@example.com", "app.test", "Sign out", `action="` + account.SignOutPath +
			`"`, `value="allow"`, `value="deny"`} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the screen lacks %s", want)
		}
	}
	if strings.Contains(r.body, "<script") || strings.Contains(r.body, "style=") ||
		strings.Contains(r.body, `href="https://sync.test`) {
		t.Error("the screen has a script, a style or a link to somewhere else")
	}
	names, texts := r.lines()
	if d := cmp.Diff([]string{scope.ProductsRead, scope.OrdersWrite, scope.CustomersRead}, names); d != "" {
		t.Errorf("lines, in the catalogue's order and without the implied read (-want +got):\n%s", d)
	}
	for _, e := range scope.All() {
		name, text := e.Name, texts[e.Name]
		if !slices.Contains(names, name) {
			continue
		}
		if !strings.Contains(text, e.Title) || !strings.Contains(text, e.Sentence) ||
			strings.Contains(text, "personal data") != e.Personal {
			t.Errorf("%s: %s", name, text)
		}
		if strings.Contains(text, "Includes reading") != (e.Access == "write") || strings.Contains(text, "NEW") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// An app's token is a key, so people who signed in some time ago confirm their identity before they
// allow one. Denying needs no confirmation.
func TestConsentNeedsProof(t *testing.T) {
	w := sqlite(t)
	screen := w.authorize(w.ada)
	graphtest.ExpireProofs(t, w.store)
	again := account.AgainAddress(oauth.AuthorizePath + "?" + w.asked().Encode())
	if r := w.authorize(w.ada); r.status != http.StatusSeeOther || r.header.Get("Location") != again {
		t.Errorf("the screen: %d %v", r.status, r.header)
	}
	if r := w.answer(w.ada, screen.form(), "decision=allow"); r.header.Get("Location") != again {
		t.Errorf("allow: %d %v", r.status, r.header)
	}
	if n := len(w.grants()); n != 0 {
		t.Errorf("%d grants", n)
	}
	denied := w.answer(w.ada, screen.form(), "decision=deny").redirected(callback)
	if denied.Get("error") != "access_denied" {
		t.Errorf("deny: %v", denied)
	}
}

// The consent page, the metadata and the catalog name the same scopes.
func TestScopesAreTheCatalogues(t *testing.T) {
	w := sqlite(t)
	shown := map[string]bool{}
	names, _ := w.authorize(w.ada).lines() // an app with all of them
	for _, n := range names {
		shown[n] = true
	}
	for _, e := range scope.All() {
		names, texts := w.authorize(w.ada, "scope="+e.Name).lines()
		if d := cmp.Diff([]string{e.Name}, names); d != "" || !strings.Contains(texts[e.Name], e.Sentence) {
			t.Errorf("asked for %s (-want +got):\n%s\n%s", e.Name, d, texts[e.Name])
		}
		shown[e.Name] = true
	}
	if !slices.Equal(sorted(shown), slices.Sorted(slices.Values(scope.Names()))) {
		t.Errorf("the screens show %v", sorted(shown))
	}
	for _, path := range []string{oauth.MetadataPath, resourcePath} {
		if d := cmp.Diff(list(scope.Names()...),
			w.send(http.MethodGet, path, nil, "").document()["scopes_supported"]); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	form := w.authorize(w.ada).form()
	code := w.answer(w.ada, form, "decision=allow").redirected(callback).Get("code")
	if got := w.exchange(code).tokens().Scope; got != scope.Full().String() {
		t.Errorf("granted %s", got)
	}
}

func sorted(set map[string]bool) (names []string) {
	for n := range set {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// NEW marks scopes that no live grant of the app has.
func TestNewMarks(t *testing.T) {
	w := sqlite(t)
	fresh := func(want ...string) {
		t.Helper()
		var got []string
		names, texts := w.authorize(w.ada, "scope=orders.write products.read themes.read").lines()
		for _, n := range names {
			if strings.Contains(texts[n], ">NEW<") {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("NEW are %v, want %v", got, want)
		}
	}
	fresh()
	w.code("scope=products.read") // allowed but never redeemed, so not a live grant
	fresh()
	got := w.exchange(w.code("scope=orders.read products.read")).tokens()
	fresh(scope.OrdersWrite, scope.ThemesRead)
	w.revoke(got.Refresh).done()
	fresh()
}

// Names of merchants, developers and people are escaped.
func TestStoredTextIsText(t *testing.T) {
	w := sqlite(t)
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'{{.}}</bdi></form><form ` +
		`action=https://evil.test>`
	w.app = w.register(row{Name: evil + "A", Developer: evil + "D", Website: "javascript:alert(3)//" + evil})
	first, second := w.newShop(evil+"S"), w.newShop(evil+"T")
	p := w.signIn(evil+"P", evil+"@E", member{first, viewer.Owner}, member{second, viewer.Admin})
	helper := w.signIn(evil+"P", evil+"@H", member{first, viewer.Support})
	form := w.authorize(p, "store="+id(first), "state="+evil).form()
	pages := map[string]*reply{
		"consent": w.authorize(p, "store="+id(first), "state="+evil),
		"choose":  w.authorize(p, "state="+evil, evil+"=x"),
		"nobody":  w.authorize(helper, "state="+evil),
		"again":   w.answer(p, form, "decision=allow", "ticket=x"),
		"error":   w.authorize(p, "client_id="+evil, "redirect_uri="+evil),
	}
	for name, r := range pages {
		t.Run(name, func(t *testing.T) {
			for _, part := range []string{
				"<script", "<img", "onerror=alert(2)>", "<form action=https", `href="javascript`,
			} {
				if strings.Contains(r.body, part) {
					t.Errorf("the page holds %s\n%s", part, r.body)
				}
			}
			if n := strings.Count(r.body, "<form"); n != strings.Count(r.body, "</form>") {
				t.Errorf("%d forms", n)
			}
		})
	}
	// All of it is returned unchanged.
	if q := w.answer(p, form, "decision=deny").redirected(callback); q.Get("state") != evil {
		t.Errorf("state %q", q.Get("state"))
	}
}

func TestChooseStore(t *testing.T) {
	w := sqlite(t)
	second, third, foreign := w.newShop("Second shop"), w.newShop("Third shop"), w.newShop("Foreign shop")
	p := w.signIn("Pat", "pat@example.com", member{w.shop, viewer.Owner},
		member{second, viewer.Developer}, member{third, viewer.Support})
	choice := func(t *testing.T, r *reply) {
		t.Helper()
		if r.status != http.StatusOK || !strings.Contains(r.body, `method="get"`) ||
			strings.Contains(r.body, "ticket") || strings.Contains(r.body, "checked") {
			t.Errorf("%d\n%s", r.status, r.body)
		}
		if !strings.Contains(r.body, id(w.shop)) || !strings.Contains(r.body, id(second)) ||
			strings.Contains(r.body, id(third)) || strings.Contains(r.body, id(foreign)) {
			t.Errorf("not the two stores that they may connect apps to\n%s", r.body)
		}
	}
	t.Run("several are chosen from", func(t *testing.T) { choice(t, w.authorize(p)) })
	for name, named := range map[string]string{"another's": id(foreign), "malformed": "str_x", "empty": ""} {
		t.Run("chosen again: "+name, func(t *testing.T) { choice(t, w.authorize(p, "store="+named)) })
	}
	t.Run("the choice takes the whole request along", func(t *testing.T) {
		form := w.authorize(p, "scope=products.read", "x=1 2&3").form()
		form.Set("store", id(second))
		r := w.send(http.MethodGet, oauth.AuthorizePath+"?"+form.Encode(), p, "")
		if !strings.Contains(r.body, "Second shop") || strings.Contains(r.body, "Kiln") {
			t.Errorf("%s", r.body)
		}
		code := w.answer(p, r.form(), "decision=allow").redirected(callback).Get("code")
		if got := w.exchange(code).tokens(); got.StoreID != id(second) || got.Scope != "products.read" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("one alone is not asked about", func(t *testing.T) {
		if r := w.authorize(w.ada, "store="+id(foreign)); !strings.Contains(r.body, "Kiln &amp; Co") ||
			r.form().Get("store") != id(w.shop) {
			t.Errorf("%s", r.body)
		}
	})
}

func TestWhoMayNotConsent(t *testing.T) {
	w := sqlite(t)
	t.Run("support gets a page, and no redirection", func(t *testing.T) {
		p := w.signIn("Sue", "sue@example.com", member{w.shop, viewer.Support})
		if r := w.authorize(p).page(http.StatusForbidden); !strings.Contains(r.body, "sue@example.com") ||
			!strings.Contains(r.body, account.SignOutPath) {
			t.Errorf("%s", r.body)
		}
	})
	dev := w.signIn("Dev", "dev@example.com", member{w.shop, viewer.Developer})
	t.Run("a developer cannot give what they lack, and may cancel", func(t *testing.T) {
		r := w.authorize(dev, "scope=products.write orders.write")
		form := r.form()
		if strings.Contains(r.body, `value="allow"`) || !strings.Contains(r.body, `value="deny"`) ||
			!strings.Contains(r.body, `role="alert"`) ||
			!strings.Contains(r.body, "<li>Annotate orders</li>") ||
			strings.Contains(r.body, "<li>Manage products</li>") {
			t.Errorf("%s", r.body)
		}
		w.answer(dev, clone(form), "decision=allow").page(http.StatusForbidden)
		if q := w.answer(dev, form, "decision=deny").redirected(callback); q.Get("error") != "access_denied" {
			t.Errorf("%v", q)
		}
	})
	t.Run("and may give what they have", func(t *testing.T) {
		form := w.authorize(dev, "scope=products.write").form()
		w.answer(dev, form, "decision=allow").redirected(callback)
	})
	t.Run("support, when the store is named, may cancel", func(t *testing.T) {
		p := w.signIn("Sam", "sam@example.com", member{w.shop, viewer.Support})
		r := w.authorize(p, "store="+id(w.shop), "scope=products.read")
		form := r.form()
		if strings.Contains(r.body, `value="allow"`) {
			t.Errorf("%s", r.body)
		}
		w.answer(p, clone(form), "decision=allow").page(http.StatusForbidden)
		w.answer(p, form, "decision=deny").redirected(callback)
	})
	t.Run("a store that requires a second factor meanwhile", func(t *testing.T) {
		shop := w.newShop("Strict shop")
		p := w.signIn("Uma", "uma@example.com", member{shop, viewer.Owner})
		form := w.authorize(p).form()
		w.in(shop.ID, func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetSecondFactor(true).Exec(ctx)
		})
		for _, r := range []*reply{w.answer(p, form, "decision=allow"), w.authorize(p)} {
			if page := r.page(http.StatusForbidden); !strings.Contains(page.body, "second factor") {
				t.Errorf("%s", page.body)
			}
		}
	})
	t.Run("a role that was taken while the screen was open", func(t *testing.T) {
		p := w.signIn("Tim", "tim@example.com", member{w.shop, viewer.Owner})
		form := w.authorize(p).form()
		w.in(w.shop.ID, func(ctx context.Context, c *db.Client) error {
			_, err := c.Staff.Delete().Exec(ctx)
			return err
		})
		w.answer(p, form, "decision=allow").page(http.StatusBadRequest)
	})
}

func TestAppDisabledMeanwhile(t *testing.T) {
	w := sqlite(t)
	form := w.authorize(w.ada).form()
	w.in(w.app.StoreID, func(ctx context.Context, c *db.Client) error {
		return c.App.Update().SetDisabledAt(micros.Now()).Exec(ctx)
	})
	w.answer(w.ada, form, "decision=allow").page(http.StatusBadRequest)
}

// Nothing is served over plain http where others can listen (contract, section 11).
func TestClosed(t *testing.T) {
	w := sqlite(t, closed)
	w.authorize(w.ada).page(http.StatusForbidden)
	w.authorize(nil).page(http.StatusForbidden)
	w.answer(w.ada, w.asked()).page(http.StatusForbidden)
	w.exchange("x").refused(http.StatusForbidden, "invalid_request")
	w.revoke("x").refused(http.StatusForbidden, "invalid_request")
	w.send(http.MethodGet, oauth.MetadataPath, nil, "").refused(http.StatusForbidden, "invalid_request")
}

// The rate is per client address and covers both endpoints.
func TestRateOfAnAddress(t *testing.T) {
	from := netip.MustParseAddr("192.0.2.7")
	w := sqlite(t, func(c *oauth.Config, _ *account.Config) {
		c.RatePerSecond, c.RateBurst = 0.001, 3
		c.ClientOf = func(*http.Request) netip.Addr { return from }
	})
	w.exchange("x").refused(http.StatusBadRequest, "invalid_grant")
	w.revoke("x").done()
	w.post(oauth.TokenPath, nil).refused(http.StatusUnauthorized, "invalid_client")
	for _, r := range []*reply{w.exchange("x"), w.revoke("x")} {
		r.refused(http.StatusTooManyRequests, "temporarily_unavailable")
		if r.header.Get("Retry-After") == "" || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", r.header)
		}
	}
	for _, other := range []string{"192.0.2.8", "127.0.0.1", "10.0.0.1", "127.0.0.1", "10.0.0.1", "10.0.0.1",
		"10.0.0.1"} { // a peer that may be a proxy is not counted
		from = netip.MustParseAddr(other)
		w.exchange("x").refused(http.StatusBadRequest, "invalid_grant")
	}
}

// An internal error is logged once, and its cause is never shown.
func TestOurFaultIsHidden(t *testing.T) {
	var log strings.Builder
	w := sqlite(t, func(c *oauth.Config, a *account.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	form := w.authorize(w.ada).form()
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() *reply{
		"token":   func() *reply { return w.exchange(apikey.Mint(apikey.Code).Reveal()) },
		"revoke":  func() *reply { return w.revoke("x") },
		"ask":     func() *reply { return w.authorize(w.ada) },
		"answer":  func() *reply { return w.answer(w.ada, form, "decision=allow") },
		"nothing": func() *reply { return w.authorize(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			log.Reset()
			r := ask()
			if r.status != http.StatusInternalServerError && r.status != http.StatusServiceUnavailable {
				t.Errorf("%d", r.status)
			}
			if strings.Contains(r.body, "sql") || strings.Contains(r.body, "database") ||
				strings.Contains(r.body, "look up") {
				t.Errorf("%s", r.body)
			}
			if (r.status == http.StatusServiceUnavailable) != (r.header.Get("Retry-After") != "") ||
				r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d, %v", r.status, r.header)
			}
			if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "closed") {
				t.Errorf("%d lines: %s", n, &log)
			}
		})
	}
}
