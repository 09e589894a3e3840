package catalog_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/scheduledprice"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// shop makes the changes of a product that the tests need.
type shop struct {
	*testing.T
	ctx context.Context
	*graph.Resolver
	p *db.Product
}

func (s *shop) did(done *model.ProductPayload, err error) {
	s.Helper()
	s.p = graphtest.Must[*model.ProductPayload](s)(done, err).Product
}

func (s *shop) publish() { s.did(s.Mutation().ProductPublish(s.ctx, s.p.PublicID(), s.p.Version)) }

// price sets the price and the compare-at price of a product without options.
func (s *shop) price(minor, compare int64) {
	s.Helper()
	in := model.ProductUpdateInput{PriceMinor: model.Some(minor), CompareAtPriceMinor: graphtest.Given[*int64](nil)}
	if compare > 0 {
		in.CompareAtPriceMinor = model.Some(compare)
	}
	s.did(s.Mutation().ProductUpdate(s.ctx, s.p.PublicID(), s.p.Version, in))
}

func (s *shop) sale(starts, ends *micros.Time, prices ...int64) {
	s.Helper()
	in := &model.SaleInput{StartsAt: starts, EndsAt: ends}
	for i, minor := range prices {
		of := variants.Of(s.p)[i].PublicID()
		in.Prices = append(in.Prices, &model.SalePriceInput{VariantID: of, PriceMinor: minor})
	}
	s.did(s.Mutation().ProductSaleSet(s.ctx, s.p.PublicID(), s.p.Version, in))
}

func (s *shop) history() []*model.PriceChange {
	s.Helper()
	fields := catalog.ProductFields{Resolver: catalog.New(s.Core, catalog.Engines{})}
	found := graphtest.Must[*model.PriceChangeConnection](s)(fields.PriceHistory(s.ctx, s.p, new(50), nil))
	return found.Nodes
}

func (s *shop) wantShown(price, compare, lowest int64) {
	s.Helper()
	p := graphtest.Must[*db.Product](s)(s.Query().Product(s.ctx, s.p.PublicID()))
	for what, got := range map[string]variants.Price{"product": variants.LowestAt(p, micros.Now()),
		"variant": variants.PriceAt(variants.Of(p)[0], micros.Now())} {
		if got.PriceMinor != price || deref(got.CompareAtMinor) != compare || deref(got.LowestMinor) != lowest {
			s.Errorf("%s: %d, compared with %d, lowest %d; want %d, %d, %d", what, got.PriceMinor,
				deref(got.CompareAtMinor), deref(got.LowestMinor), price, compare, lowest)
		}
	}
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// Every change of what shoppers pay is a row, and the shop shows the lowest earlier price.
func TestPriceHistory(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := &shop{T: t, ctx: ctx, Resolver: r,
			p: graphtest.NewProduct(t, ctx, r, model.ProductCreateInput{Title: "Mug", PriceMinor: 9, Currency: "EUR"})}
		s.price(100, 0) // as a draft
		s.publish()
		s.price(80, 100)
		s.wantShown(80, 100, 100)
		if body := graphtest.LastEvent(t, ctx, r, s.p.ID); !strings.Contains(body,
			`"prices":[{"from":null,"price_minor":80,"compare_at_price_minor":100,"lowest_price_minor":100}]`) {
			t.Errorf("event %s", body)
		}
		s.price(90, 100)
		s.wantShown(90, 100, 80)
		s.did(r.Mutation().ProductUpdate(ctx, s.p.PublicID(), s.p.Version,
			model.ProductUpdateInput{Title: model.Some("Cup")}))
		s.wantShown(90, 100, 80)
		var got []int64
		for _, c := range s.history() {
			got = append(got, c.PriceMinor)
			if c.Offered != (c.PriceMinor > 9 && len(got) < 3) {
				t.Errorf("%d was offered: %v", c.PriceMinor, c.Offered)
			}
		}
		if want := []int64{80, 100, 100, 9}; !slices.Equal(got, want) {
			t.Errorf("former prices %v, want %v", got, want)
		}
		other := &shop{T: t, ctx: ctx, Resolver: r, p: graphtest.NewProduct(t, ctx, r, graphtest.Shirt())}
		other.publish()
		in := inputs(other.p)
		in[1].PriceMinor += 100
		other.did(r.Mutation().ProductVariantsSet(ctx, other.p.PublicID(), other.p.Version, options(other.p), in[:2]))
		if rows := other.history(); len(rows) != 2+3 { // one raised, one removed, three published
			t.Errorf("%d rows for variants", len(rows))
		}
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, s.p.PublicID(), s.p.Version))
		if rows := s.history(); len(rows) != 0 {
			t.Errorf("a deleted product leaves %d rows", len(rows))
		}
	})
}

