package shop_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest/shop"
)

func TestNewNeedsItsParts(t *testing.T) {
	if _, err := shop.New(shop.Config{}); err == nil {
		t.Error("created without a configuration")
	}
}

// TestPages: the active products of one store in the templates of its theme.
func TestPages(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		other := s.open()
		other.activate(other.theme("Foreign theme"))
		other.sell("Foreign mug")
		s.sell("Blue mug", func(in *model.ProductCreateInput) {
			in.Vendor, in.Description, in.CompareAtPriceMinor = new("Kiln"),
				new("One.\n\nTwo & three."), new(int64(2990))
		})
		s.sell("Bowl", func(in *model.ProductCreateInput) {
			in.Vendor, in.InventoryQuantity = new("Kiln"), new(int64(0))
		})
		if _, err := s.core.Mutation().ProductCreate(s.ctx,
			model.ProductCreateInput{Title: "Draft mug", Currency: "EUR"}); err != nil {
			t.Fatal(err)
		}
		s.get("/").want(t, 200, "<title>Test shop</title>", "Theme Plain<",
			`<a href="/products/blue-mug">Blue mug</a> €24.90 was €29.90 [B]`,
			`Bowl</a> €24.90 sold out`, "!Draft", "!Foreign", `href="/assets/`, `<form action="/search"`, "!hidden")
		s.get("/?utm_source=mail").want(t, 200, "Blue mug")
		s.get("/products/blue-mug").want(t, 200, "<title>Blue mug – Test shop</title>",
			"<h1>Blue mug</h1>€24.90<p>One.</p><p>Two &amp; three.</p>",
			`<li><a href="/products/bowl">Bowl</a>`)
		s.get("/search?q=MUG").want(t, 200, "<title>MUG – Search – Test shop</title>",
			"<h1>1 for “MUG”</h1>", "Blue mug", "!Foreign", "!Draft")
		s.get("/search?q=kiln").want(t, 200, "<h1>2 for “kiln”</h1>")
		s.get("/search").want(t, 200, "<h1>0 for “”</h1>", "<title>Search – Test shop</title>")
		other.get("/").want(t, 200, "Theme Foreign theme", "Foreign mug", "!Blue mug")
		for path, shown := range map[string]string{
			"/nothing": "/nothing", "/products/": "/products/", "/products/draft-mug": "/products/draft-mug",
			"/products/foreign-mug": "/products/foreign-mug", "/products/Blue-Mug": "/products/Blue-Mug",
			"/products/blue-mug/": "/products/blue-mug/", "/api/public/v1/products": "/api/public/v1/products",
			"//": "//", "/%2e%2e/": "/../", "/<script>": "/&lt;script&gt;",
			"/search/": "/search/", "/dashboard": "/dashboard",
		} {
			s.get(path).want(t, 404, "<title>Page not found – Test shop</title>",
				"Nothing at "+shown+"</h1>", "Theme Plain")
		}
		s.get("/robots.txt").want(t, 200, "User-agent: *\nAllow: /\nDisallow: /search\n", "Disallow: /checkout\n",
			"Disallow: /*signature=\n", "Sitemap: "+s.core.StoreOrigin(s.handle)+"/sitemap.xml\n")
	})
}

func TestMoreThanAPageOfResults(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		for i := range 25 {
			s.sell(fmt.Sprintf("Mug %d", i))
		}
		a := s.get("/search?q=mug").want(t, 200, "<h1>25 for", "more", "!Mug 0<", "Mug 24<")
		if n := strings.Count(a.body, "<li>"); n != 24 {
			t.Errorf("%d results", n)
		}
		if n := strings.Count(s.get("/").body, "<li>"); n != 24 {
			t.Errorf("%d products at home", n)
		}
	})
}

func TestSearchFolds(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.sell("Salsa de jalapeño")
		for _, q := range []string{
			"JALAPE%C3%91O", "jalape%C3%B1o", "Jalapen%CC%83o", "jalapeno+SALSA", "%20salsa%00%20",
		} {
			s.get("/search?q="+q).want(t, 200, "<h1>1 for", "Salsa de jalapeño")
		}
		s.get("/search?q=jalape%25").want(t, 200, "<h1>1 for") // a beginning, and no pattern
		s.get("/search?q=%25").want(t, 200, "<h1>0 for")
		s.get("/search?q=%ff%fe").want(t, 200, "<h1>0 for “\ufffd”")
		s.get("/search?q="+strings.Repeat("x", 5000)).want(t, 200, "<h1>0 for “"+strings.Repeat("x", 100)+"”")
		s.get("/search?q=%zz").want(t, 200, "<h1>0 for “”")
	})
}

