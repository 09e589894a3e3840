package country_test

import (
	"slices"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/country"
)

// TestEconomicArea: the area is the European Union, as the forms of VAT ids list it, and three more countries.
func TestEconomicArea(t *testing.T) {
	more := []string{"IS", "LI", "NO"}
	for _, code := range country.Codes() {
		want := country.InUnion(code) || slices.Contains(more, code)
		if country.InEconomicArea(code) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
	if all := country.EconomicArea(); len(all) != 30 || !slices.IsSorted(all) {
		t.Errorf("%d countries: %v", len(all), all)
	}
}