// shift moves the sale of a product, so that it begins or ends earlier than it did.
func (s *shop) shift(by time.Duration) {
	s.Helper()
	ctx := s.ctx
	move := func(t *micros.Time) *micros.Time {
		if t == nil {
			return nil
		}
		return new(t.Add(-by))
	}
	steps, err := s.p.Prices.List()
	for i := range steps {
		if steps[i].From > 0 {
			steps[i].From -= by.Microseconds()
		}
	}
	if err == nil {
		err = s.Store.InTx(ctx, func(ctx context.Context) error {
			c := s.Store.DB(ctx)
			if err := c.Product.Update().Where(product.ID(s.p.ID)).SetPrices(document.NewPrices(steps)).
				SetNillableSaleStartsAt(move(s.p.SaleStartsAt)).SetNillableSaleEndsAt(move(s.p.SaleEndsAt)).
				Exec(ctx); err != nil {
				return err
			}
			return c.ScheduledPrice.Update().Where(scheduledprice.ID(s.p.ID)).
				SetDueAt(variants.NextPrice(&db.Product{Prices: document.NewPrices(steps)}, 0)).Exec(ctx)
		})
	}
	if err != nil {
		s.Fatal(err)
	}
	s.p = graphtest.Must[*db.Product](s)(s.Query().Product(ctx, s.p.PublicID()))
}

// A sale begins and ends at its time, for everyone who reads the price. A loop then orders lists by it.
func TestSale(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := &shop{T: t, ctx: ctx, Resolver: r, p: graphtest.NewStockedProduct(t, ctx, r, 100)}
		s.publish()
		listed := func() int64 {
			t.Helper()
			q := r.Store.DB(ctx).Listing.Query().Where(listing.ID(s.p.ID))
			rows := graphtest.Must[[]*db.Listing](t)(q.Load(ctx))
			return rows[0].PriceMinor
		}
		turn := func(want int) {
			t.Helper()
			if n, err := r.ChangePrices(t.Context()); n != want || err != nil {
				t.Errorf("%d sales changed: %v, want %d", n, err, want)
			}
			s.p = graphtest.Must[*db.Product](t)(r.Query().Product(ctx, s.p.PublicID()))
		}
		now := micros.Now()
		s.sale(new(now.Add(time.Hour)), new(now.Add(3*time.Hour)), 70)
		s.wantShown(100, 0, 0)
		turn(0)
		s.shift(2 * time.Hour)
		s.wantShown(70, 100, 100)
		if listed() != 100 {
			t.Errorf("listed for %d before the loop", listed())
		}
		version := s.p.Version
		turn(1)
		s.wantShown(70, 100, 100)
		if listed() != 70 || s.p.Version != version+1 {
			t.Errorf("listed for %d, version %d after %d", listed(), s.p.Version, version)
		}
		if body := graphtest.LastEvent(t, ctx, r, s.p.ID); !strings.Contains(body, `"changed_fields":["variants"]`) ||
			!strings.Contains(body, `"prices":[{"from":null,"price_minor":70,`) {
			t.Errorf("event %s", body)
		}
		turn(0)
		s.price(95, 100)
		s.wantShown(70, 100, 100)
		s.shift(2 * time.Hour)
		s.wantShown(95, 100, 70)
		turn(1)
		if s.wantShown(95, 100, 70); listed() != 95 {
			t.Errorf("listed for %d after the sale", listed())
		}
		turn(0)
		s.did(r.Mutation().ProductSaleSet(ctx, s.p.PublicID(), s.p.Version, nil))
		if s.p.SalePriceMinor != nil || s.p.SaleStartsAt != nil || s.p.SaleEndsAt != nil {
			t.Errorf("after its end: %v", s.p)
		}
	})
}

