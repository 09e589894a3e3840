package storefront_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/model"
)

// published creates an active product.
func published(t testing.TB, ctx context.Context, r *graph.Resolver, in model.ProductCreateInput) xid.ID {
	t.Helper()
	p := graphtest.NewProduct(t, ctx, r, in)
	graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductPublish(ctx, p.PublicID(), p.Version))
	return p.ID
}

// priced returns a minimal product.
func priced(title string) model.ProductCreateInput {
	return model.ProductCreateInput{Title: title, PriceMinor: 1000, Currency: "EUR"}
}

// visitor returns the context of a visitor of the store of ctx.
func visitor(ctx context.Context) context.Context {
	return viewer.Visitor(ctx, viewer.From(ctx).Store)
}

func titlesOf(list []*storefront.Offer) []string {
	titles := []string{}
	for _, o := range list {
		titles = append(titles, o.Title)
	}
	return titles
}

// plantTheme creates a theme of the store that is ready, and returns its id.
func plantTheme(t testing.TB, ctx context.Context, r *graph.Resolver, name string) xid.ID {
	t.Helper()
	p := &theme.Package{Manifest: theme.Manifest{Name: name}, Templates: map[string]string{}}
	for _, file := range []string{"layout", "home", "product", "search", "not_found"} {
		p.Templates["templates/"+file+".html"] = name
	}
	content := p.Encode()
	id, sum := xid.New(), digest.Of(content)
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.Client(ctx).ThemePackage.Create().SetID(sum).SetContent(content).SetCreatedAt(micros.Now()).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.Client(ctx).Theme.Create().SetID(id).SetBucket(0).SetName(name).SetStatus(state.ThemeInactive).
			SetSource(state.ThemeUploaded).SetAssetCount(0).SetSizeBytes(1).SetChecksum(sum).SetDueAt(micros.Max).
			SetUpdatedAt(micros.Now()).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// activate activates a theme as the mutation does.
func activate(t testing.TB, ctx context.Context, r *graph.Resolver, id xid.ID) {
	t.Helper()
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).SetActiveThemeID(id).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStorefrontState: every change of what the storefront shows changes the fingerprint.
func TestStorefrontState(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s, m := r.Storefront(), r.Mutation()
		in := graphtest.Mug()
		in.InventoryQuantity = new(int64(1))
		mugID := published(t, ctx, r, in)
		spare := graphtest.NewProduct(t, ctx, r, priced("Spare"))
		one, two := plantTheme(t, ctx, r, "One"), plantTheme(t, ctx, r, "Two")
		state := func() *storefront.State {
			return graphtest.Must[*storefront.State](t)(s.State(visitor(ctx)))
		}
		version := func(id xid.ID) int64 { return graphtest.Must[int64](t)(versionOf(ctx, r, id)) }
		public := xid.Product.Format(mugID)

		before := state()
		if before.Handle == "" || before.Name != "Test shop" || before.Currency != "EUR" || !before.Open ||
			!before.Theme.IsNil() || before.Package != (digest.Sum{}) {
			t.Errorf("the state is %+v", before)
		}
		if again := state(); again.Fingerprint != before.Fingerprint {
			t.Error("the fingerprint changes by itself")
		}
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"the first theme", func() error { activate(t, ctx, r, one); return nil }},
			{"another theme", func() error { activate(t, ctx, r, two); return nil }},
			{"the price", func() error {
				return graphtest.ErrOf(m.ProductUpdate(ctx, public, version(mugID),
					model.ProductUpdateInput{PriceMinor: model.Some(int64(1))}))
			}},
			{"the stock", func() error {
				return graphtest.ErrOf(m.ProductUpdate(ctx, public, version(mugID),
					model.ProductUpdateInput{InventoryQuantity: model.Some(int64(0))}))
			}},
			{"unpublishing", func() error { return graphtest.ErrOf(m.ProductUnpublish(ctx, public, version(mugID))) }},
			{"publishing", func() error { return graphtest.ErrOf(m.ProductPublish(ctx, public, version(mugID))) }},
			{"the name", func() error {
				st := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
				return graphtest.ErrOf(m.StoreUpdate(ctx,
					model.StoreUpdateInput{ExpectedVersion: st.Version, Name: new("New name")}))
			}},
			{"deletion of an active product",
				func() error { return graphtest.ErrOf(m.ProductDelete(ctx, public, version(mugID))) }},
			{"closing", func() error {
				st := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
				return graphtest.ErrOf(m.StoreClose(ctx, st.Version))
			}},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			after := state()
			if after.Fingerprint == before.Fingerprint {
				t.Errorf("%s does not change the fingerprint", step.name)
			}
			before = after
		}
		if before.Open || before.Theme != two || before.Name != "New name" {
			t.Errorf("at the end the state is %+v", before)
		}
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, spare.PublicID(), spare.Version))
		if got := graphtest.Must[*model.Store](t)(r.Query().Store(ctx)).StorefrontRevision; got != 1 {
			t.Errorf("the deletion of a draft counts: revision %d", got)
		}
	})
}

