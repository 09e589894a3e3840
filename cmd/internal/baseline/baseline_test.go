package baseline_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// bench is the baseline beside the core, on one database.
type bench struct {
	corpus  *corpus.Corpus
	store   *ent.Store
	core    *graph.Resolver
	server  *oauth.Server
	app     *corpus.App
	claims  *idem.Keeper
	handler http.Handler
	keys    *apikey.Keeper

	mu   sync.Mutex
	seen []string
}

// each runs f on both engines.
func each(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Helper()
	eachOf(t, corpus.Size{Orders: 300, Stores: 2, Share: 60, Ties: 40, Products: 60}, f)
}

// eachOf is each with a corpus of a size.
func eachOf(t *testing.T, size corpus.Size, f func(t *testing.T, b *bench)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, open(t, storetest.SQLite(t), size)) })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) { f(t, open(t, storetest.MySQL(t), size)) })
	}
}

func open(t *testing.T, address string, size corpus.Size) *bench {
	t.Helper()
	b := &bench{}
	s, err := ent.Open(t.Context(), ent.Config{Database: address, Inspect: b.note})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b.store = s
	if b.corpus, err = corpus.Fill(t.Context(), s, size, nil); err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Parse(strings.Repeat("s", keyring.MinSecret))
	if err != nil {
		t.Fatal(err)
	}
	b.keys = apikey.NewKeeper(s)
	pages := page.New(ring)
	b.claims = idem.New(s, ring)
	c := graphtest.Config(t, s, ring)
	c.Keys, c.Pages = b.keys, pages
	if b.core, err = graph.New(c); err != nil {
		t.Fatal(err)
	}
	if b.server, err = oauth.New(oauth.Config{Store: s, Keys: b.keys, Ring: ring, Issuer: "https://api.test",
		OnLastGrant: b.core.LastGrantEnded, MayName: b.core.MayName}); err != nil {
		t.Fatal(err)
	}
	if b.app, err = corpus.Register(t.Context(), s, b.corpus); err != nil {
		t.Fatal(err)
	}
	if b.handler, err = baseline.New(baseline.Config{Store: s, Keys: b.keys, Pages: pages,
		Links: b.core.Links}); err != nil {
		t.Fatal(err)
	}
	return b
}

// note collects what the core runs.
func (b *bench) note(s ent.Statement) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, s.Query)
	return nil
}

// statements runs f and returns what the core ran in it.
func (b *bench) statements(f func()) []string {
	b.mu.Lock()
	b.seen = nil
	b.mu.Unlock()
	f()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen
}

// viewer is who holds the first shop's key.
func (b *bench) viewer(t *testing.T) context.Context {
	t.Helper()
	v, err := b.keys.Authenticate(t.Context(), b.corpus.Shops[0].Key, apikey.Key)
	if err != nil {
		t.Fatal(err)
	}
	return viewer.WithOrigin(viewer.With(t.Context(), v), viewer.Origin{Request: "req_test"})
}

// The comparison is of layers, so the statements below them must be the same.
func TestSameStatements(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.viewer(t)
		text := baseline.Statements(b.store.Dialect())
		orders, err := b.core.Query().Orders(ctx, new(20), nil, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		products, err := b.core.Query().Products(ctx, new(20), nil, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		code, refresh := b.params(t, apikey.Code), b.params(t, apikey.Refresh)
		// The core reads the limits of a store once in ten seconds, so most requests do not: this
		// one reads them for the one that is compared.
		if err := b.createProduct(ctx, "before"); err != nil {
			t.Fatal(err)
		}
		var failed error
		for _, tc := range []struct {
			name string
			run  func() error
			want []string
		}{
			{"orders", func() error { _, err := b.core.Query().Orders(ctx, new(20), nil, nil, nil, nil); return err },
				[]string{text.Orders(false, 21)}},
			{"orders behind a cursor", func() error {
				_, err := b.core.Query().Orders(ctx, new(20), new(orders.Next), nil, nil, nil)
				return err
			},
				[]string{text.Orders(true, 21)}},
			{"order", func() error { _, err := b.core.Query().Order(ctx, b.corpus.Shops[0].Tied); return err },
				[]string{text.Order()}},
			{"products", func() error {
				_, err := b.core.Query().Products(ctx, new(20), nil, nil, nil, nil)
				return err
			},
				[]string{text.Products(false, 21)}},
			{"products behind a cursor", func() error {
				_, err := b.core.Query().Products(ctx, new(20), new(products.Next), nil, nil, nil)
				return err
			},
				[]string{text.Products(true, 21)}},
			{"product create", func() error { return b.createProduct(ctx, "k") },
				baseline.Statements(b.store.Dialect()).Create()},
			{"code exchange", func() error {
				_, err := b.server.Token(t.Context(), code, nil)
				return err
			}, baseline.Exchanged},
			{"refresh", func() error {
				_, err := b.server.Token(t.Context(), refresh, nil)
				return err
			}, baseline.Refreshed},
		} {
			got := b.statements(func() { failed = tc.run() })
			if failed != nil {
				t.Errorf("%s: %v", tc.name, failed)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: baseline and core differ (-baseline +core):\n%s", tc.name, diff)
			}
		}
	})
}

// createProduct makes a product with the core, with the key as its idempotency key and SKU.
func (b *bench) createProduct(ctx context.Context, key string) error {
	_, _, err := b.claims.Run(ctx, idem.Claim{Key: key}, func(ctx context.Context) (idem.Answer, error) {
		_, err := b.core.Mutation().ProductCreate(ctx, model.ProductCreateInput{
			Title: "Mug " + key, PriceMinor: 1, Currency: "EUR", Sku: &key,
		})
		return idem.Answer{Status: http.StatusCreated}, err
	})
	return err
}

// What the baseline answers is the service's, byte for byte.
func TestSameAnswers(t *testing.T) {
	order := func(o *model.Order) []byte {
		return wire.AppendOrder(nil, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
	}
	each(t, func(t *testing.T, b *bench) {
		ctx := b.viewer(t)
		orders, err := b.core.Query().Orders(ctx, new(20), nil, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.same(t, b.handler, "/orders?limit=20", written(orders.Nodes, orders.Next, order))
		b.same(t, b.handler, "/orders/"+xid.Order.Format(orders.Nodes[0].ID), string(order(orders.Nodes[0])))
		products, err := b.core.Query().Products(ctx, new(20), nil, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.same(t, b.handler, "/products?limit=20", written(products.Nodes, products.Next,
			func(p *db.Product) []byte { return wire.AppendProduct(nil, p) }))
	})
}

// same compares what a handler answers to a path with what the core says.
func (b *bench) same(t *testing.T, h http.Handler, path, want string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, baseline.Root+path, nil)
	r.Header.Set("Authorization", "Bearer "+b.corpus.Shops[0].Key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if diff := cmp.Diff(want, w.Body.String()); w.Code != http.StatusOK || diff != "" {
		t.Errorf("%s: status %d (-core +baseline):\n%s", path, w.Code, diff)
	}
}

// written is a page as the API answers it.
func written[T any](nodes []T, cursor string, row func(T) []byte) string {
	rows := make([]string, 0, len(nodes))
	for _, n := range nodes {
		rows = append(rows, string(row(n)))
	}
	next := "null"
	if cursor != "" {
		next = strconv.Quote(cursor)
	}
	return `{"data":[` + strings.Join(rows, ",") + `],"next_cursor":` + next + `}`
}