// TestNothingIsMarkup: texts of merchants and visitors are escaped everywhere.
func TestNothingIsMarkup(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		const attack = `"><script>alert(1)</script>{{.shop}}`
		p := s.sell(attack, func(in *model.ProductCreateInput) {
			in.Vendor, in.Description, in.Handle = new(attack), new("<img src=x onerror=alert(1)>"), new("attack")
		})
		s.sell("Other", func(in *model.ProductCreateInput) { in.Vendor = p.Vendor })
		s.write(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetName(attack).AddVersion(1).Exec(ctx)
		})
		s.clock.add(time.Second)
		for _, path := range []string{"/", "/products/attack", "/products/other",
			"/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%7B%7B.shop%7D%7D",
			"/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"} {
			a := s.get(path)
			if strings.Contains(strings.ReplaceAll(a.body, `<script type="application/ld+json">`, ""), "<script") ||
				strings.Contains(a.body, "<img") || strings.Contains(a.body, "map[") {
				t.Errorf("%s:\n%s", path, a.body)
			}
			if !strings.Contains(a.body, "&lt;script&gt;") {
				t.Errorf("%s shows nothing of it:\n%s", path, a.body)
			}
		}
	})
}

// TestPicturePaths: a page, also in a preview, names product images only at its own host, and
// canonical addresses begin with that host.
func TestPicturePaths(t *testing.T) {
	s := newMall(t, storetest.Open(t)).open()
	pictures := s.theme("Pictures", func(files map[string]string) {
		files["templates/partials/card.html"] = `<img src="{{.image_url}}">`
		files["templates/product.html"] = `{{define "content"}}<img src="{{.product.image_url}}">` +
			`<p title="{{.shop.origin}}{{.product.image_url}}"></p>{{end}}`
	})
	s.activate(pictures)
	s.sell("Mug", func(in *model.ProductCreateInput) { in.ImageURL = new("https://cdn.test/a.png?w=1") })
	id := images.IDOf("https://cdn.test/a.png?w=1")
	path := "/pictures/" + hex.EncodeToString(id[:]) + "/mug"
	origin := s.core.StoreOrigin(s.handle)
	for _, page := range []string{"/", "/search?q=mug", s.link(pictures, time.Hour), "/products/mug"} {
		s.get(page).want(t, 200, `<img src="`+path+`">`, "!cdn.test")
	}
	s.get("/products/mug").want(t, 200, `title="`+origin+path+`"`)
	if !strings.HasSuffix(origin, "://"+s.handle+".shops.test") {
		t.Errorf("origin %q", origin)
	}
}

// TestHosts: the host decides, ignoring case.
func TestHosts(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		closed := s.open()
		closed.activate(closed.theme("Closed"))
		closed.write(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
		})
		for host, want := range map[string]int{
			s.handle + ".shops.test": 200, strings.ToUpper(s.handle) + ".Shops.Test": 200,
			closed.handle + ".shops.test": 404, "nobody.shops.test": 404, "shops.test": 404,
			".shops.test": 404, "a.b.shops.test": 404, "-.shops.test": 404, "x_y.shops.test": 404,
			strings.Repeat("x", 64) + ".shops.test": 404, s.handle + ".shops.test.": 404,
		} {
			s.ask(http.MethodGet, host, "/").want(t, want)
		}
		// An invalid label costs no query, and an unknown one costs a query once in a while.
		if n := s.statements(func() { s.ask(http.MethodGet, "x_y.shops.test", "/") }); n != 0 {
			t.Errorf("%d statements for what is no handle", n)
		}
		if n := s.statements(func() { s.ask(http.MethodGet, "nobody.shops.test", "/") }); n != 0 {
			t.Errorf("%d statements for a handle that was unknown a moment ago", n)
		}
	})
}