func TestSaleOfVariants(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := &shop{T: t, ctx: ctx, Resolver: r, p: graphtest.NewProduct(t, ctx, r, graphtest.Shirt())}
		s.publish()
		s.sale(nil, nil, 1000)
		if got := variants.LowestAt(s.p, micros.Now()); got.PriceMinor != 1000 || *got.HighestMinor != 2100 {
			t.Errorf("the product costs %d to %v", got.PriceMinor, got.HighestMinor)
		}
		in := inputs(s.p)
		in[0].Sku = new("OTHER")
		s.did(r.Mutation().ProductVariantsSet(ctx, s.p.PublicID(), s.p.Version, options(s.p), in))
		s.wantShown(1000, 2500, 0)
		if s.p.Variants[1].SalePriceMinor != nil {
			t.Errorf("the other variant: %v", s.p.Variants[1])
		}
		s.did(r.Mutation().ProductVariantUpdate(ctx, s.p.PublicID(), s.p.Version, s.p.Variants[0].PublicID(),
			model.ProductVariantUpdateInput{PriceMinor: model.Some(int64(900))}))
		if got := variants.LowestAt(s.p, micros.Now()); got.PriceMinor != 900 {
			t.Errorf("below its sale price it costs %d", got.PriceMinor)
		}
		now := micros.Now()
		price := func(variant string, minor int64) []*model.SalePriceInput {
			return []*model.SalePriceInput{{VariantID: variant, PriceMinor: minor}}
		}
		one := s.p.Variants[0].PublicID()
		for want, sale := range map[string]*model.SaleInput{
			"#/prices too_short":                  {},
			"#/ends_at out_of_range":              {StartsAt: &now, EndsAt: &now, Prices: price(one, 1)},
			"#/prices/0/price_minor out_of_range": {Prices: price(one, 900)},
			"#/prices/0/variant_id unknown_value": {Prices: price(s.p.PublicID(), 1)},
		} {
			_, err := r.Mutation().ProductSaleSet(ctx, s.p.PublicID(), s.p.Version, sale)
			if graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// Until the upgrade is finished, the history is written, but nothing that an earlier program would
// sell at another price.
func TestSaleFormat(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := &shop{T: t, ctx: ctx, Resolver: r, p: graphtest.NewProduct(t, ctx, r, graphtest.Mug())}
		s.publish()
		_, err := r.Mutation().ProductSaleSet(ctx, s.p.PublicID(), s.p.Version, &model.SaleInput{
			Prices: []*model.SalePriceInput{{VariantID: variants.Of(s.p)[0].PublicID(), PriceMinor: 1}}})
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("a sale: %v", err)
		}
		if s.price(700, 900); s.p.Prices != nil || len(s.history()) != 2 {
			t.Errorf("stored %s, %d rows", s.p.Prices, len(s.history()))
		}
	})
}

// Prices are written by this package alone, whose edits all note their history.
func TestPriceWriters(t *testing.T) {
	allowed := []string{"cmd/internal/corpus", "graph/domain/cart", "graph/domain/appearance", "graph/engine/install",
		"graph/engine/index/listings", "ent/db"}
	root := os.DirFS("../../..")
	found := 0
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if slices.ContainsFunc(allowed, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil || !strings.Contains(string(text), "SetPriceMinor") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "SetPriceMinor" {
				if found++; filepath.Dir(path) != "graph/domain/catalog" {
					t.Errorf("%s sets a price without a row of the history", path)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found != 5 {
		t.Errorf("%d places set a price: %v", found, err)
	}
}
