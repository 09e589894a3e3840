package cart_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestOrderTaxes: two taxes of a place and a category of its own for a product stay in the order, by
// line and for shipping, in the same form for a shopper's order and one by staff.
func TestOrderTaxes(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		graphtest.Must[*model.TaxSettingsPayload](t)(m.Mutation().TaxSettingsUpdate(m.Ctx, 1, model.TaxSettingsInput{
			Rates: []*model.TaxRateInput{
				{Country: "CA", Name: "GST", Rate: new("5"), Shipping: true},
				{Country: "CA", Region: new("Quebec"), Name: "QST", Rate: new("9.975"), Relation: state.TaxBeside},
				{Country: "CA", Region: new("QC"), Name: "QST", Rate: new("0"), Category: "books",
					Relation: state.TaxBeside}},
			Categories: []*document.TaxCategory{{Key: "books", Name: "Books"}}}))
		graphtest.Must[*model.ShippingZonePayload](t)(m.Mutation().ShippingZoneCreate(m.Ctx, model.ShippingZoneInput{
			Name: "World", RestOfWorld: true,
			Rates: []*model.ShippingRateInput{{Name: "Post", Kind: state.ShippingDelivery, PriceMinor: 1000}}}))
		bell, book := m.sell("Bell", 1999, 9), m.sell("Book", 3000, 9)
		graphtest.Must[*model.ProductPayload](t)(m.Mutation().ProductUpdate(m.Ctx,
			xid.Product.Format(book.Product), 2, model.ProductUpdateInput{TaxCategory: model.Some("books")}))
		token := m.add(m.add("", bell, 1), book, 2)
		a := document.AddressFields{Name: new("A"), Line1: "1", City: "Montréal", Region: new("QC"),
			PostalCode: new("H2X 1Y4"), Country: "CA"}
		for _, err := range []error{
			m.SetDetails(m.ctx, token, &cart.Contact{Email: "ada@example.com"}, &a),
			m.SetDelivery(m.ctx, token, nil, new(state.PaymentTransfer)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := m.SetDelivery(m.ctx, token, new(m.view(token).Rates[0].ID), nil); err != nil {
			t.Fatal(err)
		}
		v := m.view(token)
		made := m.order(graphtest.Must[xid.ID](t)(m.place(token)))
		want := []document.OrderTax{
			{Name: "GST", Rate: "5", BaseMinor: 8999, AmountMinor: 450, Lines: []document.OrderTaxLine{
				{LineID: lineID(made, 0), BaseMinor: 1999, AmountMinor: 100},
				{LineID: lineID(made, 1), BaseMinor: 6000, AmountMinor: 300}, {BaseMinor: 1000, AmountMinor: 50}}},
			{Name: "QST", Rate: "9.975", BaseMinor: 1999, AmountMinor: 199, Lines: []document.OrderTaxLine{
				{LineID: lineID(made, 0), BaseMinor: 1999, AmountMinor: 199}}},
			{Name: "QST", Rate: "0", BaseMinor: 6000, Lines: []document.OrderTaxLine{
				{LineID: lineID(made, 1), BaseMinor: 6000}}},
		}
		got := graphtest.Must[[]document.OrderTax](t)(made.Taxes.List())
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if v.Sums.AllTax() != 649 || made.TotalMinor != 7999+1000+649 {
			t.Errorf("taxed %d, total %d", v.Sums.AllTax(), made.TotalMinor)
		}
		in := model.OrderCreateInput{Source: "dashboard", ShippingAddress: &model.AddressInput{
			Line1: a.Line1, City: a.City, Region: a.Region, PostalCode: a.PostalCode, Country: a.Country},
			Pricing: &model.OrderPricingInput{ShippingMinor: new(int64(1000))}}
		for _, l := range made.Lines {
			id := xid.Product.Format(*l.ProductID)
			in.Lines = append(in.Lines, &model.OrderLineInput{ProductID: &id, Quantity: l.Quantity})
		}
		staff := m.order(graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCreate(m.Ctx, in)).Order.ID)
		for i := range want {
			for j := range want[i].Lines {
				if of := want[i].Lines[j].LineID; of != nil {
					at := 0
					if *of == *lineID(made, 1) {
						at = 1
					}
					want[i].Lines[j].LineID = lineID(staff, at)
				}
			}
		}
		if d := gocmp.Diff(want, graphtest.Must[[]document.OrderTax](t)(staff.Taxes.List())); d != "" {
			t.Errorf("by staff (-want +got):\n%s", d)
		}
	})
}

