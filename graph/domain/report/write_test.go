package report_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/model"
)

// setTaxes sets stacked and fractional taxes, which prices include or not.
func setTaxes(t *testing.T, p *graphtest.Shop, version int64, included bool) {
	t.Helper()
	rate := func(country string, region *string, name, rate, category string, r state.TaxRelation) *model.TaxRateInput {
		return &model.TaxRateInput{Country: country, Region: region, Name: name, Rate: &rate, Category: category,
			Relation: r, Shipping: true}
	}
	graphtest.Must[*model.TaxSettingsPayload](t)(p.Mutation().TaxSettingsUpdate(p.Ctx, version, model.TaxSettingsInput{
		PricesIncludeTax: included, Rates: []*model.TaxRateInput{
			rate("DE", nil, "MwSt.", "19", state.TaxStandard, state.TaxReplaces),
			rate("DE", nil, "MwSt.", "7", "reduced", state.TaxReplaces),
			rate("CA", nil, "GST", "5", state.TaxStandard, state.TaxReplaces),
			rate("CA", new("QC"), "QST", "9.975", state.TaxStandard, state.TaxBeside),
		}}))
}

// trade creates random orders of the last 20 days, and cancels and refunds some of them.
func trade(t *testing.T, p *graphtest.Shop, random *rand.Rand, n int) {
	t.Helper()
	var goods []*db.Product
	for i, category := range []string{state.TaxStandard, "reduced", state.TaxExempt} {
		goods = append(goods, graphtest.NewProduct(t, p.Ctx, p.Resolver, model.ProductCreateInput{
			Title: category, PriceMinor: int64(333 + 1111*i), Currency: "EUR", TaxCategory: &category,
			InventoryQuantity: new(int64(1000))}))
	}
	m, places := p.Mutation(), []*model.AddressInput{
		{Line1: "Weg 1", City: "Ulm", Country: "DE"},
		{Line1: "Rue 1", City: "Laval", Region: new("Quebec"), Country: "CA"},
		{Line1: "Street 1", City: "Bern", Country: "CH"}}
	for i := range n {
		if i%(n/2) == 0 {
			setTaxes(t, p, int64(i/(n/2)), i == 0)
		}
		in := model.OrderCreateInput{Source: "test", ShippingAddress: places[random.IntN(len(places))],
			Pricing: &model.OrderPricingInput{DiscountMinor: new(random.Int64N(400)),
				ShippingMinor: new(random.Int64N(900))}}
		for range 1 + random.IntN(3) {
			in.Lines = append(in.Lines, graphtest.ProductLine(goods[random.IntN(len(goods))], 1+random.Int64N(4)))
		}
		if random.IntN(3) > 0 {
			in.PlacedAt = new(micros.Now().Add(-time.Duration(random.IntN(20*24)) * time.Hour))
		}
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(p.Ctx, in)).Order
		step := func(s graphtest.Step) {
			o = graphtest.Must[*model.OrderPayload](t)(s(p.Ctx, m, o)).Order
		}
		switch random.IntN(5) {
		case 0: // never paid
			step(graphtest.Steps["cancel"])
		case 1: // refunded in parts, and then as a whole
			step(graphtest.Steps["mark_paid"])
			step(graphtest.Refund(1+random.Int64N(o.TotalMinor/2), 0, false))
			step(graphtest.Refund(1+random.Int64N(o.TotalMinor/4), 1, false))
			step(graphtest.Refund(o.TotalMinor-o.RefundedMinor, 0, false))
		case 2: // a line is returned
			step(graphtest.Steps["mark_paid"])
			if worth := o.Lines[0].TotalMinor; worth > 0 {
				step(graphtest.Refund(worth, o.Lines[0].Quantity, false))
			}
		case 3: // canceled when a part was paid: the rest counts as refunded on the day of the order
			if in.PlacedAt != nil {
				break
			}
			step(graphtest.Pay(1 + random.Int64N(o.TotalMinor)))
			step(graphtest.Steps["cancel"])
			step(graphtest.Refund(o.PaidMinor, 0, false))
		case 4:
			step(graphtest.Steps["mark_paid"])
		}
	}
}

// taxID names a row of taxes.
func taxID(country, region, name, rate string) string {
	return fmt.Sprint(country, " ", region, " ", name, " ", rate)
}

// books are the sums of a period, added up from the orders one by one.
type books struct {
	orders, total, refunded, before int64
	products                        map[string][2]int64 // quantity and total
	taxes                           map[string][4]int64
}

