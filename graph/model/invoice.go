package model

import (
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
)

// Invoice is an invoice with the addresses of its files.
type Invoice struct {
	*db.Invoice
	PrintURL, XMLURL string
}

// FullNumber returns the series and the number in it.
func (i *Invoice) FullNumber() string { return FullNumber(i.Invoice) }

// FullNumber returns the series and the number in it.
func FullNumber(i *db.Invoice) string { return i.Series + strconv.FormatInt(i.Number, 10) }

// OrderNumber returns the number of the order.
func (i *Invoice) OrderNumber() (string, error) {
	f, err := i.Content.Fields()
	if err != nil {
		return "", err
	}
	return f.OrderNumber, nil
}

// InvoiceSettings holds the settings of a store's invoices. Version 0 means that they were never changed.
type InvoiceSettings struct {
	*db.InvoiceSettings
	document.SellerFields
	InvoiceNext, CreditNext int64
}

// Address returns the seller's address; nil before the first change.
func (s *InvoiceSettings) Address() *document.AddressFields {
	if s.Version == 0 {
		return nil
	}
	return &s.SellerFields.Address
}

// InvoicePrefix returns the text before the numbers of invoices.
func (s *InvoiceSettings) InvoicePrefix() string { return s.InvoiceSeries }

// CreditPrefix returns the text before the numbers of credit notes.
func (s *InvoiceSettings) CreditPrefix() string { return s.CreditSeries }

// UpdatedAt returns when the settings were last changed; nil for never.
func (s *InvoiceSettings) UpdatedAt() *micros.Time {
	if s.Version == 0 {
		return nil
	}
	return &s.InvoiceSettings.UpdatedAt
}