// TestVIES: an id that VIES does not know is refused, one that it confirms is kept with the number of
// the consultation, and one on which it has no answer is believed. In a cart it is asked once for each
// id, and only about those of other countries. It is asked about those that staff enter, too.
func TestVIES(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		answers := map[string]string{"U12345678": `{"valid": true, "requestIdentifier": "WAPI1"}`,
			"U99999999": `{"valid": false, "requestIdentifier": ""}`}
		var asked []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var q struct{ CountryCode, VatNumber, RequesterMemberStateCode, RequesterNumber string }
			if json.NewDecoder(r.Body).Decode(&q) != nil ||
				q.RequesterMemberStateCode+q.RequesterNumber != "DE136695976" {
				t.Errorf("asked %+v", q)
			}
			asked = append(asked, q.CountryCode+q.VatNumber)
			w.Write([]byte(cmp.Or(answers[q.VatNumber], `{"actionSucceed": false}`)))
		}))
		defer s.Close()
		m.VIES.Base = s.URL
		graphtest.Must[*model.TaxSettingsPayload](t)(m.Mutation().TaxSettingsUpdate(m.Ctx, 1, model.TaxSettingsInput{
			ReverseCharge: new(true), VatID: new("DE136695976"),
			Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", Rate: new("19")}}}))
		token := m.add("", m.sell("Bell", 12_000, 99), 1)
		for _, tc := range []struct{ id, kept, number, field string }{
			{id: "ATU12345678", kept: "ATU12345678", number: "WAPI1"},
			{id: "ATU12345678", kept: "ATU12345678", number: "WAPI1"},
			{id: "ATU99999999", kept: "ATU12345678", number: "WAPI1", field: "#/vat_id invalid_format"},
			{id: "DE136695976", kept: "DE136695976"}, {id: "ATU11111111", kept: "ATU11111111"},
			{id: "", kept: ""},
		} {
			err := m.SetDetails(m.ctx, token, &cart.Contact{Email: "ada@example.com", VATID: tc.id}, nil)
			v := m.view(token)
			number := ""
			if v.VATConsultation != nil {
				number = *v.VATConsultation
			}
			if (err == nil) != (tc.field == "") || err != nil && graphtest.FieldOf(err) != tc.field ||
				v.VATID != tc.kept || number != tc.number {
				t.Errorf("%q: %v, kept %q with %q", tc.id, err, v.VATID, number)
			}
		}
		if want := []string{"ATU12345678", "ATU99999999", "ATU11111111"}; !slices.Equal(asked, want) {
			t.Errorf("asked about %q", asked)
		}
		for id, want := range map[string]string{"ATU12345678": "WAPI1", "ATU11111111": "",
			"ATU99999999": "#/pricing/vat_id invalid_format", "ATU1": "#/pricing/vat_id invalid_format"} {
			o, err := m.Mutation().OrderCreate(m.Ctx, model.OrderCreateInput{Source: "dashboard",
				Pricing: &model.OrderPricingInput{VatID: &id},
				Lines:   []*model.OrderLineInput{graphtest.CustomLine("a", 1, 100)}})
			got := ""
			if err != nil {
				got = graphtest.FieldOf(err)
			} else if o.Order.VatConsultation != nil {
				got = *o.Order.VatConsultation
			}
			if got != want {
				t.Errorf("%s by staff: %q, want %q", id, got, want)
			}
		}
	})
}