func versionOf(ctx context.Context, r *graph.Resolver, id xid.ID) (int64, error) {
	p, err := r.ProductRow(ctx, id)
	if err != nil {
		return 0, err
	}
	return p.Version, nil
}

// TestStorefrontStateSeesDeletedOldProduct: the deletion of a product that is not among the newest
// changes shows in the store's revision.
func TestStorefrontStateSeesDeletedOldProduct(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		old := published(t, ctx, r, priced("Old"))
		for i := range storefront.NewestChanges {
			graphtest.NewProduct(t, ctx, r, priced(fmt.Sprintf("New %d", i)))
		}
		before := graphtest.Must[*storefront.State](t)(r.Storefront().State(visitor(ctx)))
		graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, xid.Product.Format(old), 2))
		after := graphtest.Must[*storefront.State](t)(r.Storefront().State(visitor(ctx)))
		if before.Fingerprint == after.Fingerprint {
			t.Error("the deletion does not change the fingerprint")
		}
	})
}

func TestStorefrontFind(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		st := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
		if id, ok, err := r.Storefront().Find(t.Context(), st.Handle); id != st.ID || !ok || err != nil {
			t.Errorf("found %s, %t, %v", id, ok, err)
		}
		if _, ok, err := r.Storefront().Find(t.Context(), "no-such-shop"); ok || err != nil {
			t.Errorf("an unknown handle: %t, %v", ok, err)
		}
		gone := graphtest.Must[*storefront.State](t)(r.Storefront().State(viewer.Visitor(ctx, xid.New())))
		if gone.Open {
			t.Error("a store that is not there is open")
		}
	})
}

func TestStorefrontTheme(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s, id := r.Storefront(), plantTheme(t, ctx, r, "Linen")
		other, _ := storetest.Merchant(t, r.Store)
		got, err := s.Theme(visitor(ctx), id)
		if err != nil || got.Name != "Linen" {
			t.Fatalf("the theme is %v, %v", got, err)
		}
		p, err := s.Package(visitor(ctx), got.Checksum)
		if err != nil || p.Manifest.Name != "Linen" || p.Templates["templates/layout.html"] != "Linen" {
			t.Errorf("the package is %+v, %v", p, err)
		}
		if _, err := s.Theme(visitor(other), id); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("another store's: %v", err)
		}
		if _, err := s.Package(visitor(ctx), digest.Sum{1}); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("an unknown package: %v", err)
		}
	})
}

// TestStorefrontProducts: active products of one store, most recently published first, without
// deleted and hidden ones.
func TestStorefrontProducts(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := r.Storefront()
		other, _ := storetest.Merchant(t, r.Store)
		published(t, graphtest.As(other, viewer.Owner), r, priced("Foreign"))
		late := graphtest.NewProduct(t, ctx, r, priced("Made first, published last"))
		published(t, ctx, r, priced("Second"))
		published(t, ctx, r, graphtest.Mug())
		graphtest.NewProduct(t, ctx, r, priced("Draft"))
		graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductPublish(ctx, late.PublicID(), late.Version))

		list := graphtest.Must[[]*storefront.Offer](t)(s.Newest(visitor(ctx)))
		if d := cmp.Diff([]string{"Made first, published last", "Blue Mug", "Second"}, titlesOf(list)); d != "" {
			t.Error(d)
		}
		got := graphtest.Must[*storefront.Offer](t)(s.Product(visitor(ctx), "blue-mug"))
		const image = "/pictures/d7ee9eb6c1ba582c14539640defbb47d/blue-mug"
		want := &storefront.Offer{Title: "Blue Mug", Handle: "blue-mug", PriceMinor: 1250, BeforeMinor: 1500,
			NextPrice: micros.Max, Amount: "12.50", Currency: "EUR",
			Image: image, Images: []*storefront.Image{{URL: image, Small: image, Alt: "Blue Mug"}}, Vendor: "Potter",
			Type: "Mugs", SKU: "MUG-1", Tags: []string{"blue"},
			Paragraphs: []string{"Holds\n300 ml."},
			HTML:       "<p dir=\"auto\">Holds\n300 ml.</p>\n",
			Available:  true, Ships: true, Options: []document.Option{},
			Variants: []*storefront.OfferVariant{{ID: got.ID, Title: "Blue Mug", Texts: []string{}, PriceMinor: 1250,
				BeforeMinor: 1500, Amount: "12.50", SKU: "MUG-1", Available: true}}}
		got.ID = xid.Nil
		got.ForgetTimes()
		if d := cmp.Diff(want, got, cmp.AllowUnexported(storefront.Offer{})); d != "" {
			t.Error(d)
		}
		for _, handle := range []string{"draft", "foreign", "no-such", "Blue-Mug", "blue-mug "} {
			if _, err := s.Product(visitor(ctx), handle); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%q: %v", handle, err)
			}
		}
		ids := []xid.ID{list[2].ID, list[0].ID, xid.New()}
		if d := cmp.Diff([]string{"Second", "Made first, published last"},
			titlesOf(graphtest.Must[[]*storefront.Offer](t)(s.Offers(visitor(ctx), ids)))); d != "" {
			t.Error(d)
		}
		if got := graphtest.Must[[]*storefront.Offer](t)(s.Offers(visitor(other), ids)); len(got) != 0 {
			t.Errorf("another store's offers: %v", titlesOf(got))
		}
	})
}