// TestClosingAndOpening: a closed store has no storefront, and an unknown handle may become a
// store's.
func TestClosingAndOpening(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.get("/").want(t, 200)
		setStatus := func(status state.StoreStatus) {
			s.write(func(ctx context.Context, c *db.Client) error {
				return c.Store.Update().SetStatus(status).AddVersion(1).Exec(ctx)
			})
		}
		setStatus(state.StoreClosed)
		s.clock.add(time.Second)
		s.get("/").want(t, 404)
		setStatus(state.StoreOpen)
		s.get("/").want(t, 404) // cached for two seconds
		s.clock.add(2 * time.Second)
		s.get("/").want(t, 200)
	})
}

// TestChangesAreSeen: a change by another process is visible with the next read of the state, after
// at most a second.
func TestChangesAreSeen(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		m := s.core.Mutation()
		p := s.sell("Blue mug")
		s.get("/").want(t, 200, "Blue mug", "Theme Plain")
		s.get("/products/blue-mug").want(t, 200)
		s.get("/search?q=b").want(t, 200, "Blue mug")
		next := s.theme("Bold")
		for _, step := range []struct {
			name string
			do   func() error
			want string
		}{
			{"activation", func() error { s.activate(next); return nil }, "Theme Bold"},
			{"price", func() (err error) {
				got, err := m.ProductUpdate(s.ctx, p.PublicID(), p.Version, model.ProductUpdateInput{
					PriceMinor: model.Some(int64(100)),
				})
				if err == nil {
					p = got.Product
				}
				return err
			}, "€1.00"},
			{"a new one", func() error { s.sell("Bowl"); return nil }, "Bowl"},
			{"name", func() error {
				st, err := s.core.Query().Store(s.ctx)
				if err != nil {
					return err
				}
				_, err = m.StoreUpdate(s.ctx, model.StoreUpdateInput{ExpectedVersion: st.Version, Name: new("Corner")})
				return err
			}, "Corner</a>"},
			{"deletion", func() error {
				_, err := m.ProductDelete(s.ctx, p.PublicID(), p.Version)
				return err
			}, "!Blue mug"},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			before := "!" + step.want
			if gone, ok := strings.CutPrefix(step.want, "!"); ok {
				before = gone
			}
			s.clock.add(800*time.Millisecond - 1)
			s.get("/").want(t, 200, before)
			s.get("/search?q=b").want(t, 200, before)
			s.clock.add(1)
			s.get("/").want(t, 200, step.want)
			s.get("/search?q=b").want(t, 200, step.want)
		}
		s.get("/products/blue-mug").want(t, 404)
	})
}

// TestActivation: the process that activates a theme, or changes its settings, shows it at once,
// and another process on the same database within a second.
func TestActivation(t *testing.T) {
	each(t, func(t *testing.T, here *stall) {
		there := &stall{mall: newMall(t, here.core.Store), id: here.id, handle: here.handle, ctx: here.ctx}
		for _, name := range []string{"Bold", "Quiet", "Loud"} {
			next := xid.Theme.Format(here.theme(name))
			for _, s := range []*stall{here, there} {
				s.clock.add(time.Hour)
				s.get("/").want(t, 200, "!Theme "+name)
			}
			if _, err := here.core.Mutation().ThemeActivate(here.ctx, next); err != nil {
				t.Fatal(err)
			}
			here.get("/").want(t, 200, "Theme "+name)
			there.get("/").want(t, 200, "!Theme "+name) // or the rest shows nothing
			there.clock.add(time.Second)
			there.get("/").want(t, 200, "Theme "+name)
			if n := here.statements(func() { here.get("/") }); n != 0 {
				t.Errorf("%d statements for a page that is kept", n)
			}
		}
	})
}

// TestOldPagesGo: what the state misses is visible after half a minute.
func TestOldPagesGo(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.sell("Blue mug")
		look := func(want string) {
			t.Helper()
			s.get("/").want(t, 200, want)
			s.get("/search?q=mug").want(t, 200, want)
		}
		look("Blue mug")
		s.write(func(ctx context.Context, c *db.Client) error { // as by a clock that is far behind
			return c.Product.Update().SetTitle("Red mug").Exec(ctx)
		})
		s.clock.add(29 * time.Second)
		look("Blue mug")
		s.clock.add(time.Second)
		look("Red mug")
	})
}

