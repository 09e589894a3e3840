package shop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// publish creates a published page.
func (s *stall) publish(in model.PageCreateInput) *db.Page {
	s.t.Helper()
	p := graphtest.Must[*model.PagePayload](s.t)(s.core.Mutation().PageCreate(s.ctx, in)).Page
	return graphtest.Must[*model.PagePayload](s.t)(s.core.Mutation().PagePublish(s.ctx, p.PublicID(), p.Version)).Page
}

// TestTexts: a page of text uses the theme's template or the built-in one, and a draft is not
// shown.
func TestTexts(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.publish(model.PageCreateInput{Title: "Shipping & returns", SeoDescription: new("Two days."),
			Body: "# Zones\n\n<script>x</script> [mug](/products/mug) ![a](https://cdn.test/a.png)"})
		graphtest.Must[*model.PagePayload](t)(s.core.Mutation().PageCreate(s.ctx,
			model.PageCreateInput{Title: "Draft", Body: "x"}))
		s.get("/pages/shipping-returns").want(t, 200, "<title>Shipping &amp; returns – Test shop</title>", "Theme Plain<",
			"<h1>Shipping &amp; returns</h1><h2>Zones</h2>", `<a href="/products/mug">mug</a>`, "&lt;script&gt;",
			`<img src="/pictures/`, "!cdn.test", `<meta name="description" content="Two days.">`,
			`<link rel="canonical" href="`+s.core.StoreOrigin(s.handle)+`/pages/shipping-returns">`)
		for _, path := range []string{"/pages/draft", "/pages/", "/pages/none", "/pages/Draft"} {
			s.get(path).want(t, 404, "Nothing at "+path, "!canonical")
		}
		own := s.theme("Own", func(files map[string]string) {
			files["templates/page.html"] = `{{define "content"}}<h1 title="{{.article.body}}">Ours</h1>{{.article.body}}{{end}}`
		})
		s.activate(own)
		s.clock.add(time.Second)
		s.get("/pages/shipping-returns").want(t, 200, "Ours</h1><h2>Zones</h2>", "!<h1 title=\"<")
		s.activate(s.theme("Old", func(files map[string]string) {
			files["templates/layout.html"] = `<!doctype html><html><head><title>x</title></head><body>` +
				`{{if ne .page.kind "not_found"}}{{if ne .page.kind "product"}}{{if ne .page.kind "search"}}` +
				`{{if ne .page.kind "home"}}{{.none.such.thing}}{{end}}{{end}}{{end}}{{end}}{{template "content" .}}</body></html>`
		}))
		s.clock.add(time.Second)
		s.get("/").want(t, 200)
		s.get("/pages/shipping-returns").want(t, 200, "<h1>Shipping &amp; returns</h1><h2>Zones</h2>", "canonical")
	})
}

