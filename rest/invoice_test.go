package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// TestInvoiceLinks: the signed address of invoices opens them, and no other address does.
func TestInvoiceLinks(t *testing.T) {
	var core *graph.Resolver
	s, m := sqlite(t, func(c *rest.Config) { c.Links, core = c.Core.Links, c.Core })
	graphtest.Must[*model.InvoiceSettingsPayload](t)(core.Mutation().InvoiceSettingsUpdate(m.ctx, 0,
		model.InvoiceSettingsInput{Issue: state.InvoicePlaced, Name: "Mugs Ltd", InvoicePrefix: "R-",
			CreditPrefix: "G-", Address: &model.AddressInput{Line1: "1 Road", City: "Berlin", Country: "DE"}}))
	for range 2 {
		graphtest.NewOrder(t, m.ctx, core, graphtest.CustomLine("Mug", 1, 500))
	}
	list := graphtest.Must[*model.InvoiceConnection](t)(core.Query().Invoices(m.ctx, nil, nil, nil)).Nodes
	ids := []string{list[0].PublicID(), list[1].PublicID()}
	both := graphtest.Must[string](t)(core.Query().InvoicesPrintURL(m.ctx, ids))
	_, err := core.Query().InvoicesPrintURL(newShop(t, s.store, shopRow{}).ctx, ids)
	if graphtest.FaultOf(err) != "validation_failed" {
		t.Errorf("another store: %v", err)
	}
	for _, tc := range []struct {
		address string
		status  int
		texts   []string
	}{
		{list[1].PrintURL, http.StatusOK, []string{"Invoice R-1", "Mug"}},
		{both, http.StatusOK, []string{"Invoice R-1", "Invoice R-2"}},
		{list[0].XMLURL, http.StatusConflict, []string{"no address of the buyer"}},
		{strings.Replace(both, "/print", "/xml", 1), http.StatusForbidden, []string{"link_invalid"}},
		{both + "x", http.StatusForbidden, []string{"link_invalid"}},
		{apiHost + "/invoices/print", http.StatusForbidden, []string{"link_invalid"}},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			s.url+strings.TrimPrefix(tc.address, apiHost), nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.free.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body := new(strings.Builder)
		a.Write(body)
		a.Body.Close()
		for _, text := range tc.texts {
			if a.StatusCode != tc.status || !strings.Contains(body.String(), text) {
				t.Errorf("%s: %d without %q:\n%s", tc.address, a.StatusCode, text, body)
			}
		}
	}
}
