package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// entry is an entry of a list of variants with a SKU, unless that is empty.
func entry(sku string, options ...string) *model.ProductVariantListInput {
	in := &model.ProductVariantListInput{Options: model.Given(options)}
	if sku != "" {
		in.Sku = model.Some(sku)
	}
	return in
}

func sized(values ...string) []*document.Option {
	return []*document.Option{{Name: "Size", Values: values}}
}

// A synchronization that knows no ids sends the whole product again and again: its variants are found
// by their SKUs or options, and keep what the list does not have.
func TestVariantsOfUpsert(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		upsert := func(in model.ProductUpdateInput) *model.ProductPayload {
			t.Helper()
			return graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductUpsert(ctx, "erp", in))
		}
		list := func(of []*document.Option, entries ...*model.ProductVariantListInput) model.ProductUpdateInput {
			in := named("Shirt")
			in.Options, in.Variants = model.Given(of), model.Given(entries)
			return in
		}
		small := entry("S-1", "S")
		small.InventoryQuantity, small.PriceMinor = model.Some(int64(3)), model.Some(int64(90))
		p := upsert(list(sized("S", "M"), small, entry("M-1", "M"))).Product
		if got := prices(t, ctx, r, p.PublicID()); got != "S-1 S 90 3, M-1 M 100 -" {
			t.Fatal(got)
		}
		s, m := p.Variants[0].ID, p.Variants[1].ID
		for _, step := range []struct {
			name string
			in   model.ProductUpdateInput
			want string
		}{
			{"the same", list(sized("S", "M"), small, entry("M-1", "M")), "S-1 S 90 3, M-1 M 100 -"},
			{"without stock and prices", list(sized("S", "M"), entry("S-1"), entry("", "M")),
				"S-1 S 100 3, M-1 M 100 -"},
			{"another text, by SKU", list(sized("Small", "M"), entry("S-1", "Small"), entry("M-1", "M")),
				"S-1 Small 100 3, M-1 M 100 -"},
			{"another SKU, by options", list(sized("Small", "M"), entry("S-2", "Small"), entry("M-1", "M")),
				"S-2 Small 100 3, M-1 M 100 -"},
			{"swapped", list(sized("Small", "M"), entry("M-1", "Small"), entry("S-2", "M")),
				"M-1 Small 100 -, S-2 M 100 3"},
			{"swapped again", list(sized("Small", "M"), entry("S-2", "Small"), entry("M-1", "M")),
				"S-2 Small 100 3, M-1 M 100 -"},
		} {
			done := upsert(step.in).Product
			if got := prices(t, ctx, r, p.PublicID()); got != step.want {
				t.Errorf("%s: %s, want %s", step.name, got, step.want)
			}
			of := []any{done.Variants[0].ID, done.Variants[1].ID}
			if !slices.Contains(of, any(s)) || !slices.Contains(of, any(m)) {
				t.Errorf("%s: the variants have other ids", step.name)
			}
			if step.name == "the same" && done.Version != 1 {
				t.Errorf("an equal list gives version %d", done.Version)
			}
		}
		only := entry("ONE")
		only.WeightGrams, only.PriceMinor = model.Some(int64(5)), model.Some(int64(7))
		if got := upsert(list(nil, only)).Product; got.PriceMinor != 7 || *got.Sku != "ONE" || *got.WeightGrams != 5 ||
			got.Options != nil {
			t.Errorf("without options: %v", got)
		}
		sameProduct(t, ctx, r, p)
	})
}