// TestMenusAreShown: the defaults, the merchant's menus, and no dead links. Changes are visible
// within a second, and menus cost cached pages nothing.
func TestMenusAreShown(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.activate(s.theme("Menus", func(files map[string]string) {
			list := `{{range .}}<li><a href="{{.href}}"{{if .current}} aria-current="page"{{end}}>{{.title}}</a>` +
				`{{range .children}}<b><a href="{{.href}}">{{.title}}</a></b>{{end}}</li>{{end}}`
			files["templates/partials/menu.html"] = list
			files["templates/home.html"] = `{{define "content"}}{{.shop.language}} {{.shop.direction}}<nav>{{template ` +
				`"partials/menu.html" .menus.main}}</nav><footer>{{template "partials/menu.html" .menus.footer}}</footer>{{end}}`
		}))
		m, mug := s.core.Mutation(), s.sell("Mug")
		s.get("/").want(t, 200, `en ltr<nav><li><a href="/" aria-current="page">Home</a></li><li><a href="/products">Products`,
			"<footer></footer>")
		imprint := s.publish(model.PageCreateInput{Title: "Imprint", Body: "We.", Kind: new(state.PageImprint)})
		s.clock.add(time.Second)
		s.get("/").want(t, 200, `<footer><li><a href="/pages/imprint">Imprint</a></li></footer>`)
		store := graphtest.Must[*model.Store](t)(s.core.Query().Store(s.ctx))
		graphtest.Must[*model.StorePayload](t)(m.StoreUpdate(s.ctx,
			model.StoreUpdateInput{ExpectedVersion: store.Version, Language: new(state.Arabic)}))
		s.clock.add(time.Second)
		s.get("/").want(t, 200, "ar rtl", ">بحث<")
		link := func(title string, target state.MenuTarget, id string, below ...*document.MenuLink) *document.MenuLink {
			return &document.MenuLink{Title: title, Target: target, ResourceID: &id, Children: below}
		}
		summer := graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(s.ctx,
			model.CollectionInput{Title: "Summer", Sort: state.SortManual})).Collection
		set := document.MenusFields{Main: []*document.MenuLink{
			link("Goods", state.TargetProduct, mug.PublicID(), link("Who", state.TargetPage, imprint.PublicID())),
			link("Summer", state.TargetCollection, summer.PublicID()),
			link("Lost", state.TargetPage, xid.Page.Format(xid.New())),
			{Title: "Blog", Target: state.TargetAddress, Address: new("https://blog.test/?a&b")},
		}, Footer: []*document.MenuLink{}}
		graphtest.Must[*model.MenusPayload](t)(m.MenusSet(s.ctx, 0, set))
		s.clock.add(time.Second)
		s.get("/").want(t, 200, `<nav><li><a href="/products/mug">Goods</a><b><a href="/pages/imprint">Who</a></b></li>`+
			`<li><a href="/collections/summer">Summer</a></li><li><a href="https://blog.test/?a&amp;b">Blog</a></li></nav><footer></footer>`)
		if n := s.statements(func() { s.get("/"); s.get("/") }); n != 0 {
			t.Errorf("%d statements for a page that is kept", n)
		}
		if n := s.statements(func() { s.get("/products/mug") }); n != 3 {
			t.Errorf("%d statements for another page of the state, want those of the product", n)
		}
		graphtest.Must[*model.CollectionDeletePayload](t)(m.CollectionDelete(s.ctx, summer.PublicID(), summer.Version))
		graphtest.Must[*model.PagePayload](t)(m.PageUnpublish(s.ctx, imprint.PublicID(), imprint.Version))
		s.clock.add(time.Second)
		s.get("/").want(t, 200, "!Who", "!Summer")
	})
}

// TestHead: metadata for search engines and link previews, whatever the theme contains.
func TestHead(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		const attack = `"></script><b>`
		s.sell("Mug "+attack, func(in *model.ProductCreateInput) {
			in.Handle, in.Description = new("mug"), new("Holds\n300 ml "+attack)
			in.Sku, in.Vendor = new("M-1"), new("Kiln")
			in.ImageURL, in.InventoryQuantity = new("https://cdn.test/a.png"), new(int64(0))
		})
		origin := s.core.StoreOrigin(s.handle)
		a := s.get("/products/mug").want(t, 200, `<link rel="canonical" href="`+origin+`/products/mug">`,
			`<meta property="og:type" content="product">`, `<meta property="og:image" content="`+origin+`/pictures/`,
			`<meta property="og:locale" content="en_US">`, `<meta property="product:price:amount" content="24.90">`, "!</script><b>", "!cdn.test")
		_, data, _ := strings.Cut(a.body, `<script type="application/ld+json">`)
		data, _, _ = strings.Cut(data, "</script>")
		var got struct {
			Name   string
			Image  []string
			Offers struct{ Price, PriceCurrency, Availability, URL string }
		}
		if err := json.Unmarshal([]byte(data), &got); err != nil || got.Name != "Mug "+attack ||
			got.Offers.Price != "24.90" || got.Offers.PriceCurrency != "EUR" ||
			got.Offers.Availability != "https://schema.org/OutOfStock" ||
			got.Offers.URL != origin+"/products/mug" || len(got.Image) != 1 ||
			!strings.HasPrefix(got.Image[0], origin+"/pictures/") {
			t.Errorf("%v %+v of %s", err, got, data)
		}
		s.get("/?utm=1").want(t, 200, `<link rel="canonical" href="`+origin+`/">`, "!ld+json")
		s.get("/search?q=mug").want(t, 200, "!canonical")
	})
}

