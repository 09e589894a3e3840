package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	dbpayment "github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// tallyBatch is how many rows are read at once.
	tallyBatch = 500
	// maxGroups is how many rows of each kind are counted apart, and maxRows how many are shown.
	maxGroups, maxRows = 20_000, 1000
)

var errTooLarge = errors.New("a sum of the report is above the largest amount")

// tally adds up a report. It reads rows in batches, outside of a transaction: orders and refunds of
// the past do not change what they add.
type tally struct {
	*Resolver
	sum
	row                  *db.Report
	days                 []day
	before, first, end   micros.Time
	result               model.ReportResult
	products, variants   groups
	discounts, countries groups
	taxes                map[taxKey]*model.ReportTax
}

type groups map[string]*model.ReportRow

func (r *Resolver) newTally(row *db.Report) (*tally, error) {
	days, before, err := periodOf(row)
	if err != nil {
		return nil, fmt.Errorf("read the period: %w", err)
	}
	t := &tally{Resolver: r, row: row, days: days, before: before, first: days[0].first,
		end: min(days[len(days)-1].end, row.ID.Time()), products: groups{}, variants: groups{}, discounts: groups{},
		countries: groups{}, taxes: map[taxKey]*model.ReportTax{}}
	t.result = model.ReportResult{Sums: &model.ReportSums{}, Before: &model.ReportSums{},
		StockTotals: []*model.ReportStock{}}
	t.result.Days = core.Map(days, func(d day) *model.ReportDay { return &model.ReportDay{Date: d.date} })
	return t, nil
}

// read reads everything that the report counts.
func (t *tally) read(ctx context.Context) error {
	for _, f := range []func(context.Context) error{t.orders, t.refunds, t.stock, t.carts} {
		if err := f(ctx); err != nil {
			return err
		}
		if t.large {
			return errTooLarge
		}
	}
	return nil
}

// next renews the claim of the report after a batch.
func (t *tally) next(ctx context.Context) error {
	return t.reportQueue().Delay(ctx, t.row.StoreID, t.row.ID, t.row.Tries, reportLease)
}

// batch returns the modifiers of a query for the next rows of the period.
func batch(s *sql.Selector) { s.OrderBy(s.C("id")).Limit(tallyBatch) }