// readBooks adds up what was sold since a time. Of each order, everything or whole lines were refunded.
func readBooks(t *testing.T, p *graphtest.Shop, since, before micros.Time) books {
	t.Helper()
	b := books{products: map[string][2]int64{}, taxes: map[string][4]int64{}}
	for _, o := range p.Client(p.Ctx).Order.Query().AllX(p.Ctx) {
		if o.Status == state.OrderCancelled && o.PaidMinor == 0 {
			continue
		}
		when := o.ID.Time()
		if when >= before && when < since {
			b.before += o.TotalMinor
		}
		shown := graphtest.Must[*model.Order](t)(p.Query().Order(p.Ctx, o.PublicID()))
		sold, whole := when >= since, o.RefundedMinor == o.TotalMinor || o.Status == state.OrderCancelled
		if sold {
			b.orders++
			b.total += o.TotalMinor
		}
		b.refunded += o.RefundedMinor
		if o.Status == state.OrderCancelled && sold {
			b.refunded += o.TotalMinor - o.PaidMinor
		}
		taxed := map[string]bool{}
		for _, line := range shown.Lines {
			if row := b.products[*line.PublicProductID()]; sold {
				b.products[*line.PublicProductID()] = [2]int64{row[0] + line.Quantity, row[1] + line.TotalMinor}
			}
		}
		place, region := o.ShippingAddress, ""
		address, _ := place.Fields()
		if address.Region != nil {
			region = country.Key(address.Country, *address.Region)
		}
		add := func(key string, line *string, base, amount int64) {
			row := b.taxes[key]
			if sold {
				row[0], row[1] = row[0]+base, row[1]+amount
			}
			back := whole || o.RefundedMinor > 0 && line != nil && *line == shown.Lines[0].PublicID()
			if back {
				row[2], row[3] = row[2]+base, row[3]+amount
			}
			b.taxes[key] = row
		}
		taxes, _ := o.Taxes.List()
		for _, x := range taxes {
			for _, part := range x.Lines {
				id := ""
				if part.LineID != nil {
					id = *part.LineID
				}
				taxed[id] = true
				add(taxID(address.Country, region, x.Name, x.Rate), part.LineID, part.BaseMinor, part.AmountMinor)
			}
		}
		for _, line := range shown.Lines {
			if id := line.PublicID(); !taxed[id] {
				add(taxID(address.Country, region, "", ""), &id, line.TotalMinor, 0)
			}
		}
		if !taxed[""] {
			add(taxID(address.Country, region, "", ""), nil, o.ShippingMinor, 0)
		}
	}
	return b
}

// berlin returns a day in the store's time zone, some days ago, and the time when it begins.
func berlin(t testing.TB, ago int) (string, micros.Time) {
	t.Helper()
	zone := graphtest.Must[*time.Location](t)(time.LoadLocation("Europe/Berlin"))
	y, m, d := time.Now().In(zone).AddDate(0, 0, -ago).Date()
	at := time.Date(y, m, d, 0, 0, 0, 0, zone)
	return at.Format(time.DateOnly), micros.Of(at)
}

// newReport creates a report of the days from and to some days ago, and computes it.
func newReport(t testing.TB, p *graphtest.Shop, from, to int) *model.ReportResult {
	t.Helper()
	first, _ := berlin(t, from)
	last, _ := berlin(t, to)
	made := graphtest.Must[*model.ReportPayload](t)(p.Mutation().ReportCreate(p.Ctx,
		model.ReportCreateInput{FirstDay: first, LastDay: last})).Report
	if n := graphtest.Must[int](t)(p.WriteReports(t.Context())); n != 1 {
		t.Fatalf("%d reports are computed", n)
	}
	shown := graphtest.Must[*model.Report](t)(p.Query().Report(p.Ctx, made.PublicID()))
	if shown.Status != state.ReportCompleted {
		t.Fatalf("the report is %s", shown.Status)
	}
	return shown.Result
}