// TestSitemap: every address once, in bounded parts.
func TestSitemap(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		origin := s.core.StoreOrigin(s.handle)
		s.get("/sitemap.xml").want(t, 200, "<sitemapindex", origin+"/sitemap-pages.xml", "!products")
		s.publish(model.PageCreateInput{Title: "Imprint", Body: "We."})
		s.sell("Mug")
		const most = storefront.MaxSitemapEntries
		s.write(func(ctx context.Context, c *db.Client) error {
			for from := 0; from < most; from += 500 {
				batch := make([]*db.ProductCreate, 500)
				for i := range batch {
					id := xid.At(micros.Time(1e15 + from + i))
					batch[i] = c.Product.Create().SetID(id).SetTitle("x").SetHandle(fmt.Sprintf("x-%d", from+i)).
						SetStatus(state.ProductActive).SetPriceMinor(1).SetCurrency("EUR").SetTags([]byte("[]")).
						SetUpdatedAt(id.Time())
				}
				if err := c.Product.CreateBulk(batch...).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		s.clock.add(time.Minute)
		a := s.get("/sitemap.xml").want(t, 200, origin+"/sitemap-products.xml</loc>")
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/xml") {
			t.Errorf("type %s", a.Header.Get("Content-Type"))
		}
		_, rest, _ := strings.Cut(a.body, "/sitemap-products-")
		name, _, _ := strings.Cut(rest, ".xml")
		first := s.get("/sitemap-products.xml").want(t, 200, origin+"/products/x-0</loc><lastmod>2001-09-09T01:46:40Z<",
			"!/products/mug<")
		if n := strings.Count(first.body, "<url>"); n != most {
			t.Errorf("%d addresses in the first part", n)
		}
		second := s.get("/sitemap-products-"+name+".xml").want(t, 200, origin+"/products/mug</loc>")
		if n := strings.Count(second.body, "<url>"); n != 1 {
			t.Errorf("%d addresses in the second part", n)
		}
		s.get("/sitemap-pages.xml").want(t, 200, "<loc>"+origin+"/</loc>",
			"<loc>"+origin+"/pages/imprint</loc><lastmod>")
		for _, path := range []string{"/sitemap-products-x.xml", "/sitemap-other.xml", "/sitemap-.xml", "/sitemap"} {
			s.get(path).want(t, 404)
		}
		s.ask(http.MethodGet, "nobody.shops.test", "/robots.txt").want(t, 404)
		s.write(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetStatus(state.StoreClosed).AddVersion(1).Exec(ctx)
		})
		s.clock.add(time.Second)
		s.get("/robots.txt").want(t, 200, "User-agent: *\nDisallow: /\n")
		s.get("/robots.txt").want(t, 200, "Disallow: /\n")
		s.get("/sitemap.xml").want(t, 404)
	})
}

// TestPriceNote: a theme prints what the prices of its page include, by the tax settings, and links
// to shipping. Changes are visible within a second.
func TestPriceNote(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.activate(s.theme("Notes", func(files map[string]string) {
			files["templates/layout.html"] = `<!doctype html><html><head><title>x</title></head><body>` +
				`[{{with .shop.price_note}}{{.}}{{end}}]{{with .shop.shipping_url}}<a href="{{.}}">More</a>{{end}}` +
				`{{template "content" .}}</body></html>`
		}))
		m := s.core.Mutation()
		tax := func(version int64, included bool, rates ...*model.TaxRateInput) {
			graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(s.ctx, version,
				model.TaxSettingsInput{PricesIncludeTax: included, Rates: rates}))
			s.clock.add(time.Second)
		}
		vat := &model.TaxRateInput{Country: "DE", Name: "MwSt", Rate: new("19")}
		s.get("/").want(t, 200, "[]", "!More")
		s.sell("Mug")
		s.sell("Song", func(in *model.ProductCreateInput) { in.RequiresShipping = new(false) })
		s.clock.add(time.Second)
		for path, want := range map[string]string{"/": "[Prices do not include shipping.]", "/products/song": "[]",
			"/search?q=mug": "[Prices do not include shipping.]", "/search": "[]"} {
			s.get(path).want(t, 200, want, "!More")
		}
		s.get("/lost").want(t, 404, "[]")
		tax(0, true, vat)
		s.publish(model.PageCreateInput{Title: "Versand", Body: "Free.", Kind: new(state.PageShipping)})
		s.clock.add(time.Second)
		s.get("/").want(t, 200, "[Prices include VAT, plus shipping.]", `<a href="/pages/versand">More</a>`)
		s.get("/products/mug").want(t, 200, "[Prices include VAT, plus shipping.]")
		s.get("/products/song").want(t, 200, "[Prices include VAT.]")
		tax(1, false, vat)
		s.get("/products/mug").want(t, 200, "[Prices do not include tax and shipping.]")
		s.get("/products/song").want(t, 200, "[Prices do not include tax.]")
		tax(2, true)
		s.get("/products/mug").want(t, 200, "[Prices do not include shipping.]")
	})
}