// TestStatements: a cached page costs nothing, a read of the state one statement, and a new page
// those of its kind.
func TestStatements(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.sell("Blue mug", func(in *model.ProductCreateInput) { in.Vendor = new("Kiln") })
		s.sell("Bowl", func(in *model.ProductCreateInput) { in.Vendor = new("Kiln") })
		s.get("/robots.txt") // finds the store
		for _, tc := range []struct {
			path      string
			cold, hot uint64
		}{
			{"/", 4, 0}, // the theme's package and the menus are read here
			{"/products/blue-mug", 4, 0},
			{"/products/no-such", 2, 0}, // looks for a former handle
			{"/nothing", 0, 0}, {"/search", 0, 0},
			{"/search?q=mug", 4, 0}, {"/search?q=bowl", 4, 0}, {"/search?q=none", 2, 0},
			{"/products", 3, 0}, {"/products?sort=price&utm=2", 3, 0}, {"/products?utm=2&sort=price", 0, 0},
			{"/robots.txt", 0, 0}, {"/_storefront/message.css", 0, 0},
			{"/?utm=1", 0, 0}, {"/search?q=+mug", 0, 0},
		} {
			if n := s.statements(func() { s.get(tc.path) }); n != tc.cold {
				t.Errorf("%s: %d statements at first, want %d", tc.path, n, tc.cold)
			}
			if n := s.statements(func() { s.get(tc.path) }); n != tc.hot {
				t.Errorf("%s: %d statements again, want %d", tc.path, n, tc.hot)
			}
		}
		s.clock.add(time.Second)
		if n := s.statements(func() { s.get("/"); s.get("/products/blue-mug"); s.get("/search?q=mug") }); n != 1 {
			t.Errorf("%d statements for pages that are kept, a second later", n)
		}
	})
}

// TestOneLookPerSecond: however many visitors there are, one request reads the state, and a page is
// rendered once.
func TestOneLookPerSecond(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.sell("Blue mug")
		crowd := func() {
			var wait sync.WaitGroup
			for range 40 {
				wait.Go(func() { s.get("/").want(t, 200, "Blue mug") })
			}
			wait.Wait()
		}
		// the handle, the state, the theme's package, the menus, the newest products and their
		// cards
		if n := s.statements(crowd); n != 6 {
			t.Errorf("%d statements at first, want 6", n)
		}
		for range 5 {
			s.clock.add(time.Second)
			if n := s.statements(crowd); n != 1 {
				t.Errorf("%d statements a second later, want 1", n)
			}
		}
		s.clock.add(30 * time.Second)
		if n := s.statements(crowd); n != 4 {
			t.Errorf("%d statements half a minute later, want 4", n)
		}
	})
}

// TestThemesThatFail: visitors get a page that says so, and the cause is logged.
func TestThemesThatFail(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.activate(s.theme("Broken", func(files map[string]string) {
			files["templates/home.html"] = `{{define "content"}}{{.shop.name` // does not compile any more
		}))
		a := s.get("/").want(t, 503, "This page cannot be shown", "!shop.name", "!template")
		if a.Header.Get("Retry-After") == "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", a.Header)
		}
		if !strings.Contains(s.log.String(), "home.html") {
			t.Errorf("the log does not say why: %s", s.log)
		}
		bare := s.open()
		bare.get("/").want(t, 503, "This shop is being set up")
		bare.get("/nothing").want(t, 503)
		bare.get("/robots.txt").want(t, 200)
	})
}

// TestDatabaseAway: cached pages are shown for half a minute; other requests get a 503 with the
// time to wait.
func TestDatabaseAway(t *testing.T) {
	s := newMall(t, storetest.Open(t)).open()
	s.activate(s.theme("Plain"))
	s.sell("Blue mug")
	s.get("/").want(t, 200)
	if err := s.core.Store.Close(); err != nil {
		t.Fatal(err)
	}
	away := func(a answer) {
		t.Helper()
		if a.want(t, 503, "This shop is not available"); a.Header.Get("Retry-After") == "" {
			t.Errorf("no Retry-After: %v", a.Header)
		}
	}
	s.clock.add(29 * time.Second)
	s.get("/").want(t, 200, "Blue mug")
	away(s.get("/products/blue-mug"))
	s.ask(http.MethodGet, "other.shops.test", "/_storefront/message.css").want(t, 200, "body {")
	away(s.ask(http.MethodGet, "other.shops.test", "/"))
	away(s.get(s.link(xid.New(), time.Hour)))
	s.clock.add(time.Second)
	away(s.get("/"))
}
