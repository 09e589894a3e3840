package selling_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// german returns the settings of a store in Germany that also sells to an Austrian region.
func german() model.TaxSettingsInput {
	return model.TaxSettingsInput{PricesIncludeTax: true, Rates: []*model.TaxRateInput{
		{Country: "de", Name: "MwSt", Rate: new("19"), Shipping: true},
		{Country: "AT", Region: new("Jungholz"), Name: "USt", Rate: new("19")},
	}}
}

func TestTaxSettings(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		if tax, err := r.CartTax(ctx); err != nil || tax.Included || len(tax.Rates) != 0 {
			t.Errorf("before: %+v, %v", tax, err)
		}
		first := graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 0, german())).TaxSettings
		same := graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 1, german())).TaxSettings
		if first.Version != 1 || same.Version != 1 || first.UpdatedAt() == nil {
			t.Errorf("versions %d and %d", first.Version, same.Version)
		}
		want := price.Tax{Included: true, Shipping: "standard", Rates: []price.TaxRate{
			{Country: "DE", Name: "MwSt", PerMillion: 190_000, Category: "standard", Relation: "replace",
				Shipping: true},
			{Country: "AT", Region: "Jungholz", Name: "USt", PerMillion: 190_000, Category: "standard",
				Relation: "replace"},
		}}
		if got, err := r.CartTax(ctx); err != nil || cmp.Diff(want, got) != "" {
			t.Error(err, cmp.Diff(want, got))
		}
		_, err := m.TaxSettingsUpdate(ctx, 0, model.TaxSettingsInput{})
		if graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		none := graphtest.Must[*model.TaxSettingsPayload](t)(
			m.TaxSettingsUpdate(ctx, 1, model.TaxSettingsInput{})).TaxSettings
		if again := graphtest.Must[*model.TaxSettings](t)(r.Query().TaxSettings(ctx)); none.Version != 2 ||
			again.PricesIncludeTax || string(again.Rates) != "[]" {
			t.Errorf("none: %+v", again)
		}
		sales := &model.TaxRateInput{Country: "US", Region: new("new york"), Name: "Tax", Rate: new("4")}
		in := model.TaxSettingsInput{Rates: []*model.TaxRateInput{sales}}
		named := graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 2, in)).TaxSettings
		if !strings.Contains(string(named.Rates), `"region":"NY"`) {
			t.Errorf("a region by its name: %s", named.Rates)
		}
		in.Rates = append(in.Rates, &model.TaxRateInput{Country: "US", Region: new("N.Y."), Name: "Tax",
			BasisPoints: new(int64(400))})
		if _, err := m.TaxSettingsUpdate(ctx, 3, in); graphtest.FieldOf(err) != "#/rates/1/country taken" {
			t.Errorf("a region twice: %v", err)
		}
		for want, edit := range map[string]func(*model.TaxRateInput){
			"#/rates/1/country unknown_value": func(in *model.TaxRateInput) { in.Country = "XX" },
			"#/rates/1/country taken": func(in *model.TaxRateInput) {
				in.Country, in.Region, in.Name = "DE", nil, "MwSt"
			},
			"#/rates/1/name too_short":   func(in *model.TaxRateInput) { in.Name = "" },
			"#/rates/1/region too_short": func(in *model.TaxRateInput) { in.Region = new(" ") },
			"#/rates/1/basis_points out_of_range": func(in *model.TaxRateInput) {
				in.Rate, in.BasisPoints = nil, new(int64(10_001))
			},
			"#/rates/1/rate out_of_range":      func(in *model.TaxRateInput) { in.Rate = new("100.0001") },
			"#/rates/1/rate invalid_format":    func(in *model.TaxRateInput) { in.Rate = new("8.87501") },
			"#/rates/1/rate required":          func(in *model.TaxRateInput) { in.Rate = nil },
			"#/rates/1/category unknown_value": func(in *model.TaxRateInput) { in.Category = "books" },
		} {
			in := german()
			edit(in.Rates[1])
			if _, err := m.TaxSettingsUpdate(ctx, 3, in); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		both := german()
		both.Rates[0].BasisPoints = new(int64(700))
		_, err = m.TaxSettingsUpdate(ctx, 3, both)
		if graphtest.FieldOf(err) != "#/rates/0/basis_points out_of_range" {
			t.Errorf("percent and basis points: %v", err)
		}
		in = model.TaxSettingsInput{}
		for i := range 6 {
			in.Rates = append(in.Rates, &model.TaxRateInput{Country: "DE", Name: strconv.Itoa(i), Rate: new("1")})
		}
		if _, err := m.TaxSettingsUpdate(ctx, 3, in); graphtest.FieldOf(err) != "#/rates/5/country too_long" {
			t.Errorf("six taxes of one place: %v", err)
		}
		many := model.TaxSettingsInput{Rates: make([]*model.TaxRateInput, 501)}
		if _, err := m.TaxSettingsUpdate(ctx, 3, many); graphtest.FieldOf(err) != "#/rates too_long" {
			t.Errorf("501: %v", err)
		}
	})
}

// Of concurrent first changes, one succeeds.
func TestFirstTaxSettings(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = r.Mutation().TaxSettingsUpdate(ctx, 0, german()) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if graphtest.FaultOf(err) != "version_mismatch" {
				t.Error(err)
			}
		}
		now := graphtest.Must[*model.TaxSettings](t)(r.Query().TaxSettings(ctx))
		if made != 1 || now.Version != 1 {
			t.Errorf("%d first changes succeeded, version %d", made, now.Version)
		}
	})
}