// A report adds up to the orders, their taxes and their refunds, to the smallest unit.
func TestReportAddsUp(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		graphtest.Must[*model.InvoiceSettingsPayload](t)(p.Mutation().InvoiceSettingsUpdate(p.Ctx, 0,
			model.InvoiceSettingsInput{Issue: state.InvoicePlaced, Name: "Mugs Ltd", InvoicePrefix: "R-",
				CreditPrefix: "G-", Address: &model.AddressInput{Line1: "1 Road", City: "Berlin", Country: "DE"}}))
		trade(t, p, rand.New(rand.NewPCG(7, 42)), 80)
		_, since := berlin(t, 8)
		_, before := berlin(t, 17)
		want, got := readBooks(t, p, since, before), newReport(t, p, 8, 0)
		sums := got.Sums
		if [4]int64{sums.Orders, sums.TotalMinor, sums.RefundedMinor, got.Before.TotalMinor} !=
			[4]int64{want.orders, want.total, want.refunded, want.before} {
			t.Errorf("the sums are %+v and %+v, want %+v", *sums, *got.Before, want)
		}
		taxes := map[string][4]int64{}
		for _, r := range got.Taxes {
			key := taxID(r.Country, r.Region, r.Name, r.Rate)
			old := taxes[key]
			taxes[key] = [4]int64{old[0] + r.BaseMinor, old[1] + r.TaxMinor, old[2] + r.RefundedBaseMinor,
				old[3] + r.RefundedTaxMinor}
		}
		none := func(_ string, sums [4]int64) bool { return sums == [4]int64{} }
		for _, m := range []map[string][4]int64{taxes, want.taxes} {
			for key, sums := range m {
				if none(key, sums) {
					delete(m, key)
				}
			}
		}
		if d := cmp.Diff(want.taxes, taxes); d != "" || len(taxes) < 6 {
			t.Errorf("taxes (-orders +report):\n%s", d)
		}
		products := map[string][2]int64{}
		var back int64
		for _, r := range got.Products {
			back += r.RefundedMinor
			if r.Quantity > 0 {
				products[*r.ID] = [2]int64{r.Quantity, r.TotalMinor}
			}
		}
		if d := cmp.Diff(want.products, products); d != "" || back > sums.RefundedMinor || back == 0 {
			t.Errorf("%d refunded of products (-orders +report):\n%s", back, d)
		}
		compareInvoices(t, p)
		var days, countries, refunded model.ReportRow
		for _, d := range got.Days {
			days.Orders, days.TotalMinor = days.Orders+d.Orders, days.TotalMinor+d.TotalMinor
			days.RefundedMinor += d.RefundedMinor
		}
		for _, r := range got.Countries {
			countries.Orders, countries.TotalMinor = countries.Orders+r.Orders, countries.TotalMinor+r.TotalMinor
			countries.RefundedMinor += r.RefundedMinor
		}
		refunded = model.ReportRow{Orders: sums.Orders, TotalMinor: sums.TotalMinor, RefundedMinor: sums.RefundedMinor}
		if days != refunded || countries != refunded {
			t.Errorf("days %+v and countries %+v, want %+v", days, countries, refunded)
		}
	})
}

// An edit that gives a part of the payment back makes the sale smaller, and is no refund.
func TestReportOfSmallerOrder(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		done := graphtest.Must[*model.OrderPayload](t)
		o := done(p.Mutation().OrderCreate(p.Ctx, model.OrderCreateInput{Source: "test", Lines: []*model.OrderLineInput{
			graphtest.CustomLine("Cup", 3, 50)}, Pricing: &model.OrderPricingInput{}})).Order
		o = done(p.Mutation().OrderMarkPaid(p.Ctx, o.PublicID(), o.Version, nil, nil)).Order
		done(p.Mutation().OrderEditLines(p.Ctx, o.PublicID(), o.Version, model.OrderLinesInput{Refund: true,
			Lines: []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1}}}))
		sums := newReport(t, p, 0, 0).Sums
		if sums.Orders != 1 || sums.TotalMinor != 50 || sums.RefundedMinor != 0 {
			t.Errorf("the sums are %+v", *sums)
		}
	})
}

