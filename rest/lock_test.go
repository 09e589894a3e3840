package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// front writes how the shop looks beyond its theme.
func (m *shop) front(f document.StorefrontFields) {
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStorefront(document.NewStorefront(f)).AddVersion(1).Exec(ctx)
	})
}

// A shop with a password shows nothing without it, to robots neither.
func TestPassword(t *testing.T) {
	var config *rest.Config
	b, m, mug := counter(t, state.German, 3, func(c *rest.Config) { config = c })
	m.front(document.StorefrontFields{Password: graphtest.Must[string](t)(password.Hash(t.Context(), "green tea"))})
	const asked = "Geben Sie das Passwort ein"
	for _, path := range []string{"/", "/products", "/products/mug", "/cart", "/checkout/review", "/sitemap.xml",
		"/index.md", "/products.md", "/products/mug.md", "/search.md", "/feeds/google.xml", "/llms.txt",
		"/cart?signature=x&expires=1"} {
		at, _, _ := strings.Cut(path, "?")
		b.get(path).want(http.StatusForbidden, at, asked, `name="password"`)
	}
	r := graphtest.NewCore(t, m.store).Mutation()
	for kind, title := range map[state.PageKind]string{state.PageImprint: "Impressum", state.PageShipping: "Versand"} {
		p := graphtest.Must[*model.PagePayload](t)(r.PageCreate(m.ctx,
			model.PageCreateInput{Title: title, Body: "**Wir** & [mehr](/products)", Kind: &kind})).Page
		graphtest.Must[*model.PagePayload](t)(r.PagePublish(m.ctx, p.PublicID(), p.Version))
	}
	b.get("/").want(http.StatusForbidden, "/", asked, `<a href="/pages/impressum">Impressum</a>`)
	b.get("/pages/impressum").want(http.StatusOK, "/pages/impressum", "<strong>Wir</strong> &amp; ")
	if strings.Contains(b.body, "versand") || strings.Contains(b.body, "/cart") {
		t.Errorf("the imprint links to other pages:\n%s", b.body)
	}
	b.get("/pages/versand").want(http.StatusForbidden, "/pages/versand", asked)
	b.ask(http.MethodPost, "/pages/impressum", "").want(http.StatusForbidden, "/pages/impressum", asked)
	const preview = "/?theme=x&expires=1&signature=x"
	b.get(preview).want(http.StatusForbidden, "/", "link is not valid")
	b.get("/robots.txt").want(http.StatusOK, "/robots.txt", "Disallow: /\n")
	b.get("/_storefront/announcement.css").want(http.StatusOK, "/_storefront/announcement.css", "text-align")
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1")).want(http.StatusForbidden, "/cart/add", asked)
	b.get("/").fill("/password", "password", "coffee").
		want(http.StatusUnprocessableEntity, "/password", "Das ist nicht das Passwort.")
	if b.cookie != nil {
		t.Errorf("the wrong password gives %v", b.cookie)
	}
	b.fill("/password", "password", "green tea")
	b.get("/cart").want(http.StatusOK, "/cart", "<h1>")
	genuine := b.cookie.Value
	sum := genuine[strings.Index(genuine, "&of=")+len("&of=") : strings.Index(genuine, "&signature=")]
	signed := func(store xid.ID, of string) string {
		_, value, _ := strings.Cut(config.Links.Sign("/password", micros.Now().Add(time.Hour), "store",
			xid.Store.Format(store), "of", of), "?")
		return value
	}
	b.cookie.Value = signed(m.id, sum)
	b.get("/cart").want(http.StatusOK, "/cart", "<h1>")
	for _, value := range []string{strings.Replace(genuine, "expires=1", "expires=9", 1),
		genuine[:len(genuine)-1], "", signed(m.id, sum[1:]), signed(xid.New(), sum)} {
		b.cookie.Value = value
		b.get("/cart").want(http.StatusForbidden, "/cart", asked)
	}
}

// A paused shop stays visible and takes no orders, until its pause ends.
func TestPause(t *testing.T) {
	for name, tc := range map[string]struct {
		until micros.Time
		sells bool
	}{"over": {micros.Now() - 1, true}, "on": {micros.Now().Add(1 << 40), false}} {
		t.Run(name, func(t *testing.T) {
			b, m, mug := counter(t, state.English, 3)
			link := "/pages/sale"
			m.front(document.StorefrontFields{Pause: &document.Pause{Message: "Back <soon>.", Until: &tc.until},
				Announcement: &document.Announcement{Text: "Sale & more", Link: &link, Enabled: true}})
			if tc.sells {
				b.get("/cart").want(http.StatusOK, "/cart", `<a href="/pages/sale">Sale &amp; more</a>`)
				b.ask(http.MethodPost, "/cart/add", adding(mug, "1")).want(http.StatusOK, "/cart", "Added")
				return
			}
			b.get("/cart").want(http.StatusOK, "/cart", "Back &lt;soon&gt;.")
			b.ask(http.MethodPost, "/cart/add", adding(mug, "1")).
				want(http.StatusConflict, "/cart/add", "takes no orders", "Back &lt;soon&gt;.")
			b.get("/checkout/details").want(http.StatusConflict, "/checkout/details", "takes no orders")
		})
	}
}
