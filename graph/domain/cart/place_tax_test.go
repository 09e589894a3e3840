package cart_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/model"
)

// taxes gives the store regional tax rates, and lets it ship everywhere.
func (m *market) taxes() {
	m.t.Helper()
	graphtest.Must[*model.TaxSettingsPayload](m.t)(m.Mutation().TaxSettingsUpdate(m.Ctx, 1, model.TaxSettingsInput{
		Rates: []*model.TaxRateInput{
			{Country: "US", Region: new("new york"), Name: "Sales tax", Rate: new("8")},
			{Country: "ES", Name: "IVA", Rate: new("21")},
			{Country: "ES", Region: new("Canarias"), Name: "IGIC", Rate: new("7")},
			{Country: "AT", Region: new("Jungholz"), Name: "MwSt.", Rate: new("19")},
			{Country: "DE", Name: "MwSt.", Rate: new("19")}}}))
	graphtest.Must[*model.ShippingZonePayload](m.t)(m.Mutation().ShippingZoneCreate(m.Ctx, model.ShippingZoneInput{
		Name: "World", RestOfWorld: true,
		Rates: []*model.ShippingRateInput{{Name: "Post", Kind: state.ShippingDelivery}}}))
}

// TestRegionTax: however a shopper writes the region, its rate applies, and the stored form is
// uniform. A cart without shipping asks for as much of the location as its tax depends on.
func TestRegionTax(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.taxes()
		bell := m.sell("Bell", 10_000, 99)
		parcel, song := m.add("", bell, 1), m.add("", m.digital("Song", 10_000, 99), 1)
		for _, tc := range []struct {
			country, region, code, kept string
			tax                         int64 // -1 if it is refused
		}{
			{"US", "NY", "10001", "NY", 800}, {"US", "New York", "10001", "NY", 800},
			{"US", "N.Y.", "10001", "NY", 800},
			{"US", "new york", "10001", "NY", 800}, {"US", "US-NY", "10001", "NY", 800},
			{"US", "Texas", "73301", "TX", 0},
			{"US", "", "10001", "", -1}, {"US", "Bavaria", "10001", "", -1},
			{"ES", "Las Palmas", "35001", "Las Palmas", 700},
			{"ES", "madrid", "28039", "Madrid", 2100}, {"ES", "", "28039", "", -1},
			{"AT", "JUNGHOLZ", "A-6691", "Jungholz", 1900},
			{"AT", "Tirol", "6020", "Tirol", 0}, {"AT", "", "6020", "", -1}, {"DE", "", "D-10115", "", 1900},
			{"JP", "tokyo", "1540023", "Tokyo", 0}, {"JP", "東京都", "1540023", "東京都", 0},
		} {
			a := document.AddressFields{Name: new("A"), Line1: "1", City: "B", Region: &tc.region, PostalCode: &tc.code,
				Country: tc.country}
			err := m.SetDetails(m.ctx, parcel, nil, &a)
			if refused := graphtest.FaultOf(err) == "validation_failed"; refused != (tc.tax < 0) {
				t.Errorf("%s %q: %v", tc.country, tc.region, err)
			}
			v := m.view(parcel)
			if tc.tax >= 0 && (v.Sums.AllTax() != tc.tax || tc.kept != "" && *v.Address.Region != tc.kept) {
				t.Errorf("%s %q: taxed %d, want %d, in %v", tc.country, tc.region, v.Sums.AllTax(), tc.tax, v.Address)
			}
			err = m.SetDetails(m.ctx, song, &cart.Contact{Email: "ada@example.com", Country: tc.country,
				Region: tc.region}, nil)
			if refused := graphtest.FaultOf(err) == "validation_failed"; refused != (tc.tax < 0) {
				t.Errorf("digital, %s %q: %v", tc.country, tc.region, err)
			}
			if v = m.view(song); tc.tax >= 0 && (v.Sums.AllTax() != tc.tax || v.Next() != cart.StepDelivery) {
				t.Errorf("digital, %s %q: taxed %d, want %d; next %s", tc.country, tc.region, v.Sums.AllTax(), tc.tax,
					v.Next())
			}
		}
	})
}

// TestForm: a country's form has the members that the country uses, and a region where the tax
// depends on it.
func TestForm(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.taxes()
		v := m.view(m.add("", m.sell("Bell", 1490, 5), 1))
		for code, want := range map[string]cart.Form{
			"DE": {Form: country.Form{PostalCode: country.Required}},
			"AE": {Form: country.Form{Region: country.Required}},
			"US": {Form: country.Form{PostalCode: country.Required, Region: country.Required}},
			"AT": {Form: country.Form{PostalCode: country.Required, Region: country.Required}},
		} {
			got := v.Form(code)
			diff := cmp.Diff(want.Form, got.Form)
			if diff != "" || (want.Region == country.Unused) != (got.Regions == nil) {
				t.Errorf("%s: %s, %d regions", code, diff, len(got.Regions))
			}
		}
		if list := v.Form("AT").Regions; list[len(list)-1].Name != "Jungholz" || len(list) != 10 {
			t.Errorf("Austria: %v", list)
		}
	})
}