// Many orders and refunds are read in batches. Refunds count on their own day, also those of orders from
// before the report.
func TestReportBatches(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, today := berlin(t, 0)
		_, yesterday := berlin(t, 1)
		_, earlier := berlin(t, 2)
		const n = 1003
		ids := graphtest.Plant(t, p.Ctx, p.Resolver, n, func(i int, o *db.OrderCreate) xid.ID {
			o.SetSubtotalMinor(0).SetShippingMinor(10).SetTotalMinor(10).SetPaidMinor(10)
			return xid.At(earlier.Add(time.Duration(i) * 2 * time.Minute))
		})
		var want [4]int64 // orders and refunds of yesterday, and of the day before
		count := func(at micros.Time, kind int) {
			switch {
			case at >= yesterday && at < today:
				want[kind]++
			case at >= earlier && at < yesterday:
				want[2+kind]++
			}
		}
		p.PlantMany(t, n, func(ctx context.Context, c *db.Client, rows []int) error {
			var refunds []*db.PaymentCreate
			for _, i := range rows {
				back := ids[i].Time().Add(12 * time.Hour)
				count(ids[i].Time(), 0)
				count(back, 1)
				refunds = append(refunds, c.Payment.Create().SetID(xid.At(back)).SetOrderID(ids[i]).
					SetKind(state.LedgerRefund).SetAmountMinor(1).SetCurrency("EUR").SetLines(document.NewLines(nil)))
			}
			return c.Payment.CreateBulk(refunds...).Exec(ctx)
		})
		got := newReport(t, p, 1, 1)
		is := [4]int64{got.Sums.Orders, got.Sums.RefundedMinor, got.Before.Orders, got.Before.RefundedMinor}
		if is != want || want[1] < 600 || want[2] < 600 || got.Countries[0].RefundedMinor != want[1] {
			t.Errorf("orders and refunds are %v, want %v", is, want)
		}
	})
}

// The refunds of an order add up to it, however they are divided, and so does their tax. Units of a line
// are worth their share of it.
func TestRefundParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := report.RandomSale(random)
		left := s.Total()
		for left > 0 {
			amount, units := 1+random.Int64N(left), random.Int64N(3)
			if random.IntN(4) == 0 {
				amount = left
			}
			worth := s.Worth(0, units)
			if random.IntN(2) == 0 && worth > 0 && worth <= left {
				amount = worth
			}
			parts := s.Refund(0, units, amount)
			var sum int64
			for _, n := range parts {
				sum += n
			}
			if sum != amount || amount == worth && parts[0] != worth {
				t.Fatalf("%d of %v for %d units, worth %d, gives %v", amount, s, units, worth, parts)
			}
			left -= amount
		}
		if tax, back := s.Tax(); tax != back {
			t.Fatalf("of a tax of %d, %d is refunded", tax, back)
		}
	}
}

// A report that cannot be computed is tried again later, and fails in the end.
func TestReportFails(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		made := graphtest.Must[*model.ReportPayload](t)(p.Mutation().ReportCreate(p.Ctx,
			model.ReportCreateInput{FirstDay: "2024-01-01", LastDay: "2024-01-31"})).Report
		change := func(set string) {
			t.Helper()
			p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
				_, err := c.ExecContext(ctx, "UPDATE reports SET "+set+" WHERE store_id = ?", p.Model.ID)
				return err
			})
		}
		change("timezone = 'Nowhere'")
		for try := 1; try <= 5; try++ {
			want := state.ReportQueued
			if try == 5 {
				want = state.ReportFailed
			}
			if _, err := p.WriteReports(t.Context()); err == nil {
				t.Errorf("try %d: no error", try)
			}
			shown := graphtest.Must[*model.Report](t)(p.Query().Report(p.Ctx, made.PublicID()))
			if shown.Status != want || shown.Tries != try {
				t.Errorf("try %d: %s after %d tries", try, shown.Status, shown.Tries)
			}
			if n, err := p.WriteReports(t.Context()); n != 0 || err != nil {
				t.Errorf("try %d: it does not wait: %d, %v", try, n, err)
			}
			if want == state.ReportQueued {
				change("due_at = 0")
			}
		}
	})
}

// The stock is worth its prices and its cost, of variants where there are any, in each currency;
// conversion counts carts.
func TestReportStock(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		shirt := graphtest.Shirt()
		want := []*model.ReportStock{
			{Name: "Total", Currency: "EUR", Quantity: 4, ValueMinor: 1000, UncostedQuantity: 4},
			{Name: "Total", Currency: "CHF", Quantity: 3, ValueMinor: 600, CostMinor: 450},
		}
		for i, v := range shirt.Variants {
			v.InventoryQuantity, v.PriceMinor = new(int64(i+1)), int64(1000+i)
			v.CostMinor = model.Some(int64(300))
			want[0].Quantity += *v.InventoryQuantity
			want[0].ValueMinor += *v.InventoryQuantity * v.PriceMinor
			want[0].CostMinor += *v.InventoryQuantity * 300
		}
		graphtest.NewProduct(t, p.Ctx, p.Resolver, model.ProductCreateInput{Title: "Abroad", PriceMinor: 200,
			Currency: "CHF", InventoryQuantity: new(int64(3)), CostMinor: new(int64(150))})
		graphtest.NewProduct(t, p.Ctx, p.Resolver, shirt)
		graphtest.NewStockedProduct(t, p.Ctx, p.Resolver, 250, 4)
		graphtest.NewStockedProduct(t, p.Ctx, p.Resolver, 250)
		got := newReport(t, p, 0, 0)
		d := cmp.Diff(want, got.StockTotals)
		if d != "" || len(got.Stock) != 3 || *got.Conversion != (model.Conversion{}) {
			t.Errorf("%d rows, conversion %+v, stock (-want +got):\n%s", len(got.Stock), got.Conversion, d)
		}
	})
}

