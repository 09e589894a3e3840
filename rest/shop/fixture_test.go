package shop_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest/shop"
)

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// mall serves the storefronts of a database over HTTP.
type mall struct {
	shops *shop.Shop
	t     testing.TB
	core  *graph.Resolver
	clock *clock
	url   string
	log   *lines
	http  *http.Client

	handler http.Handler
}

// newMall serves the storefronts of s under HANDLE.shops.test.
func newMall(t testing.TB, s *ent.Store) *mall {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("storefronts ", 4))
	if err != nil {
		t.Fatal(err)
	}
	c := graphtest.Config(t, s, ring)
	c.HostOf = func(handle string) string { return handle + ".shops.test" }
	core, err := graph.New(c)
	if err != nil {
		t.Fatal(err)
	}
	m := &mall{t: t, core: core, clock: &clock{now: time.Now()}, log: &lines{}}
	shops, err := shop.New(shop.Config{Core: core.Storefront(), Links: core.Links, Now: m.clock.Now,
		Logger: slog.New(slog.NewTextHandler(m.log, nil)),
		HandleOf: func(host string) (string, bool) {
			return strings.CutSuffix(strings.ToLower(host), ".shops.test")
		}})
	if err != nil {
		t.Fatal(err)
	}
	m.shops = shops
	m.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { shops.ServeHTTP(w, shops.Take(r)) })
	server := httptest.NewServer(m.handler)
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	m.url, m.http = server.URL, &http.Client{Transport: transport}
	return m
}

// lines is a log that a test may read while requests write to it.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

// String returns everything so far.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// stall is one store of the mall.
type stall struct {
	*mall
	id     xid.ID
	handle string
	ctx    context.Context // the operator's
}

// open creates a store without a theme.
func (m *mall) open() *stall {
	m.t.Helper()
	ctx, s := storetest.Merchant(m.t, m.core.Store)
	return &stall{mall: m, id: s.ID, handle: s.Handle, ctx: ctx}
}

// each runs f on every engine with a store that shows the theme "Plain".
func each(t *testing.T, f func(t *testing.T, s *stall)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *ent.Store) {
		s := newMall(t, db).open()
		s.activate(s.theme("Plain"))
		f(t, s)
	})
}

// sqlite is one store on SQLite that shows the theme "Plain".
func sqlite(t testing.TB) *stall {
	t.Helper()
	s := newMall(t, storetest.Open(t)).open()
	s.activate(s.theme("Plain"))
	return s
}

// write writes in the store.
func (s *stall) write(f func(ctx context.Context, c *db.Client) error) {
	s.t.Helper()
	err := s.core.Store.InTx(s.ctx, func(ctx context.Context) error { return f(ctx, s.core.Store.DB(ctx)) })
	if err != nil {
		s.t.Fatal(err)
	}
}

// The templates of the tests' themes.
const (
	layout = `<!doctype html><html lang="en"><head><title>{{.page.title}}</title>
<link rel="stylesheet" href="{{asset "assets/style.css"}}"></head>
<body class="{{.page.kind}}" data-note="a > b"><p>Theme {{.theme.name}}{{if .page.preview}}, as a preview{{end}}</p>` +
		`<a href="{{.shop.url}}">{{.shop.name}}</a>
<form action="{{.shop.search_url}}" role="search">` +
		`{{range .shop.search_fields}}<input type="hidden" name="{{.name}}" value="{{.value}}">{{end}}` +
		`<input name="q"></form>
{{template "content" .}}</body></html>`
	cardHTML = `<a href="{{.url}}">{{.title}}</a> {{.price}}{{if .on_sale}} was {{.compare_at_price}}{{end}}{{if ` +
		`.available}}{{else}} sold out{{end}} [{{.initial}}]`
)

func templates() map[string]string {
	return map[string]string{
		"templates/layout.html":        layout,
		"templates/partials/card.html": cardHTML,
		"templates/home.html": `{{define "content"}}{{range .products}}<li>{{template "partials/card.html" ` +
			`.}}</li>{{end}}{{end}}`,
		"templates/product.html": `{{define "content"}}<h1>{{.product.title}}</h1>{{.product.price}}{{range ` +
			`.product.description}}<p>{{.}}</p>{{end}}{{range .related}}<li>{{template "partials/card.html" ` +
			`.}}</li>{{end}}{{end}}`,
		"templates/search.html": `{{define "content"}}<h1>{{.search.count}} for “{{.search.query}}”</h1>{{range ` +
			`.search.results}}<li>{{template "partials/card.html" .}}</li>{{end}}{{if .search.more}}more{{end}}{{end}}`,
		"templates/not_found.html": `{{define "content"}}<h1>Nothing at {{.page.path}}</h1>{{end}}`,
	}
}