// prices shows the variants of a product: SKU, options, price and stock.
func prices(t *testing.T, ctx context.Context, r *graph.Resolver, id string) string {
	t.Helper()
	p, err := r.Query().Product(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, v := range variants.Of(p) {
		stock := "-"
		if v.InventoryQuantity != nil {
			stock = fmt.Sprint(*v.InventoryQuantity)
		}
		list = append(list, fmt.Sprint(*v.Sku, " ", v.Title, " ", v.PriceMinor, " ", stock))
	}
	return strings.Join(list, ", ")
}

// A new product without options takes the members of its only variant.
func TestCreateWithOwnVariant(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		only := entry("ONE")
		only.WeightGrams, only.PriceMinor = model.Some(int64(5)), model.Some(int64(7))
		only.TaxCategory = model.Some("zero")
		in := named("Mug")
		in.Variants = model.Given([]*model.ProductVariantListInput{only})
		made := graphtest.Must[*model.ProductPayload](t)(p.Mutation().ProductUpsert(p.Ctx, "erp", in)).Product
		if made.PriceMinor != 7 || *made.Sku != "ONE" || *made.WeightGrams != 5 || made.TaxCategory != "zero" ||
			made.Version != 1 {
			t.Errorf("created %v", made)
		}
		again := graphtest.Must[*model.ProductPayload](t)(p.Mutation().ProductUpsert(p.Ctx, "erp", in)).Product
		if again.Version != 1 {
			t.Errorf("an equal product has version %d", again.Version)
		}
	})
}

// Faults of variants are in one answer with those of other members.
func TestVariantListFaults(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		shirt := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Shirt())
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug())
		of := func(in *model.ProductVariantListInput, change func(*model.ProductVariantListInput),
		) *model.ProductVariantListInput {
			change(in)
			return in
		}
		for _, tc := range []struct {
			name    string
			id      string
			title   string
			options []*document.Option
			list    []*model.ProductVariantListInput
			want    string
		}{
			{name: "a new variant without a price", id: shirt.PublicID(), title: "x",
				list: []*model.ProductVariantListInput{entry("new", "S", "Black")},
				want: "#/variants/0/price_minor required"},
			{name: "none", id: shirt.PublicID(), title: "x", list: []*model.ProductVariantListInput{},
				want: "#/variants too_short"},
			{name: "an unknown id and a title", id: shirt.PublicID(), list: []*model.ProductVariantListInput{
				of(entry("", "S", "White"), func(in *model.ProductVariantListInput) {
					in.ID = model.Some(mug.PublicID())
				}),
				entry("x", "L", "White")}, want: "#/title too_short, #/variants/0/id unknown_value, " +
				"#/variants/1/options/0 unknown_value, #/variants/1/price_minor required"},
			{name: "options without variants", id: mug.PublicID(), title: "x", options: sized("S"),
				want: "#/variants required"},
			{name: "two without options", id: mug.PublicID(), title: "x",
				list: []*model.ProductVariantListInput{entry("MUG-1"), entry("MUG-1")},
				want: "#/variants too_long, #/variants/1/price_minor required"},
			{name: "no price", id: mug.PublicID(), title: "x", list: []*model.ProductVariantListInput{
				of(entry(""), func(in *model.ProductVariantListInput) { in.PriceMinor = model.Given[*int64](nil) })},
				want: "#/variants/0/price_minor required"},
			{name: "a field that is not defined", id: mug.PublicID(), title: "x",
				list: []*model.ProductVariantListInput{of(entry(""), func(in *model.ProductVariantListInput) {
					in.CustomFields = model.Given(document.CustomFields(`{"a.b":"c"}`))
				})}, want: "#/variants/0/custom_fields/a.b unknown_member"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				in := model.ProductUpdateInput{Title: model.Some(tc.title)}
				if tc.options != nil {
					in.Options = model.Given(tc.options)
				}
				if tc.list != nil {
					in.Variants = model.Given(tc.list)
				}
				_, err := p.Mutation().ProductUpdate(p.Ctx, tc.id, 1, in)
				var got []string
				if f, ok := errors.AsType[*fault.Error](err); ok {
					for _, field := range f.Fields {
						got = append(got, field.Pointer+" "+field.Code)
					}
				}
				slices.Sort(got)
				if strings.Join(got, ", ") != tc.want {
					t.Errorf("got %s (%v), want %s", strings.Join(got, ", "), err, tc.want)
				}
			})
		}
	})
}
