package paper_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest/paper"
)

// bill returns an invoice whose texts are hostile.
func bill() *db.Invoice {
	address := &document.AddressFields{Line1: "1 Road", City: "Bonn", Country: "DE"}
	return &db.Invoice{ID: xid.New(), Kind: state.InvoiceBill, Series: "R-", Number: 7, Currency: "EUR",
		TotalMinor: 1190, Content: document.NewInvoice(&document.InvoiceFields{Language: state.German,
			Date: "2026-03-01", OrderNumber: "1001", OrderDate: "2026-02-28",
			Seller: document.Party{Name: "Mugs <Ltd>", Address: address, VATID: "DE123456789"},
			Buyer:  document.Party{Name: `</style><script>alert(1)</script>`, Address: address},
			Lines: []document.InvoiceLine{{Title: `<img src=x onerror="1">`, Options: []string{"Blau"}, SKU: "M-1",
				Quantity: 1, UnitMinor: 1000, AmountMinor: 1000, NetMinor: 1000, TaxMinor: 190}},
			Groups: []document.TaxGroup{{Category: "S", Rate: "19", NetMinor: 1000, TaxMinor: 190,
				Taxes: []document.InvoiceTax{{Name: "MwSt", Rate: "19", BaseMinor: 1000, AmountMinor: 190}}}},
			NetMinor: 1000, TaxMinor: 190, TotalMinor: 1190, PaidMinor: 1190, PaidOn: "2026-03-01",
			PaymentMethod: state.PaymentTransfer, Note: "Danke & bis <bald>"})}
}

// TestShow: the page shows the invoice in the order's language, as text, and runs nothing.
func TestShow(t *testing.T) {
	w := httptest.NewRecorder()
	if err := paper.Show(w, httptest.NewRequest("GET", "/", nil), []*db.Invoice{bill(), bill()},
		"https://mugs.example.com/images/1"); err != nil {
		t.Fatal(err)
	}
	page := w.Body.String()
	for _, want := range []string{"Rechnung R-7", "Mugs &lt;Ltd&gt;", "&lt;/style&gt;&lt;script&gt;", "&lt;img src=x",
		"Blau", "M-1", "MwSt 19\u00a0%", "11,90\u00a0€", "Bezahlt am 1. März 2026: Überweisung", "Deutschland",
		"Danke &amp; bis &lt;bald&gt;", "USt-IdNr.: DE123456789"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if n := strings.Count(page, "<article"); n != 2 {
		t.Errorf("%d sheets", n)
	}
	policy := w.Header().Get("Content-Security-Policy")
	if strings.Count(page, `<img src="https://mugs.example.com/images/1" alt="">`) != 2 ||
		!strings.Contains(policy, "img-src https://mugs.example.com;") {
		t.Errorf("the logo with policy %s on\n%s", policy, page)
	}
	if strings.Contains(page, "<script") || strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "'sha256-") {
		t.Errorf("policy %s of\n%s", policy, page)
	}
}

// TestXML: the file has a name without slashes; an invoice that EN 16931 refuses has none.
func TestXML(t *testing.T) {
	w, row := httptest.NewRecorder(), bill()
	row.Series = "A/2026 -"
	if err := paper.XML(w, httptest.NewRequest("GET", "/", nil), row); err != nil {
		t.Fatal(err)
	}
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="A-2026--7.xml"` ||
		!strings.Contains(w.Body.String(), "<cbc:ID>A/2026 -7</cbc:ID>") {
		t.Errorf("%s\n%s", got, w.Body)
	}
	row.Currency = "KWD"
	err := paper.XML(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), row)
	if !fault.IsState(err, fault.InvalidTransition) {
		t.Errorf("got %v", err)
	}
}