func TestStorefrontRelated(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for i, row := range [][2]string{
			{"Kiln", "Mug"}, {"Kiln", "Bowl"}, {"Other", "Mug"}, {"Other", "Bowl"}, {"Kiln", "Mug"}, {"", ""},
		} {
			in := priced(fmt.Sprintf("%d %s %s", i, row[0], row[1]))
			if row[0] != "" {
				in.Vendor, in.ProductType = &row[0], &row[1]
			}
			published(t, ctx, r, in)
		}
		s := r.Storefront()
		related := func(handle string) []string {
			o := graphtest.Must[*storefront.Offer](t)(s.Product(visitor(ctx), handle))
			return titlesOf(graphtest.Must[[]*storefront.Offer](t)(s.Related(visitor(ctx), o)))
		}
		if d := cmp.Diff([]string{"4 Kiln Mug", "2 Other Mug", "1 Kiln Bowl"}, related("0-kiln-mug")); d != "" {
			t.Error(d)
		}
		if got := related("5"); len(got) != 0 {
			t.Errorf("a product without vendor and type is related to %v", got)
		}
	})
}

// TestStorefrontBounds: a page reads at most its bound, however many products there are.
func TestStorefrontBounds(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		plantActive(t, ctx, r, storefront.NewestWindow+50)
		s := r.Storefront()
		if got := graphtest.Must[[]*storefront.Offer](t)(s.Newest(visitor(ctx))); len(got) != storefront.MaxOffers ||
			got[0].Title != fmt.Sprintf("Item %d", storefront.NewestWindow+49) {
			t.Errorf("%d products, the first is %s", len(got), got[0].Title)
		}
		if r.Store.Dialect() != dialect.MySQL {
			return
		}
		for name, most := range map[string]struct {
			rows int64
			call func(context.Context) error
		}{
			// from the index, and as a derived table; the tax settings and a country
			"state": {2*storefront.NewestChanges + 6,
				func(ctx context.Context) error { return graphtest.ErrOf(s.State(ctx)) }},
			"menus": {8, func(ctx context.Context) error { return graphtest.ErrOf(s.Menus(ctx, linked())) }},
			"parts": {2*(storefront.NewestWindow+50) + 5, // from the index, and as a derived table
				func(ctx context.Context) error { return graphtest.ErrOf(s.Parts(ctx)) }},
			"newest": {storefront.NewestWindow + 2*storefront.MaxOffers + 2, // the shown ones and their images
				func(ctx context.Context) error { return graphtest.ErrOf(s.Newest(ctx)) }},
		} {
			read := graphtest.Reads(t, ctx, r, func(ctx context.Context) {
				if err := most.call(visitor(ctx)); err != nil {
					t.Fatal(err)
				}
			})
			if read > most.rows {
				t.Errorf("%s: read %d rows, want at most %d", name, read, most.rows)
			}
		}
	})
}