// theme adds a theme to the store, of the templates of the tests.
func (s *stall) theme(name string, edit ...func(map[string]string)) xid.ID {
	s.t.Helper()
	return s.themeOf(theme.Manifest{Name: name}, edit...)
}

// themeOf adds a theme with a manifest.
func (s *stall) themeOf(m theme.Manifest, edit ...func(map[string]string)) xid.ID {
	s.t.Helper()
	body := []byte("body { color: #123 }")
	p := &theme.Package{Manifest: m, Templates: templates(), Assets: []theme.Asset{{
		Path: "assets/style.css", Kind: state.AssetCSS, ContentType: "text/css; charset=utf-8", Size: int64(len(body)),
		Sum: digest.Of(body)}}}
	for _, f := range edit {
		f(p.Templates)
	}
	content := p.Encode()
	if _, err := theme.Parse(content); err != nil {
		s.t.Fatal(err)
	}
	id, sum := xid.New(), digest.Of(content)
	s.write(func(ctx context.Context, c *db.Client) error {
		err := c.ThemePackage.Create().SetID(sum).SetContent(content).SetCreatedAt(micros.Now()).Exec(ctx)
		if ent.IsDuplicate(err) {
			err = nil
		}
		return err
	})
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Theme.Create().SetID(id).SetBucket(0).SetName(m.Name).SetStatus(state.ThemeInactive).
			SetSource(state.ThemeUploaded).
			SetAssetCount(1).SetSizeBytes(int64(len(body))).SetChecksum(sum).SetDueAt(micros.Max).
			SetUpdatedAt(micros.Now()).Exec(ctx)
	})
	return id
}

// activate activates a theme, as another process would.
func (s *stall) activate(id xid.ID) {
	s.t.Helper()
	s.write(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetActiveThemeID(id).Exec(ctx)
	})
}

// sell creates an active product.
func (s *stall) sell(title string, edit ...func(*model.ProductCreateInput)) *db.Product {
	s.t.Helper()
	in := model.ProductCreateInput{Title: title, PriceMinor: 2490, Currency: "EUR"}
	for _, f := range edit {
		f(&in)
	}
	p, err := s.core.Mutation().ProductCreate(s.ctx, in)
	if err != nil {
		s.t.Fatal(err)
	}
	p, err = s.core.Mutation().ProductPublish(s.ctx, p.Product.PublicID(), p.Product.Version)
	if err != nil {
		s.t.Fatal(err)
	}
	return p.Product
}

// answer is a received answer.
type answer struct {
	*http.Response
	body string
}

// get asks for a path at the store's host.
func (s *stall) get(path string, header ...string) answer {
	s.t.Helper()
	return s.ask(http.MethodGet, s.handle+".shops.test", path, header...)
}

// ask sends a request; header are names and values.
func (m *mall) ask(method, host, path string, header ...string) answer {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), method, m.url+path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	r.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := m.http.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return answer{res, string(body)}
}

// want checks the status and texts that the page must contain or, with a leading "!", must not.
func (a answer) want(t testing.TB, status int, texts ...string) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("%s %s: %d, want %d\n%.600s", a.Request.Method, a.Request.URL, a.StatusCode, status, a.body)
	}
	for _, text := range texts {
		text, not := strings.CutPrefix(text, "!")
		if strings.Contains(a.body, text) == not {
			t.Errorf("%s: %q is there: %t\n%.2000s", a.Request.URL, text, not, a.body)
		}
	}
	return a
}

// link returns the address of a preview that is valid for a while.
func (s *stall) link(id xid.ID, until time.Duration) string {
	return s.core.Links.Sign("/", micros.Of(s.clock.Now().Add(until)),
		appearance.PreviewTheme, xid.Theme.Format(id), appearance.PreviewStore, xid.Store.Format(s.id))
}

// statements returns how many statements f runs.
func (m *mall) statements(f func()) uint64 {
	before := m.core.Store.Statements()
	f()
	return m.core.Store.Statements() - before
}
