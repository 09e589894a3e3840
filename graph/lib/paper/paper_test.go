package paper_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/paper"
	"github.com/storefront-go/storefront/graph/lib/price"
)

var ublFolder = flag.String("ubl", "", "folder for the invoices of random orders as XML")

// at is when the invoices of the tests are issued.
var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// seller returns the usual issuer.
func seller() paper.Issuer {
	return paper.Issuer{Now: at, Language: state.German, VATID: "DE123456789", Email: "shop@example.com",
		SellerFields: document.SellerFields{Name: "Kaffee GmbH", TaxNumber: "12/345/67890", Registration: "HRB 1",
			Address: document.AddressFields{Line1: "Weg 1", City: "Berlin", Country: "DE"}}}
}

// sold is an order with its lines.
type sold struct {
	*db.Order
	lines []*db.OrderLine
}

// order returns the order of a cart, as the store writes it.
func order(t testing.TB, c price.Cart) sold {
	t.Helper()
	r, err := price.Compute(c)
	if err != nil {
		t.Fatal(err)
	}
	now := xid.At(micros.Of(at))
	o := &db.Order{ID: now, Number: 1001, Currency: "EUR", PlacedAt: micros.Of(at), SubtotalMinor: r.SubtotalMinor,
		DiscountMinor: r.DiscountMinor, ShippingMinor: r.ShippingMinor, TaxMinor: r.TaxMinor, TotalMinor: r.TotalMinor,
		IncludedTaxMinor: &r.IncludedTaxMinor, Email: new("ann@example.com"),
		ShippingAddress: document.NewAddress(&document.AddressFields{Name: new("Ann <b> & Co"), Line1: "1 Road",
			City: "Town", Country: c.To.Country})}
	if r.Freight.Needed {
		o.ShippingMethod = new("Post")
	}
	s := sold{Order: o}
	for i, l := range r.Lines {
		s.lines = append(s.lines, &db.OrderLine{ID: xid.New(), Title: fmt.Sprint("Thing ", i), Sku: new("T-1"),
			Quantity: c.Lines[i].Quantity, UnitPriceMinor: l.UnitMinor, DiscountMinor: l.DiscountMinor,
			TaxMinor: l.TaxMinor, TotalMinor: l.TotalMinor, RequiresShipping: !c.Lines[i].Digital})
	}
	o.Taxes = taxes(r, c.Tax.Included, s.lines)
	return s
}

func taxes(r *price.Result, included bool, lines []*db.OrderLine) document.OrderTaxes {
	var list []document.OrderTax
	for _, t := range r.Taxes {
		sum := document.OrderTax{Name: t.Name, Rate: document.Percent(t.PerMillion), Included: included,
			BaseMinor: t.BaseMinor, AmountMinor: t.AmountMinor}
		for _, p := range t.Parts {
			part := document.OrderTaxLine{BaseMinor: p.BaseMinor, AmountMinor: p.AmountMinor}
			if p.Line != price.Shipped {
				part.LineID = new(xid.OrderLine.Format(lines[p.Line].ID))
			}
			sum.Lines = append(sum.Lines, part)
		}
		list = append(list, sum)
	}
	return document.NewOrderTaxes(list)
}

