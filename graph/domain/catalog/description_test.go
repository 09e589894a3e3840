package catalog_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// A product keeps what describes it. Events show it, except for what only staff see.
func TestProductDescription(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		sizes := graphtest.Must[*model.PagePayload](t)(r.Mutation().PageCreate(ctx,
			model.PageCreateInput{Title: "Sizes", Body: "S, M, L"})).Page
		in := graphtest.Mug()
		in.Description, in.DescriptionFormat = new("A **blue** mug."), new(state.Markdown)
		in.Barcode, in.CostMinor = new("4006381333931"), new(int64(712_003))
		in.Maker = &document.MakerFields{Name: new("Kiln"), Address: new("Lane 1\nBerlin"), Email: new("a@kiln.test")}
		in.Videos, in.SizeChartID = []string{"https://youtu.be/abc"}, new(sizes.PublicID())
		p := graphtest.NewProduct(t, ctx, r, in)
		want := `"description_format":"markdown","barcode":"4006381333931","maker":{"name":"Kiln",` +
			`"address":"Lane 1\nBerlin","email":"a@kiln.test","url":null,"safety":null},"videos":["https://youtu.be/abc"]}`
		if got := shown(t, ctx, r, p); !strings.HasSuffix(got, want) || strings.Contains(got, "712003") {
			t.Errorf("shown %s", got)
		}
		read := graphtest.Must[*db.Product](t)(r.Query().Product(ctx, p.PublicID()))
		if *read.CostMinor != 712_003 || *read.SizeChartID != sizes.ID {
			t.Errorf("for staff: %v, %v", read.CostMinor, read.SizeChartID)
		}
		update := func(version int64, in model.ProductUpdateInput) *db.Product {
			return graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductUpdate(ctx, p.PublicID(), version,
				in)).Product
		}
		got := update(1, model.ProductUpdateInput{CostMinor: model.Some(int64(5)),
			SizeChartID: graphtest.Given[*string](nil)})
		if *got.CostMinor != 5 || got.SizeChartID != nil || got.Version != 2 || got.EventSequence != 1 {
			t.Errorf("members for staff: %v, %v with event %d", *got.CostMinor, got.SizeChartID, got.EventSequence)
		}
		got = update(2, model.ProductUpdateInput{Description: model.Some("5 * 3 * 2")})
		if got.DescriptionFormat != state.PlainText {
			t.Errorf("a client that knows no formats wrote %s", got.DescriptionFormat)
		}
		got = update(3, model.ProductUpdateInput{Maker: graphtest.Given[*document.MakerFields](nil),
			Videos: graphtest.Given([]string{}), DescriptionFormat: model.Some(state.Markdown)})
		if got.Maker != nil || got.Videos != nil || got.DescriptionFormat != state.Markdown {
			t.Errorf("removed: %s, %s", got.Maker, got.Videos)
		}
		if body := graphtest.LastEvent(t, ctx, r, p.ID); !strings.Contains(body,
			`"changed_fields":["description_format","maker","videos"]`) {
			t.Errorf("event %s", body)
		}
	})
}

func TestProductDescriptionIsChecked(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) { checkDescriptions(t, ctx, r) })
}

func checkDescriptions(t *testing.T, ctx context.Context, r *graph.Resolver) {
	t.Helper()
	type input = model.ProductCreateInput
	for want, change := range map[string]func(*input){
		"#/barcode invalid_format":      func(in *input) { in.Barcode = new("4006381333932") },
		"#/cost_minor out_of_range":     func(in *input) { in.CostMinor = new(int64(-1)) },
		"#/size_chart_id unknown_value": func(in *input) { in.SizeChartID = new("pag_x") },
		"#/maker/email invalid_format":  func(in *input) { in.Maker.Email = new("a") },
		"#/maker/url invalid_format":    func(in *input) { in.Maker.URL = new("javascript:alert(1)") },
		"#/maker/address too_long":      func(in *input) { in.Maker.Address = new(strings.Repeat("a", 1001)) },
		"#/videos/0 unknown_value":      func(in *input) { in.Videos = []string{"https://evil.example/v"} },
		"#/videos/1 invalid_format":     func(in *input) { in.Videos = []string{"https://youtu.be/a", "x"} },
		"#/videos too_long":             func(in *input) { in.Videos = make([]string, 6) },
		"#/description_format unknown_value": func(in *input) {
			in.DescriptionFormat = new(state.TextFormat("html"))
		},
		"#/description too_long": func(in *input) {
			in.Description, in.DescriptionFormat = new(strings.Repeat("> ", 21)+"x"), new(state.Markdown)
		},
	} {
		in := graphtest.Mug()
		in.Maker = &document.MakerFields{}
		change(&in)
		if _, err := r.Mutation().ProductCreate(ctx, in); graphtest.FieldOf(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
	_, err := r.Mutation().ProductUpdate(ctx, p.PublicID(), 1, model.ProductUpdateInput{
		Description: model.Some(strings.Repeat("> ", 21) + "x"), DescriptionFormat: model.Some(state.Markdown)})
	if graphtest.FieldOf(err) != "#/description too_long" {
		t.Errorf("an update: %v", err)
	}
}

// Clients that know no barcodes and costs keep them when they replace the variants.
func TestVariantsKeepBarcodes(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Shirt())
		set := func(change func(*model.ProductVariantInput)) *db.Product {
			list := inputs(p)
			change(list[0])
			p = graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantsSet(ctx, p.PublicID(), p.Version,
				options(p), list)).Product
			return p
		}
		set(func(v *model.ProductVariantInput) {
			v.Barcode, v.CostMinor = model.Some("96385074"), model.Some(int64(900))
		})
		set(func(v *model.ProductVariantInput) { v.PriceMinor++ })
		if v := p.Variants[0]; *v.Barcode != "96385074" || *v.CostMinor != 900 {
			t.Errorf("kept %v, %v", v.Barcode, v.CostMinor)
		}
		sequence := p.EventSequence
		set(func(v *model.ProductVariantInput) { v.CostMinor = graphtest.Given[*int64](nil) })
		if v := p.Variants[0]; v.CostMinor != nil || p.EventSequence != sequence {
			t.Errorf("removed %v with event %d", v.CostMinor, p.EventSequence-sequence)
		}
		got := graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductVariantUpdate(ctx, p.PublicID(), p.Version,
			p.Variants[0].PublicID(), model.ProductVariantUpdateInput{Barcode: graphtest.Given[*string](nil)})).Product
		if got.Variants[0].Barcode != nil || got.EventSequence != sequence+1 {
			t.Errorf("barcode %v with event %d", got.Variants[0].Barcode, got.EventSequence-sequence)
		}
		_, err := r.Mutation().ProductUpdate(ctx, p.PublicID(), got.Version,
			model.ProductUpdateInput{Barcode: model.Some("96385074")})
		if graphtest.FaultOf(err) != "has_variants" {
			t.Errorf("a barcode beside variants: %v", err)
		}
	})
}
