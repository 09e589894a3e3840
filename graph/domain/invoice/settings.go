package invoice

import (
	"context"
	"fmt"
	"regexp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	dbinvoice "github.com/storefront-go/storefront/ent/db/invoice"
	"github.com/storefront-go/storefront/ent/db/invoiceseries"
	"github.com/storefront-go/storefront/ent/db/invoicesettings"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// The series of a store that never changed its settings.
const (
	usualInvoices = "INV-"
	usualCredits  = "CN-"
)

// seriesForm is the form of a series. It does not end with a digit, so that no two series have an equal
// whole number.
var seriesForm = regexp.MustCompile(`^([A-Za-z0-9 ._/-]*[A-Za-z._/-])?$`)

type invoiceEdit = change.Edit[*model.InvoiceSettings, *db.InvoiceSettingsUpdate]

// invoiceSettings returns how the settings change. Their row has the store's id.
func (r *Resolver) invoiceSettings() *change.Versioned[*model.InvoiceSettings, *db.InvoiceSettingsUpdate] {
	return &change.Versioned[*model.InvoiceSettings, *db.InvoiceSettingsUpdate]{
		Kind: xid.Store,
		Load: func(ctx context.Context, _ xid.ID) (*model.InvoiceSettings, error) {
			return r.shownInvoiceSettings(ctx)
		},
		Head: func(s *model.InvoiceSettings) change.Head {
			return change.Head{Store: s.StoreID, ID: s.ID, Version: &s.Version, UpdatedAt: &s.InvoiceSettings.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.InvoiceSettingsUpdate {
			return r.Client(ctx).InvoiceSettings.Update().
				Where(invoicesettings.ID(id), invoicesettings.Version(version))
		},
	}
}

// storedInvoiceSettings reads the settings of the viewer's store; nil if they were never changed.
func (r *Resolver) storedInvoiceSettings(ctx context.Context) (*db.InvoiceSettings, error) {
	rows, err := r.Client(ctx).InvoiceSettings.Query().
		Where(invoicesettings.ID(viewer.From(ctx).Store)).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// InvoiceSettings returns the settings of the viewer's store.
func (q Query) InvoiceSettings(ctx context.Context) (*model.InvoiceSettings, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	s, err := q.shownInvoiceSettings(ctx)
	return s, core.Explain("invoice settings", err)
}

func (r *Resolver) shownInvoiceSettings(ctx context.Context) (*model.InvoiceSettings, error) {
	row, err := r.storedInvoiceSettings(ctx)
	if err != nil {
		return nil, err
	}
	if row == nil {
		store := viewer.From(ctx).Store
		row = &db.InvoiceSettings{StoreID: store, ID: store, Issue: state.InvoiceManual,
			InvoiceSeries: usualInvoices, CreditSeries: usualCredits}
	}
	s := &model.InvoiceSettings{InvoiceSettings: row, InvoiceNext: 1, CreditNext: 1}
	if len(row.Seller) > 0 {
		if s.SellerFields, err = row.Seller.Fields(); err != nil {
			return nil, err
		}
	}
	for series, next := range map[string]*int64{row.InvoiceSeries: &s.InvoiceNext, row.CreditSeries: &s.CreditNext} {
		if err := r.readNext(ctx, series, next); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readNext reads the next number of a series. A series that was never used keeps 1.
func (r *Resolver) readNext(ctx context.Context, series string, next *int64) error {
	rows, err := r.Client(ctx).InvoiceSeries.Query().Where(invoiceseries.Series(series)).Load(ctx)
	if err == nil && len(rows) > 0 {
		*next = rows[0].Next
	}
	return err
}

// InvoiceSettingsUpdate replaces the settings of the viewer's store.
func (m Mutation) InvoiceSettingsUpdate(
	ctx context.Context, expectedVersion int64, in model.InvoiceSettingsInput,
) (*model.InvoiceSettingsPayload, error) {
	seller, err := checkSeller(in)
	if err != nil {
		return nil, err
	}
	id := xid.Store.Format(viewer.From(ctx).Store)
	s, err := core.Change(ctx, m.Core, m.invoiceSettings(), id, expectedVersion, "invoice_settings.update",
		func(ctx context.Context, e *invoiceEdit) error {
			if !ent.Writes(ctx, ent.Invoices) {
				return fault.State(fault.InvalidTransition,
					"Invoices are available once the upgrade is finished (storefront migrate finalize).")
			}
			return m.setInvoices(ctx, e, in, seller)
		})
	if err != nil {
		return nil, err
	}
	return &model.InvoiceSettingsPayload{InvoiceSettings: s}, nil
}

// checkSeller checks the settings and returns the seller's part.
func checkSeller(in model.InvoiceSettingsInput) (*document.SellerFields, error) {
	c := &core.Check{}
	c.Name("name", in.Name, limit.Line)
	address := core.CheckAddress(c, "address", in.Address)
	for _, of := range []struct {
		name, text string
		most       int
		check      func(name, text string, most int)
	}{
		{"tax_number", in.TaxNumber, limit.Label, c.Line}, {"registration", in.Registration, limit.Line, c.Line},
		{"bank", in.Bank, limit.InvoiceText, c.Long}, {"note", in.Note, limit.InvoiceText, c.Long},
		{"credit_note", in.CreditNote, limit.InvoiceText, c.Long},
	} {
		if of.text != "" {
			of.check(of.name, of.text, of.most)
		}
	}
	for name, series := range map[string]string{"invoice_prefix": in.InvoicePrefix, "credit_prefix": in.CreditPrefix} {
		if len(series) > limit.InvoicePrefix || !seriesForm.MatchString(series) {
			c.Add(name, fault.InvalidFormat,
				"Use up to 20 letters, digits, spaces and . _ / -, and end with a letter or a sign, such as INV-.")
		}
	}
	if in.InvoicePrefix == in.CreditPrefix {
		c.Add("credit_prefix", fault.Taken, "Invoices and credit notes need different prefixes.")
	}
	core.Opt(in.InvoiceNext, func(n int64) { c.Within("invoice_next", n, 1, currency.MaxMinor/2) })
	core.Opt(in.CreditNext, func(n int64) { c.Within("credit_next", n, 1, currency.MaxMinor/2) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &document.SellerFields{Name: in.Name, Address: *address, TaxNumber: in.TaxNumber,
		Registration: in.Registration, Bank: in.Bank, Note: in.Note, CreditNote: in.CreditNote}, nil
}

// setInvoices writes the settings and the counters of their series.
func (m Mutation) setInvoices(
	ctx context.Context, e *invoiceEdit, in model.InvoiceSettingsInput, seller *document.SellerFields,
) error {
	s, u := e.Row, e.Update
	if err := m.begin(ctx, e, "invoice_next", in.InvoicePrefix, in.InvoiceNext, &s.InvoiceNext); err != nil {
		return err
	}
	if err := m.begin(ctx, e, "credit_next", in.CreditPrefix, in.CreditNext, &s.CreditNext); err != nil {
		return err
	}
	core.Replace(&e.Changed, &in.Issue, "issue", &s.Issue, u.SetIssue)
	core.Replace(&e.Changed, &in.InvoicePrefix, "invoice_prefix", &s.InvoiceSeries, u.SetInvoiceSeries)
	core.Replace(&e.Changed, &in.CreditPrefix, "credit_prefix", &s.CreditSeries, u.SetCreditSeries)
	core.MemberDoc(&e.Changed, document.NewSeller(seller), true, "seller", &s.Seller, u.SetSeller, nil)
	s.SellerFields = *seller
	if s.Version > 0 || len(e.Changed) == 0 {
		return nil
	}
	err := m.Client(ctx).InvoiceSettings.Create().SetID(s.ID).SetVersion(0).SetInvoiceSeries(s.InvoiceSeries).
		SetCreditSeries(s.CreditSeries).SetSeller(s.Seller).SetUpdatedAt(s.ID.Time()).Exec(ctx)
	if ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The invoice settings were changed in the meantime. Read them again.")
	}
	return fault.Wrap("add invoice settings", err)
}

// begin creates the counter of a series, or sets its next number if the series has no invoices yet.
func (m Mutation) begin(
	ctx context.Context, e *invoiceEdit, name, series string, want *int64, next *int64,
) error {
	c := m.Client(ctx)
	rows, err := c.InvoiceSeries.Query().Where(invoiceseries.Series(series)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the series of invoices: %w", err)
	}
	if len(rows) == 0 {
		if *next = 1; want != nil {
			*next = *want
		}
		e.Changed = append(e.Changed, name)
		err := c.InvoiceSeries.Create().SetSeries(series).SetNext(*next).Exec(ctx)
		if ent.IsDuplicate(err) {
			return fault.State(fault.VersionMismatch,
				"The invoice settings were changed in the meantime. Read them again.")
		}
		return fault.Wrap("add a series of invoices", err)
	}
	*next = rows[0].Next
	if want == nil || *want == *next {
		return nil
	}
	used, err := c.Invoice.Query().Where(dbinvoice.Series(series)).Exist(ctx)
	if err != nil {
		return fmt.Errorf("find an invoice of the series: %w", err)
	}
	if used {
		return core.Invalid(name, fault.OutOfRange,
			"The series already has invoices, so its next number is fixed. Another prefix begins another series.")
	}
	e.Changed, *next = append(e.Changed, name), *want
	n, err := c.InvoiceSeries.Update().Where(invoiceseries.Series(series), invoiceseries.Next(rows[0].Next)).
		SetNext(*want).Save(ctx)
	return change.Swapped(xid.Store, n, err)
}