// Reports have bounds, and stores see their own.
func TestReportCreate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		for _, tc := range []struct{ first, last, field string }{
			{"2026-01-02", "2026-01-01", "#/last_day"}, {"2026-01-01", "2027-01-02", "#/last_day"},
			{"1999-12-31", "2000-01-01", "#/first_day"}, {"2026-02-30", "2026-03-01", "#/first_day"},
			{"", "2026-03-01T00:00:00Z", "#/first_day"},
		} {
			_, err := p.Mutation().ReportCreate(p.Ctx, model.ReportCreateInput{FirstDay: tc.first, LastDay: tc.last})
			if f := faultOf(t, err); f.Kind != fault.ValidationFailed || f.Fields[0].Pointer != tc.field {
				t.Errorf("%s to %s: %v", tc.first, tc.last, err)
			}
		}
		in := model.ReportCreateInput{FirstDay: "2024-01-01", LastDay: "2024-12-31"}
		create := func(ctx context.Context) (*model.ReportPayload, error) { return p.Mutation().ReportCreate(ctx, in) }
		var ids []string
		for round := range 8 {
			for range 3 {
				ids = append(ids, graphtest.Must[*model.ReportPayload](t)(create(p.Ctx)).Report.PublicID())
			}
			if _, err := create(p.Ctx); faultOf(t, err).Kind != fault.LimitReached {
				t.Errorf("a fourth report that waits: %v", err)
			}
			if n, err := p.WriteReports(t.Context()); err != nil || n != 3 {
				t.Fatalf("round %d: %d reports, %v", round, n, err)
			}
		}
		kept := graphtest.Must[[]*model.Report](t)(p.Query().Reports(p.Ctx))
		if newest := kept[0]; newest.PublicID() != ids[len(ids)-1] || newest.Result != nil ||
			newest.Status != state.ReportCompleted || newest.FirstDay != in.FirstDay {
			t.Errorf("the newest report is %+v", newest)
		}
		if n, err := p.WriteReports(t.Context()); err != nil || n != 0 || len(kept) != 20 {
			t.Errorf("%d reports are kept, %d computed again, %v", len(kept), n, err)
		}
		other := p.Other(t)
		for _, id := range []string{ids[0], xid.Report.Format(xid.New()), "rep_1"} {
			if _, err := p.Query().Report(p.Ctx, id); faultOf(t, err).Kind != fault.NotFound {
				t.Errorf("%s: %v", id, err)
			}
		}
		if _, err := other.Query().Report(other.Ctx, slices.Max(ids)); faultOf(t, err).Kind != fault.NotFound {
			t.Errorf("another store reads a report: %v", err)
		}
		if n := len(graphtest.Must[[]*model.Report](t)(other.Query().Reports(other.Ctx))); n != 0 {
			t.Errorf("another store has %d reports", n)
		}
	})
}

// A process that dies leaves the report to another one, whose result stays.
func TestReportOfKilledProcess(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		made := graphtest.Must[*model.ReportPayload](t)(p.Mutation().ReportCreate(p.Ctx,
			model.ReportCreateInput{FirstDay: "2024-01-01", LastDay: "2024-01-31"})).Report
		dead, cancel := context.WithCancel(t.Context())
		cancel()
		if n, err := p.WriteReports(dead); err == nil || n != 0 {
			t.Errorf("%d reports without a connection, %v", n, err)
		}
		if n, err := p.WriteReports(t.Context()); err != nil || n != 1 {
			t.Errorf("%d reports, %v", n, err)
		}
		shown := graphtest.Must[*model.Report](t)(p.Query().Report(p.Ctx, made.PublicID()))
		if shown.Result == nil || len(shown.Result.Days) != 31 || shown.CompletedAt == nil {
			t.Errorf("the report is %+v", shown)
		}
	})
}