// random returns an order of random items, rates and circumstances, and its seller.
func random(t testing.TB, r *rand.Rand) (sold, paper.Issuer) {
	by := seller()
	by.Language = state.Languages()[r.IntN(len(state.Languages()))]
	c := price.Cart{To: price.Place{Country: []string{"DE", "FR", "US"}[r.IntN(3)]}, Tax: price.Tax{
		Included: r.IntN(2) == 0, Shipping: []string{"standard", "reduced", "exempt"}[r.IntN(3)]}}
	for _, category := range []string{"standard", "reduced", "books"} {
		c.Tax.Rates = append(c.Tax.Rates, price.TaxRate{Country: "DE", Name: "VAT", Category: category,
			PerMillion: 5000 + r.Int64N(265_000), Relation: state.TaxReplaces, Shipping: r.IntN(4) > 0})
	}
	second := state.TaxBeside
	if r.IntN(2) == 0 {
		second = state.TaxUpon
	}
	twin := c.Tax.Rates[0] // with a name of its own
	twin.Name, twin.Category = "Own", "own"
	c.Tax.Rates = append(c.Tax.Rates, twin,
		price.TaxRate{Country: "FR", Name: "A", PerMillion: 50_000, Relation: state.TaxReplaces, Shipping: true},
		price.TaxRate{Country: "FR", Name: "B", PerMillion: r.Int64N(100_000), Relation: second, Shipping: true})
	for range 1 + r.IntN(8) {
		category := []string{"standard", "reduced", "books", "zero", "exempt", "own"}[r.IntN(6)]
		c.Lines = append(c.Lines, price.Line{UnitMinor: r.Int64N(20_000), Quantity: 1 + r.Int64N(9),
			Category: category, Digital: r.IntN(5) == 0})
	}
	if r.IntN(3) == 0 {
		c.Discount = price.AmountOff(r.Int64N(3000))
	}
	if r.IntN(3) > 0 {
		c.Shipping = price.Fixed(r.Int64N(900))
	}
	relief := r.IntN(5)
	c.Tax.Relieved = relief < 2
	o := order(t, c)
	o.Language = &by.Language
	switch {
	case relief == 0:
		o.TaxRelief, o.VatID = new(state.TaxReverseCharge), new("FR12345678901")
	case relief == 1:
		o.TaxRelief = new(state.TaxExemptBuyer)
	case r.IntN(4) == 0: // taxes that another system computed
		o.Taxes = nil
	}
	if by.VATID != "" && r.IntN(3) == 0 && o.TaxRelief == nil {
		by.VATID = ""
	}
	if o.PaidMinor = o.TotalMinor * int64(r.IntN(2)); o.PaidMinor > 0 {
		o.PaidAt = &o.PlacedAt
	}
	return o, by
}

// check compares the sums of an invoice with its lines and groups.
func check(t *testing.T, f *document.InvoiceFields, total int64) {
	t.Helper()
	groups := make([]document.TaxGroup, len(f.Groups))
	var net, tax int64
	for _, l := range append(slices.Clone(f.Lines), shipped(f)...) {
		groups[l.Group].NetMinor += l.NetMinor
		groups[l.Group].TaxMinor += l.TaxMinor
		net, tax = net+l.NetMinor, tax+l.TaxMinor
		if l.NetMinor < 0 || l.TaxMinor < 0 {
			t.Errorf("a line of %d with tax %d", l.NetMinor, l.TaxMinor)
		}
	}
	for i, g := range f.Groups {
		sum := int64(0)
		for _, p := range g.Taxes {
			sum += p.AmountMinor
		}
		if g.NetMinor != groups[i].NetMinor || g.TaxMinor != groups[i].TaxMinor || sum != g.TaxMinor {
			t.Errorf("group %+v of lines with %+v, taxes %d", g, groups[i], sum)
		}
	}
	if f.NetMinor != net || f.TaxMinor != tax || f.TotalMinor != net+tax || f.TotalMinor != total {
		t.Errorf("sums %d + %d = %d of lines with %d + %d, want %d", f.NetMinor, f.TaxMinor, f.TotalMinor, net, tax,
			total)
	}
}

func shipped(f *document.InvoiceFields) []document.InvoiceLine {
	if f.Shipping == nil {
		return nil
	}
	return []document.InvoiceLine{*f.Shipping}
}

// TestRandom: the sums of the invoices of random orders are those of the orders, and their credit notes
// add up to them. The flag -ubl names a folder for their files, which .ci/en16931 validates.
func TestRandom(t *testing.T) {
	folder, count := *ublFolder, 200
	if folder != "" {
		count = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		o, by := random(t, r)
		bill, err := paper.Compose(by, o.Order, o.lines)
		if err != nil {
			t.Fatal(err)
		}
		check(t, bill, o.TotalMinor)
		if want := o.TaxMinor + *o.IncludedTaxMinor; bill.TaxMinor != want {
			t.Errorf("tax %d, the order has %d", bill.TaxMinor, want)
		}
		all := []*document.InvoiceFields{bill}
		for _, refund := range refunds(r, o) {
			c := paper.Credit(by, "INV-1", bill, all[1:], refund)
			if c == nil {
				t.Fatalf("no credit note of %+v", refund)
			}
			check(t, c, refund.AmountMinor)
			all = append(all, c)
		}
		if rest := paper.Credit(by, "INV-1", bill, all[1:], paper.Refund{AmountMinor: o.TotalMinor}); rest != nil {
			check(t, rest, rest.TotalMinor)
			all = append(all, rest)
		}
		credited(t, bill, all[1:])
		for n, f := range all {
			save(t, folder, fmt.Sprintf("%d-%d.xml", i, n), f, n > 0)
		}
	}
}

