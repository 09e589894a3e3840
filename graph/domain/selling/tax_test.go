package selling_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// german returns the settings of a store in Germany that also sells to an Austrian region.
func german() model.TaxSettingsInput {
	return model.TaxSettingsInput{PricesIncludeTax: true, Rates: []*model.TaxRateInput{
		{Country: "de", Name: "MwSt", BasisPoints: 1900, Shipping: true},
		{Country: "AT", Region: new("Jungholz"), Name: "USt", BasisPoints: 1900},
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
		want := price.Tax{Included: true, Rates: []price.TaxRate{
			{Country: "DE", Name: "MwSt", BasisPoints: 1900, Shipping: true},
			{Country: "AT", Region: "Jungholz", Name: "USt", BasisPoints: 1900},
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
		sales := &model.TaxRateInput{Country: "US", Region: new("new york"), Name: "Tax"}
		in := model.TaxSettingsInput{Rates: []*model.TaxRateInput{sales}}
		named := graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 2, in)).TaxSettings
		if !strings.Contains(string(named.Rates), `"region":"NY"`) {
			t.Errorf("a region by its name: %s", named.Rates)
		}
		in.Rates = append(in.Rates, &model.TaxRateInput{Country: "US", Region: new("N.Y."), Name: "Tax"})
		if _, err := m.TaxSettingsUpdate(ctx, 3, in); graphtest.FieldOf(err) != "#/rates/1/country taken" {
			t.Errorf("a region twice: %v", err)
		}
		for want, edit := range map[string]func(*model.TaxRateInput){
			"#/rates/1/country unknown_value":     func(in *model.TaxRateInput) { in.Country = "XX" },
			"#/rates/1/country taken":             func(in *model.TaxRateInput) { in.Country, in.Region = "DE", nil },
			"#/rates/1/name too_short":            func(in *model.TaxRateInput) { in.Name = "" },
			"#/rates/1/region too_short":          func(in *model.TaxRateInput) { in.Region = new(" ") },
			"#/rates/1/basis_points out_of_range": func(in *model.TaxRateInput) { in.BasisPoints = 10_001 },
		} {
			in := german()
			edit(in.Rates[1])
			if _, err := m.TaxSettingsUpdate(ctx, 3, in); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
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