// TestReverseCharge: a company that names a VAT id of another country of the European Union pays no tax
// there, neither in the shop nor in an order by staff. One of the store's country, one with an id of a
// third country, and one whose id is not in form do.
func TestReverseCharge(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		in := model.TaxSettingsInput{PricesIncludeTax: true, ReverseCharge: new(true), Rates: []*model.TaxRateInput{
			{Country: "DE", Name: "MwSt.", Rate: new("19"), Shipping: true},
			{Country: "AT", Name: "USt.", Rate: new("20"), Shipping: true}}}
		_, err := m.Mutation().TaxSettingsUpdate(m.Ctx, 1, in)
		if graphtest.FieldOf(err) != "#/vat_id required" {
			t.Errorf("without the store's own: %v", err)
		}
		in.VatID = new("")
		_, err = m.Mutation().TaxSettingsUpdate(m.Ctx, 1, in)
		if graphtest.FieldOf(err) != "#/vat_id required" {
			t.Errorf("with an empty one: %v", err)
		}
		in.VatID = new("de 136 695 976")
		graphtest.Must[*model.TaxSettingsPayload](t)(m.Mutation().TaxSettingsUpdate(m.Ctx, 1, in))
		in.VatID, in.ReverseCharge = nil, nil
		kept := graphtest.Must[*model.TaxSettingsPayload](t)(m.Mutation().TaxSettingsUpdate(m.Ctx, 2, in)).TaxSettings
		if !kept.ReverseCharge || *kept.VatID != "DE136695976" {
			t.Errorf("absent members: %v", kept)
		}
		graphtest.Must[*model.ShippingZonePayload](t)(m.Mutation().ShippingZoneCreate(m.Ctx, model.ShippingZoneInput{
			Name: "World", RestOfWorld: true,
			Rates: []*model.ShippingRateInput{{Name: "Post", Kind: state.ShippingDelivery, PriceMinor: 1200}}}))
		bell := m.sell("Bell", 12_000, 99)
		for _, tc := range []struct {
			country, code, id string
			total, tax        int64
		}{
			{"AT", "1010", "ATU12345678", 21_000, 0}, {"AT", "1010", "", 25_200, 4200},
			{"AT", "1010", "DE136695976", 25_200, 4200}, {"AT", "1010", "FR12345678901", 25_200, 4200},
			{"DE", "10115", "DE136695976", 24_000, 3832},
		} {
			token := m.add("", bell, 2)
			a := document.AddressFields{Name: new("A"), Line1: "1", City: "B", PostalCode: &tc.code,
				Country: tc.country}
			err := errors.Join(m.SetDetails(m.ctx, token, &cart.Contact{Email: "ada@example.com", VATID: tc.id}, nil),
				m.SetDetails(m.ctx, token, nil, &a), m.SetDelivery(m.ctx, token, nil, new(state.PaymentTransfer)))
			if err == nil {
				err = m.SetDelivery(m.ctx, token, new(m.view(token).Rates[0].ID), nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			v := m.view(token)
			made := m.order(graphtest.Must[xid.ID](t)(m.place(token)))
			if (made.TaxRelief != nil) != (tc.tax == 0) || made.TotalMinor != tc.total ||
				*made.IncludedTaxMinor != tc.tax {
				t.Errorf("%s %s: %v, %+v", tc.country, tc.id, made.TaxRelief, v.Sums)
			}
			staff := model.OrderCreateInput{Source: "dashboard", ShippingAddress: &model.AddressInput{Line1: "1",
				City: "B", Country: tc.country}, Pricing: &model.OrderPricingInput{VatID: &tc.id,
				ShippingRateID: &v.Rate.ID}, Lines: []*model.OrderLineInput{
				{ProductID: new(xid.Product.Format(bell.Product)), Quantity: 2}}}
			same := m.order(graphtest.Must[*model.OrderPayload](t)(m.Mutation().OrderCreate(m.Ctx, staff)).Order.ID)
			if same.TotalMinor != made.TotalMinor || same.Lines[0].UnitPriceMinor != made.Lines[0].UnitPriceMinor {
				t.Errorf("%s %s: %d by staff, %d in the shop", tc.country, tc.id, same.TotalMinor, made.TotalMinor)
			}
		}
		err = m.SetDetails(m.ctx, m.add("", bell, 1), &cart.Contact{Email: "ada@example.com", VATID: "ATU1"}, nil)
		if graphtest.FieldOf(err) != "#/vat_id invalid_format" {
			t.Errorf("not in form: %v", err)
		}
	})
}

func lineID(o *model.Order, i int) *string { return new(xid.OrderLine.Format(o.Lines[i].ID)) }