func (t *tally) orders(ctx context.Context) error {
	for at, more := order.IDGTE(xid.First(t.before)), true; more; {
		query := t.Client(ctx).Order.Query().Where(at, order.IDLT(xid.First(t.end)))
		query.Modify(ent.ForceIndex(ent.Primary), batch)
		rows, err := query.Load(ctx)
		if err != nil {
			return fmt.Errorf("read orders: %w", err)
		}
		if more = len(rows) == tallyBatch; more {
			at = order.IDGT(rows[len(rows)-1].ID)
		}
		rows = slices.DeleteFunc(rows, func(o *db.Order) bool { return !counts(o) || o.Currency != t.row.Currency })
		past := sort.Search(len(rows), func(i int) bool { return rows[i].ID.Time() >= t.first })
		for _, o := range rows[:past] {
			t.addSums(t.result.Before, o)
		}
		if err := t.sales(ctx, rows[past:], t.addSale); err != nil {
			return err
		}
		canceled := core.IDs(rows[past:], func(o *db.Order) *xid.ID {
			if unpaid(o) == 0 {
				return nil
			}
			return &o.ID
		})
		if err := t.refunded(ctx, canceled, func(id xid.ID) bool { return id == xid.Nil }); err != nil {
			return err
		}
		if err := t.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sales calls f for orders with their lines.
func (t *tally) sales(ctx context.Context, rows []*db.Order, f func(*sale) error) error {
	lines, rest, err := lineset.OfAll(rows)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		query := t.Client(ctx).OrderLine.Query().Where(orderline.OrderIDIn(rest...)).
			Order(orderline.ByOrderID(), orderline.ByPosition())
		query.Modify(ent.ForceIndex(ent.Primary))
		more, err := query.Load(ctx)
		if err != nil {
			return fmt.Errorf("read lines: %w", err)
		}
		lines = append(lines, more...)
	}
	of := map[xid.ID][]*db.OrderLine{}
	for _, l := range lines {
		of[l.OrderID] = append(of[l.OrderID], l)
	}
	for _, o := range rows {
		s, err := newSale(o, of[o.ID])
		if err == nil {
			err = f(s)
		}
		if err != nil {
			return fmt.Errorf("count %s: %w", o.PublicID(), err)
		}
	}
	return nil
}

// addSums adds an order to the sums of a period.
func (t *tally) addSums(to *model.ReportSums, o *db.Order) {
	to.Orders++
	t.add(&to.GrossMinor, o.SubtotalMinor)
	t.add(&to.DiscountMinor, o.DiscountMinor)
	t.add(&to.ShippingMinor, o.ShippingMinor)
	t.add(&to.TaxMinor, o.TaxMinor)
	t.add(&to.TotalMinor, o.TotalMinor)
	t.add(&to.RefundedMinor, unpaid(o))
}

// dayOf returns the day of a time in the period.
func (t *tally) dayOf(at micros.Time) *model.ReportDay {
	return t.result.Days[sort.Search(len(t.days), func(i int) bool { return t.days[i].end > at })]
}

func (t *tally) addSale(s *sale) error {
	t.addSums(t.result.Sums, s.Order)
	d := t.dayOf(s.ID.Time())
	d.Orders++
	t.add(&d.TotalMinor, s.TotalMinor)
	seen := map[*model.ReportRow]bool{}
	for _, x := range s.taxes(s.bill) {
		row := t.tax(x.taxKey)
		t.add(&row.BaseMinor, x.base)
		t.add(&row.TaxMinor, x.tax)
	}
	for _, it := range s.items[:len(s.items)-1] {
		for _, row := range []*model.ReportRow{t.product(it.line), t.variant(it.line)} {
			if !seen[row] {
				seen[row] = true
				row.Orders++
			}
			row.Quantity += it.line.Quantity
			t.add(&row.GrossMinor, it.line.TotalMinor-it.line.TaxMinor+it.line.DiscountMinor)
			t.add(&row.DiscountMinor, it.line.DiscountMinor)
			t.add(&row.TaxMinor, it.line.TaxMinor)
			t.add(&row.TotalMinor, it.line.TotalMinor)
		}
	}
	for _, row := range t.ofOrder(s) {
		row.Orders++
		for _, it := range s.items[:len(s.items)-1] {
			row.Quantity += it.line.Quantity
		}
		t.add(&row.GrossMinor, s.SubtotalMinor)
		t.add(&row.DiscountMinor, s.DiscountMinor)
		t.add(&row.TaxMinor, s.TaxMinor)
		t.add(&row.TotalMinor, s.TotalMinor)
	}
	return nil
}

// addRefund adds a refund on a day of the period.
func (t *tally) addRefund(s *sale, r refund, d *model.ReportDay) {
	for _, p := range r.parts {
		t.add(&d.RefundedMinor, p.minor)
		rows := t.ofOrder(s)
		if p.line != nil {
			rows = append(rows, t.product(p.line), t.variant(p.line))
		}
		for _, row := range rows {
			row.RefundedQuantity += p.quantity
			t.add(&row.RefundedMinor, p.minor)
		}
	}
	for _, x := range r.taxes {
		if x.base != 0 || x.tax != 0 {
			row := t.tax(x.taxKey)
			t.add(&row.RefundedBaseMinor, x.base)
			t.add(&row.RefundedTaxMinor, x.tax)
		}
	}
}

func (t *tally) refunds(ctx context.Context) error {
	for at, more := dbpayment.IDGTE(xid.First(t.before)), true; more; {
		query := t.Client(ctx).Payment.Query().Where(at, dbpayment.IDLT(xid.First(t.end)),
			dbpayment.KindEQ(state.LedgerRefund))
		query.Modify(ent.ForceIndex(ent.Primary), batch)
		rows, err := query.Load(ctx)
		if err != nil {
			return fmt.Errorf("read refunds: %w", err)
		}
		if more = len(rows) == tallyBatch; more {
			at = dbpayment.IDGT(rows[len(rows)-1].ID)
		}
		own := map[xid.ID]bool{}
		var orders []xid.ID
		for _, p := range rows {
			switch {
			case p.Currency != t.row.Currency:
			case p.ID.Time() < t.first:
				t.add(&t.result.Before.RefundedMinor, p.AmountMinor)
			default:
				t.add(&t.result.Sums.RefundedMinor, p.AmountMinor)
				own[p.ID], orders = true, append(orders, p.OrderID)
			}
		}
		if err := t.refunded(ctx, orders, func(id xid.ID) bool { return own[id] }); err != nil {
			return err
		}
		if err := t.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refunded adds those refunds of orders that own chooses by their id; what a canceled order was never
// paid has none. Earlier refunds of an order decide what is left of it, so they are divided as well.
func (t *tally) refunded(ctx context.Context, ids []xid.ID, own func(xid.ID) bool) error {
	if len(ids) == 0 {
		return nil
	}
	ledger, err := t.Client(ctx).Payment.Query().Where(dbpayment.OrderIDIn(ids...),
		dbpayment.KindEQ(state.LedgerRefund)).Order(dbpayment.ByID()).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the refunds of orders: %w", err)
	}
	of := map[xid.ID][]*db.Payment{}
	for _, p := range ledger {
		of[p.OrderID] = append(of[p.OrderID], p)
	}
	query := t.Client(ctx).Order.Query().Where(order.IDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read refunded orders: %w", err)
	}
	return t.sales(ctx, rows, func(s *sale) error {
		for _, p := range withUnpaid(s.Order, of[s.ID]) {
			lines, err := p.Lines.List()
			if err != nil {
				return err
			}
			at := p.ID.Time()
			if p.ID == xid.Nil {
				at = s.ID.Time()
			}
			if r := s.refund(p.AmountMinor, lines); own(p.ID) {
				t.addRefund(s, r, t.dayOf(at))
			}
		}
		return nil
	})
}

// withUnpaid adds to the refunds of a canceled order what was never paid, in the order of credit notes.
func withUnpaid(o *db.Order, refunds []*db.Payment) []*db.Payment {
	if unpaid(o) == 0 {
		return refunds
	}
	at := len(refunds)
	if o.CancelledAt != nil {
		at, _ = slices.BinarySearchFunc(refunds, *o.CancelledAt, func(p *db.Payment, at micros.Time) int {
			return cmp.Compare(p.ID.Time(), at)
		})
	}
	return slices.Insert(refunds, at, &db.Payment{AmountMinor: unpaid(o), Lines: document.NewLines(nil)})
}

// in returns the row of a group. Beyond a number of groups, all others share the last row.
func (g groups) in(key, id, name string) *model.ReportRow {
	row := g[key]
	if row == nil && len(g) >= maxGroups {
		key, id, name = "other", "", "Other"
		row = g[key]
	}
	if row == nil {
		row = &model.ReportRow{}
		if id != "" {
			row.ID = &id
		}
		g[key] = row
	}
	row.Name = name // the latest one
	return row
}

func (t *tally) product(l *db.OrderLine) *model.ReportRow {
	if l.ProductID == nil {
		return t.products.in("title "+l.Title, "", l.Title)
	}
	id := xid.Product.Format(*l.ProductID)
	return t.products.in(id, id, l.Title)
}

func (t *tally) variant(l *db.OrderLine) *model.ReportRow {
	name := l.Title
	if options, err := l.Options.List(); err == nil && len(options) > 0 {
		name += ", " + strings.Join(options, ", ")
	}
	if l.Sku != nil {
		name += " (" + *l.Sku + ")"
	}
	switch {
	case l.VariantID != nil:
		id := xid.Variant.Format(*l.VariantID)
		return t.variants.in(id, id, name)
	case l.ProductID != nil:
		id := xid.Product.Format(*l.ProductID)
		return t.variants.in(id, id, name)
	}
	return t.variants.in("title "+name, "", name)
}

// ofOrder returns the rows to which whole orders belong.
func (t *tally) ofOrder(s *sale) []*model.ReportRow {
	rows := []*model.ReportRow{t.countries.in("country "+s.country, s.country, s.country)}
	if s.DiscountCode != nil {
		rows = append(rows, t.discounts.in("code "+*s.DiscountCode, *s.DiscountCode, *s.DiscountCode))
	}
	return rows
}

func (t *tally) tax(key taxKey) *model.ReportTax {
	row := t.taxes[key]
	if row == nil {
		row = &model.ReportTax{Country: key.country, Region: key.region, Name: key.name, Rate: key.rate,
			Treatment: key.treatment}
		t.taxes[key] = row
	}
	return row
}

// finish returns the result.
func (t *tally) finish() *model.ReportResult {
	r := &t.result
	r.Products, r.Variants = t.sorted(t.products), t.sorted(t.variants)
	r.Discounts, r.Countries = t.sorted(t.discounts), t.sorted(t.countries)
	r.Taxes = []*model.ReportTax{}
	for _, row := range t.taxes {
		r.Taxes = append(r.Taxes, row)
	}
	slices.SortFunc(r.Taxes, func(a, b *model.ReportTax) int {
		return cmp.Or(cmp.Compare(a.Country, b.Country), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Treatment, b.Treatment))
	})
	return r
}

// sorted returns the rows with the largest totals, and the sum of the others.
func (t *tally) sorted(g groups) []*model.ReportRow {
	rows := []*model.ReportRow{}
	for _, row := range g {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *model.ReportRow) int {
		return cmp.Or(cmp.Compare(b.TotalMinor, a.TotalMinor), cmp.Compare(b.RefundedMinor, a.RefundedMinor),
			cmp.Compare(a.Name, b.Name))
	})
	if len(rows) <= maxRows {
		return rows
	}
	other := &model.ReportRow{Name: "Other"}
	for _, row := range rows[maxRows-1:] {
		other.Orders += row.Orders
		other.Quantity += row.Quantity
		other.RefundedQuantity += row.RefundedQuantity
		t.add(&other.GrossMinor, row.GrossMinor)
		t.add(&other.DiscountMinor, row.DiscountMinor)
		t.add(&other.TaxMinor, row.TaxMinor)
		t.add(&other.TotalMinor, row.TotalMinor)
		t.add(&other.RefundedMinor, row.RefundedMinor)
	}
	return append(rows[:maxRows-1], other)
}