// refunds returns random refunds of an order, of sums and of units, which leave some of it.
func refunds(r *rand.Rand, o sold) (list []paper.Refund) {
	left, earlier := o.TotalMinor, map[string]int64{}
	for range r.IntN(3) {
		l := o.lines[r.IntN(len(o.lines))]
		id, units := xid.OrderLine.Format(l.ID), 1+r.Int64N(l.Quantity)
		f := paper.Refund{Paid: true, Earlier: map[string]int64{id: earlier[id]},
			Lines:       []document.Line{{LineID: id, Quantity: units}},
			AmountMinor: price.Refund(l.TotalMinor, l.Quantity, earlier[id], units)}
		if r.IntN(2) == 0 {
			f.AmountMinor = r.Int64N(max(left, 1))
		}
		if f.AmountMinor == 0 || f.AmountMinor > left {
			continue
		}
		earlier[id] += units
		left -= f.AmountMinor
		list = append(list, f)
	}
	return list
}

// credited compares an invoice with the sum of all its credit notes.
func credited(t *testing.T, bill *document.InvoiceFields, all []*document.InvoiceFields) {
	t.Helper()
	groups := make([]document.TaxGroup, len(bill.Groups))
	for _, c := range all {
		for i, g := range c.Groups {
			groups[i].NetMinor += g.NetMinor
			groups[i].TaxMinor += g.TaxMinor
		}
	}
	for i, g := range bill.Groups {
		if g.NetMinor != groups[i].NetMinor || g.TaxMinor != groups[i].TaxMinor {
			t.Errorf("credited %+v of a group of %+v", groups[i], g)
		}
	}
}

// save writes an invoice as XML, which must be well-formed.
func save(t *testing.T, folder, name string, f *document.InvoiceFields, credit bool) {
	t.Helper()
	body, err := paper.UBL(paper.Identity{Number: "INV-1", Currency: "EUR", Credit: credit}, f)
	if err != nil && strings.Contains(err.Error(), "below 0.5 %") {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(string(body)))
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("%s: %v", name, err)
	}
	if folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCategories: how lines are taxed follows from the order, the seller and the place.
func TestCategories(t *testing.T) {
	one := price.Cart{Lines: []price.Line{{UnitMinor: 1000, Quantity: 1}}, To: price.Place{Country: "DE"}}
	taxed := one
	taxed.Tax.Rates = []price.TaxRate{{Country: "DE", Name: "VAT", PerMillion: 190_000}}
	abroad := one
	abroad.To.Country = "US"
	twice := one
	twice.Tax.Rates = []price.TaxRate{{Country: "DE", Name: "A", PerMillion: 50_000},
		{Country: "DE", Name: "B", PerMillion: 99_750, Relation: state.TaxUpon}}
	private := seller()
	private.VATID = ""
	for name, tc := range map[string]struct {
		cart           price.Cart
		by             paper.Issuer
		relief         *state.TaxRelief
		category, rate string
	}{
		"taxed":          {cart: taxed, by: seller(), category: paper.Standard, rate: "19"},
		"a tax upon one": {cart: twice, by: seller(), category: paper.Standard, rate: "15.47375"},
		"reverse charge": {cart: one, by: seller(), relief: new(state.TaxReverseCharge),
			category: paper.ReverseCharge, rate: "0"},
		"exempt customer": {cart: one, by: seller(), relief: new(state.TaxExemptBuyer), category: paper.Exempt,
			rate: "0"},
		"export":    {cart: abroad, by: seller(), category: paper.Export, rate: "0"},
		"no rate":   {cart: one, by: seller(), category: paper.Exempt, rate: "0"},
		"no VAT id": {cart: one, by: private, category: paper.NotSubject, rate: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			o := order(t, tc.cart)
			o.TaxRelief = tc.relief
			f, err := paper.Compose(tc.by, o.Order, o.lines)
			if err != nil {
				t.Fatal(err)
			}
			if g := f.Groups[0]; len(f.Groups) != 1 || g.Category != tc.category || g.Rate != tc.rate {
				t.Errorf("got %+v", f.Groups)
			}
		})
	}
}