// plantActive inserts active products, the newest last.
func plantActive(t testing.TB, ctx context.Context, r *graph.Resolver, n int) {
	t.Helper()
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		c := r.Client(ctx)
		for i := range n {
			id := xid.At(graphtest.PlanTie + micros.Time(i))
			err := c.Product.Create().SetID(id).SetTitle(fmt.Sprintf("Item %d", i)).
				SetHandle(fmt.Sprintf("item-%d", i)).SetStatus(state.ProductActive).SetPriceMinor(100).
				SetCurrency("EUR").SetTags([]byte("[]")).SetPublishedAt(id.Time()).SetUpdatedAt(id.Time()).
				SetImagesCount(1).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linked returns a state whose menus link to a product and to every page.
func linked() *storefront.State {
	return &storefront.State{Language: state.English, Menus: document.NewMenus(document.MenusFields{
		Main: []*document.MenuLink{
			{Title: "Mug", Target: state.TargetProduct, ResourceID: new(xid.Product.Format(xid.New()))},
			{Title: "Summer", Target: state.TargetCollection, ResourceID: new(xid.Collection.Format(xid.New()))},
		}})}
}

// TestStorefrontPlansSQLite checks the query plans: no statement scans or sorts a table.
func TestStorefrontPlansSQLite(t *testing.T) {
	var seen []ent.Statement
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Inspect: func(s ent.Statement) error {
		seen = append(seen, s)
		return storetest.Lint(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	scans := regexp.MustCompile(
		`SCAN (products|product_images|stores|themes|menus|pages|facets|listings|collections|s|t|m|f|l)\b`)
	ctx, _ := storetest.Merchant(t, s)
	r := graphtest.NewCore(t, s)
	plantActive(t, graphtest.As(ctx, viewer.Owner), r, 10)
	front := r.Storefront()
	for name, call := range map[string]func() error{
		"state":    func() error { return graphtest.ErrOf(front.State(visitor(ctx))) },
		"newest":   func() error { return graphtest.ErrOf(front.Newest(visitor(ctx))) },
		"facets":   func() error { return graphtest.ErrOf(front.Facets(visitor(ctx), listings.All)) },
		"options":  func() error { return graphtest.ErrOf(front.Facets(visitor(ctx), xid.New())) },
		"product":  func() error { return graphtest.ErrOf(front.Product(visitor(ctx), "item-1")) },
		"menus":    func() error { return graphtest.ErrOf(front.Menus(visitor(ctx), linked())) },
		"parts":    func() error { return graphtest.ErrOf(front.Parts(visitor(ctx))) },
		"products": func() error { return graphtest.ErrOf(front.ProductEntries(visitor(ctx), xid.Nil)) },
		"lists":    func() error { return graphtest.ErrOf(front.Collections(visitor(ctx))) },
		"pages":    func() error { return graphtest.ErrOf(front.PageEntries(visitor(ctx))) },
	} {
		seen = nil
		if err := call(); err != nil {
			t.Fatal(err)
		}
		want := 1
		switch name {
		case "product":
			want = 3 // its images, and the size chart of its collections
		case "newest":
			want = 3 // which they are, the products, and their images
		}
		if len(seen) != want {
			t.Errorf("%s: %d statements, want %d", name, len(seen), want)
		}
		for _, st := range seen {
			if plan := graphtest.ExplainQuery(t, s, st); scans.MatchString(plan) ||
				strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s: %s\n%s", name, plan, st.Query)
			}
		}
	}
}

// TestProductDeleteStatements: notifying the storefront costs one statement, and removing the
// product from its lists and from search two, only if the storefront shows the product.
func TestProductDeleteStatements(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		count := func(id xid.ID, version int64) uint64 {
			before := r.Store.Statements()
			graphtest.Must[*model.ProductDeletePayload](t)(r.Mutation().ProductDelete(ctx, xid.Product.Format(id),
				version))
			return r.Store.Statements() - before
		}
		draft := count(graphtest.NewProduct(t, ctx, r, priced("Draft")).ID, 1)
		if active := count(published(t, ctx, r, priced("Active")), 2); active != draft+3 {
			t.Errorf("%d statements for an active product, %d for a draft", active, draft)
		}
		if n := graphtest.Must[int](t)(r.Client(ctx).Product.Query().Where(product.TitleContains("")).
			Count(ctx)); n != 0 {
			t.Errorf("%d products are left", n)
		}
	})
}

// TestWithdrawsByZone: the footer leads to the withdrawal if a shipping zone names a country of the European
// Economic Area, and the fingerprint says so.
func TestWithdrawsByZone(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		read := func() *storefront.State {
			return graphtest.Must[*storefront.State](t)(r.Storefront().State(visitor(ctx)))
		}
		before := read()
		for _, tc := range []struct {
			country string
			want    bool
		}{{"*", false}, {"US", false}, {"NO", true}, {"DE", true}} {
			err := r.Store.InTx(ctx, func(ctx context.Context) error {
				return r.Client(ctx).ShippingCountry.Create().SetCountry(tc.country).SetZoneID(xid.New()).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
			now := read()
			if now.Withdraws != tc.want || (now.Fingerprint != before.Fingerprint) != tc.want {
				t.Errorf("%s: %v", tc.country, now.Withdraws)
			}
		}
	})
}