// TestTaxCategories: a store adds categories of its own and renames them. It cannot remove one, since
// products refer to it, and rates and shipping name only those that exist.
func TestTaxCategories(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m, in := r.Mutation(), german()
		in.Categories = []*document.TaxCategory{{Key: "books", Name: "Books"}}
		in.ShippingCategory, in.Rates[0].Category = new("reduced"), "books"
		graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 0, in))
		if tax, err := r.CartTax(ctx); err != nil || tax.Shipping != "reduced" || tax.Rates[0].Category != "books" {
			t.Errorf("%+v, %v", tax, err)
		}
		in.Categories, in.ShippingCategory = nil, nil
		kept := graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 1, in)).TaxSettings
		if kept.Version != 1 || kept.ShippingCategory != "reduced" {
			t.Errorf("left as they are: %+v", kept)
		}
		for want, edit := range map[string]func(*model.TaxSettingsInput){
			"#/categories required": func(in *model.TaxSettingsInput) { in.Categories = []*document.TaxCategory{} },
			"#/categories/1/key taken": func(in *model.TaxSettingsInput) {
				in.Categories = append(in.Categories, &document.TaxCategory{Key: "zero", Name: "Zero"})
			},
			"#/categories/0/key invalid_format": func(in *model.TaxSettingsInput) {
				in.Categories = []*document.TaxCategory{{Key: "Food", Name: "Food"}, in.Categories[0]}
			},
			"#/categories/0/name too_short": func(in *model.TaxSettingsInput) { in.Categories[0].Name = "" },
			"#/categories too_long": func(in *model.TaxSettingsInput) {
				in.Categories = slices.Repeat(in.Categories, 51)
			},
			"#/shipping_category unknown_value": func(in *model.TaxSettingsInput) { in.ShippingCategory = new("food") },
		} {
			bad := german()
			bad.Categories = []*document.TaxCategory{{Key: "books", Name: "Books"}}
			edit(&bad)
			if _, err := m.TaxSettingsUpdate(ctx, 1, bad); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		in.Categories = []*document.TaxCategory{{Key: "books", Name: "Print"}}
		renamed := graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 1, in)).TaxSettings
		if string(renamed.Categories) != `[{"key":"books","name":"Print"}]` || renamed.Version != 2 {
			t.Errorf("renamed: %s", renamed.Categories)
		}
	})
}

// TestTaxesDuringUpgrade: while a program of an earlier release may run, only taxes that it computes in
// the same way are accepted.
func TestTaxesDuringUpgrade(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		graphtest.Must[*model.TaxSettingsPayload](t)(r.Mutation().TaxSettingsUpdate(ctx, 0, german()))
		for name, edit := range map[string]func(*model.TaxSettingsInput){
			"decimals": func(in *model.TaxSettingsInput) { in.Rates[0].Rate = new("8.875") },
			"category": func(in *model.TaxSettingsInput) { in.Rates[0].Category = "zero" },
			"relation": func(in *model.TaxSettingsInput) { in.Rates[1].Relation = state.TaxBeside },
			"two":      func(in *model.TaxSettingsInput) { in.Rates[1].Country, in.Rates[1].Region = "DE", nil },
			"shipping": func(in *model.TaxSettingsInput) { in.ShippingCategory = new("exempt") },
		} {
			in := german()
			edit(&in)
			if _, err := r.Mutation().TaxSettingsUpdate(ctx, 1, in); graphtest.FaultOf(err) != "invalid_transition" {
				t.Errorf("%s: %v", name, err)
			}
		}
		in := graphtest.Mug()
		in.TaxCategory = new("exempt")
		if _, err := r.Mutation().ProductCreate(ctx, in); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("a product: %v", err)
		}
	})
}

// TestOldTaxRates: rates of a release that knew neither categories nor decimals have their meaning.
func TestOldTaxRates(t *testing.T) {
	old := document.TaxRates(`[{"country":"DE","name":"MwSt.","basis_points":1900,"shipping":true}]`)
	got := graphtest.Must[[]document.TaxRate](t)(old.List())
	want := []document.TaxRate{{Country: "DE", Name: "MwSt.", PerMillion: 190_000, BasisPoints: 1900,
		Category: "standard", Relation: "replace", Shipping: true}}
	if d := cmp.Diff(want, got); d != "" || got[0].Percent() != "19" {
		t.Error(d)
	}
}

// TestTaxPresets: a store can save all presets of the dashboard.
func TestTaxPresets(t *testing.T) {
	var file struct {
		AsOf    string `json:"as_of"`
		Presets []struct {
			Source string
			Rates  []struct {
				Country, Region, Name, Rate, Category, Relation string
			}
		}
	}
	data := graphtest.Must[[]byte](t)(os.ReadFile("../../../rest/dashboard/static/tax_rates.js"))
	data = data[bytes.IndexByte(data, '{') : bytes.LastIndexByte(data, '}')+1]
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := model.TaxSettingsInput{}
		for _, p := range file.Presets {
			for _, rate := range p.Rates {
				one := &model.TaxRateInput{Country: rate.Country, Name: rate.Name, Rate: &rate.Rate,
					Category: rate.Category, Relation: state.TaxRelation(strings.ToLower(rate.Relation))}
				if rate.Region != "" {
					one.Region = &rate.Region
					if _, known := country.Find(rate.Country, rate.Region); !known {
						t.Errorf("%s has no region %s", rate.Country, rate.Region)
					}
				}
				in.Rates = append(in.Rates, one)
			}
			if p.Source == "" || file.AsOf == "" {
				t.Error("a preset without source and date")
			}
		}
		graphtest.Must[*model.TaxSettingsPayload](t)(r.Mutation().TaxSettingsUpdate(ctx, 0, in))
	})
}