// TestUnnamedTaxes: where an order has only the sum of a line's taxes, its rate is the simplest that
// explains them, and lines of one rate are one group.
func TestUnnamedTaxes(t *testing.T) {
	for name, tc := range map[string]struct {
		lines [][3]int64 // unit price, quantity and tax
		rates []string
	}{
		"two rates": {lines: [][3]int64{{1000, 1, 190}, {999, 3, 210}, {5, 1, 1}},
			rates: []string{"19", "7", "19"}},
		"rounded by unit":     {lines: [][3]int64{{333, 9, 567}, {10_000, 1, 1900}}, rates: []string{"19", "19"}},
		"decimals":            {lines: [][3]int64{{100_000, 1, 8875}}, rates: []string{"8.875"}},
		"no tax, and too low": {lines: [][3]int64{{1000, 1, 0}, {1_000_000, 1, 1}}, rates: []string{"0", "0.0001"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := price.Cart{To: price.Place{Country: "DE"}}
			for _, l := range tc.lines {
				c.Lines = append(c.Lines, price.Line{UnitMinor: l[0], Quantity: l[1]})
			}
			o := order(t, c)
			o.Taxes = nil
			for i, l := range tc.lines {
				o.lines[i].TaxMinor = l[2]
			}
			f, err := paper.Compose(seller(), o.Order, o.lines)
			if err != nil {
				t.Fatal(err)
			}
			var rates []string
			for _, l := range f.Lines {
				rates = append(rates, f.Groups[l.Group].Rate)
			}
			if diff := cmp.Diff(tc.rates, rates); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUnits: a credit note names the refunded units if the refund is what they cost.
func TestUnits(t *testing.T) {
	o := order(t, price.Cart{To: price.Place{Country: "DE"}, Lines: []price.Line{{UnitMinor: 1190, Quantity: 3}},
		Tax: price.Tax{Included: true, Rates: []price.TaxRate{{Country: "DE", Name: "VAT", PerMillion: 190_000}}}})
	bill, err := paper.Compose(seller(), o.Order, o.lines)
	if err != nil {
		t.Fatal(err)
	}
	lines := []document.Line{{LineID: xid.OrderLine.Format(o.lines[0].ID), Quantity: 2}}
	for amount, want := range map[int64][]document.InvoiceLine{
		2380: {{LineID: lines[0].LineID, Title: "Thing 0", SKU: "T-1", Quantity: 2, UnitMinor: 1190, AmountMinor: 2380,
			NetMinor: 2000, TaxMinor: 380}},
		1000: {{Title: "Teil der Rechnung INV-1", Quantity: 1, UnitMinor: 1000, AmountMinor: 1000, NetMinor: 840,
			TaxMinor: 160}},
	} {
		c := paper.Credit(seller(), "INV-1", bill, nil, paper.Refund{AmountMinor: amount, Lines: lines, Paid: true})
		if diff := cmp.Diff(want, c.Lines); diff != "" || c.PaidMinor != amount || c.Invoice != "INV-1" {
			t.Errorf("%d (-want +got):\n%s\n%+v", amount, diff, c)
		}
	}
}

// TestUBLRefuses: an invoice that the rules refuse has no file, and the answer says what it lacks.
func TestUBLRefuses(t *testing.T) {
	o := order(t, price.Cart{To: price.Place{Country: "DE"}, Lines: []price.Line{{UnitMinor: 1190, Quantity: 3}},
		Tax: price.Tax{Rates: []price.TaxRate{{Country: "DE", Name: "VAT", PerMillion: 190_000}}}})
	for want, change := range map[string]func(*document.InvoiceFields, *paper.Identity){
		"two decimals": func(_ *document.InvoiceFields, id *paper.Identity) { id.Currency = "KWD" },
		"address":      func(f *document.InvoiceFields, _ *paper.Identity) { f.Buyer.Address = nil },
		"name of the buyer": func(f *document.InvoiceFields, _ *paper.Identity) {
			f.Buyer.Name, f.Buyer.Email = "", ""
		},
		"below 0.5 %": func(f *document.InvoiceFields, _ *paper.Identity) {
			f.Groups[0].Rate, f.Groups[0].TaxMinor = "0.49", 50
		},
		"or registration": func(f *document.InvoiceFields, _ *paper.Identity) { f.Seller = document.Party{} },
		"VAT ID or tax number": func(f *document.InvoiceFields, _ *paper.Identity) {
			f.Seller.VATID, f.Seller.TaxNumber = "", ""
		},
	} {
		f, err := paper.Compose(seller(), o.Order, o.lines)
		if err != nil {
			t.Fatal(err)
		}
		id := paper.Identity{Number: "INV-1", Currency: "EUR"}
		change(f, &id)
		_, err = paper.UBL(id, f)
		if !fault.IsState(err, fault.InvalidTransition) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
