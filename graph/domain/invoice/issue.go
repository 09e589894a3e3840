package invoice

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbinvoice "github.com/storefront-go/storefront/ent/db/invoice"
	"github.com/storefront-go/storefront/ent/db/invoiceseries"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/paper"
	"github.com/storefront-go/storefront/graph/model"
)

// issuer issues the invoices of the viewer's store.
type issuer struct {
	Mutation
	settings *db.InvoiceSettings
	by       paper.Issuer
}

// issuer returns what issues invoices, or nil if the store has no settings for them.
func (m Mutation) issuer(ctx context.Context) (*issuer, error) {
	settings, err := m.storedInvoiceSettings(ctx)
	if err != nil || settings == nil {
		return nil, err
	}
	return m.issuerWith(ctx, settings)
}

func (m Mutation) issuerWith(ctx context.Context, settings *db.InvoiceSettings) (*issuer, error) {
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return nil, fmt.Errorf("time zone %s: %w", s.Timezone, err)
	}
	by := paper.Issuer{Now: moment.Now(ctx).Time().In(zone), Language: s.Language, Email: core.Deref(s.ContactEmail)}
	if by.SellerFields, err = settings.Seller.Fields(); err != nil {
		return nil, err
	}
	taxes, err := m.Client(ctx).TaxSettings.Query().Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the VAT id: %w", err)
	}
	if len(taxes) > 0 {
		by.VATID = core.Deref(taxes[0].VatID)
	}
	return &issuer{m, settings, by}, nil
}

// IssueDue issues the invoice that a change of an order makes due by the store's settings, and the
// credit note of an order with an invoice. It is part of the change, whose audit row it shares.
func (r *Resolver) IssueDue(
	ctx context.Context, o *db.Order, lines []*db.OrderLine, events []event.Type,
) error {
	m := r.Mutation()
	happened := func(t event.Type) bool { return slices.Contains(events, t) }
	credits := happened(event.OrderRefunded) || happened(event.OrderCancelled)
	paid := happened(event.OrderPaid)
	if !credits && !paid && !happened(event.OrderCreated) || !ent.Writes(ctx, ent.Invoices) {
		return nil
	}
	settings, err := m.storedInvoiceSettings(ctx)
	if err != nil || settings == nil {
		return err
	}
	due := settings.Issue == state.InvoicePlaced && !credits || settings.Issue == state.InvoicePaid && paid
	if !due && credits {
		due, err = r.Issued(ctx, o.ID)
	}
	if err != nil || !due {
		return err
	}
	by, err := m.issuerWith(ctx, settings)
	if err != nil {
		return err
	}
	if happened(event.OrderCreated) {
		return by.first(ctx, &papers{}, o, lines)
	}
	_, err = by.issue(ctx, o, lines)
	return err
}

// Issued reports whether an order has an invoice. In a transaction, the answer stays true until it ends.
func (r *Resolver) Issued(ctx context.Context, order xid.ID) (bool, error) {
	query := r.Client(ctx).Invoice.Query().
		Where(dbinvoice.KindEQ(state.InvoiceBill), dbinvoice.SourceID(order))
	if r.Store.Within(ctx) {
		query.Modify(ent.ForUpdate)
	}
	bill, err := query.Load(ctx)
	return len(bill) > 0, fault.Wrap("find the invoice of an order", err)
}

// latest reads rows with locks. A plain read would see the database as it was when the transaction began,
// perhaps before another one changed the same order.
func latest[T, S any](ctx context.Context, q core.Rows[T, S]) ([]T, error) {
	q.Modify(ent.ForUpdate)
	return q.Load(ctx)
}

// issue issues the invoice of an order, if it has none and is not canceled, and the credit notes that
// its invoice lacks. The transaction holds the order's row.
func (i *issuer) issue(ctx context.Context, o *db.Order, lines []*db.OrderLine) (p papers, err error) {
	c := i.Client(ctx)
	// The counter is locked before the invoices, as all transactions that add invoices do.
	_, err = latest(ctx, c.InvoiceSeries.Query().Where(invoiceseries.Series(i.settings.InvoiceSeries)))
	if err == nil {
		p.all, err = latest(ctx, c.Invoice.Query().Where(dbinvoice.OrderID(o.ID)))
	}
	if err != nil {
		return p, fmt.Errorf("read the invoices of an order: %w", err)
	}
	slices.SortFunc(p.all, func(a, b *db.Invoice) int { return a.ID.Compare(b.ID) })
	at := slices.IndexFunc(p.all, func(r *db.Invoice) bool { return r.Kind == state.InvoiceBill })
	if at < 0 {
		if o.Status == state.OrderCancelled {
			return p, nil
		}
		if err := i.first(ctx, &p, o, lines); err != nil {
			return p, err
		}
		at = len(p.all) - 1
	}
	return p, i.credit(ctx, &p, p.all[at], o)
}

// first issues the invoice of an order that has none.
func (i *issuer) first(ctx context.Context, p *papers, o *db.Order, lines []*db.OrderLine) error {
	f, err := paper.Compose(i.by, o, lines)
	if err != nil {
		return err
	}
	return i.write(ctx, p, state.InvoiceBill, o.ID, o, f)
}

// credit issues the credit notes that an invoice lacks: for what was never paid of a canceled order, and
// for each refund.
func (i *issuer) credit(ctx context.Context, p *papers, bill *db.Invoice, o *db.Order) error {
	refunds, err := latest(ctx, i.Client(ctx).Payment.Query().
		Where(payment.OrderID(o.ID), payment.KindEQ(state.LedgerRefund)))
	if err != nil {
		return fmt.Errorf("read the refunds of an order: %w", err)
	}
	slices.SortFunc(refunds, func(a, b *db.Payment) int { return a.ID.Compare(b.ID) })
	if o.Status == state.OrderCancelled {
		err = i.creditOne(ctx, p, bill, o, o.ID, paper.Refund{AmountMinor: o.TotalMinor - o.PaidMinor})
	}
	earlier := map[string]int64{}
	for _, r := range refunds {
		if err != nil {
			return err
		}
		lines, err := r.Lines.List()
		if err != nil {
			return err
		}
		err = i.creditOne(ctx, p, bill, o, r.ID,
			paper.Refund{AmountMinor: r.AmountMinor, Lines: lines, Earlier: earlier, Paid: true})
		if err != nil {
			return err
		}
		for _, l := range lines {
			earlier[l.LineID] += l.Quantity
		}
	}
	return err
}

// creditOne issues the credit note about source, unless there is one or nothing is left to credit.
func (i *issuer) creditOne(
	ctx context.Context, p *papers, bill *db.Invoice, o *db.Order, source xid.ID, r paper.Refund,
) error {
	credited := func(c *db.Invoice) bool { return c.Kind == state.InvoiceCredit && c.SourceID == source }
	if slices.ContainsFunc(p.all, credited) {
		return nil
	}
	about, err := bill.Content.Fields()
	if err != nil {
		return err
	}
	var before []*document.InvoiceFields
	for _, row := range p.all {
		if row.Kind == state.InvoiceCredit {
			f, err := row.Content.Fields()
			if err != nil {
				return err
			}
			before = append(before, f)
		}
	}
	f := paper.Credit(i.by, model.FullNumber(bill), about, before, r)
	if f == nil {
		return nil
	}
	return i.write(ctx, p, state.InvoiceCredit, source, o, f)
}

// write takes the next number and writes an invoice. The counter's row stays locked until the
// transaction ends, so numbers have no gap and follow the order of commits.
func (i *issuer) write(ctx context.Context, p *papers, kind state.InvoiceKind, source xid.ID, o *db.Order,
	f *document.InvoiceFields,
) error {
	series := i.settings.InvoiceSeries
	if kind == state.InvoiceCredit {
		series = i.settings.CreditSeries
	}
	c := i.Client(ctx)
	n, err := c.InvoiceSeries.Update().Where(invoiceseries.Series(series)).AddNext(1).Save(ctx)
	if err == nil && n != 1 {
		err = core.ErrNoRow
	}
	if err != nil {
		return fmt.Errorf("take the number of an invoice: %w", err)
	}
	counter, err := core.Only(c.InvoiceSeries.Query().Where(invoiceseries.Series(series)).Load(ctx))
	if err != nil {
		return fmt.Errorf("read the number of an invoice: %w", err)
	}
	row, err := c.Invoice.Create().SetKind(kind).SetSeries(series).SetNumber(counter.Next - 1).SetOrderID(o.ID).
		SetSourceID(source).SetCurrency(o.Currency).SetTotalMinor(f.TotalMinor).SetContent(document.NewInvoice(f)).
		Save(ctx)
	if err != nil {
		return fmt.Errorf("write an invoice: %w", err)
	}
	p.all, p.issued = append(p.all, row), p.issued+1
	return nil
}
