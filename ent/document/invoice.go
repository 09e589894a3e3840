package document

import "github.com/storefront-go/storefront/ent/state"

// Invoice is a JSON object of [InvoiceFields].
type Invoice []byte

// Seller is a JSON object of [SellerFields].
type Seller []byte

// SellerFields are what a store's invoices say about it.
type SellerFields struct {
	Name         string        `json:"name"`
	Address      AddressFields `json:"address"`
	TaxNumber    string        `json:"tax_number,omitempty"`
	Registration string        `json:"registration,omitempty"`
	Bank         string        `json:"bank,omitempty"`
	// Note is printed on invoices, CreditNote on credit notes.
	Note       string `json:"note,omitempty"`
	CreditNote string `json:"credit_note,omitempty"`
}

// InvoiceFields are everything that an invoice or a credit note shows. Dates are days in the store's
// time zone, as in ISO 8601. Amounts are in minor units and never negative.
type InvoiceFields struct {
	Language    state.Language `json:"language"`
	Date        string         `json:"date"`
	OrderNumber string         `json:"order_number"`
	OrderDate   string         `json:"order_date"`
	ShippedOn   string         `json:"shipped_on,omitempty"`
	// Invoice and InvoiceDate are those of the invoice that a credit note credits.
	Invoice     string `json:"invoice,omitempty"`
	InvoiceDate string `json:"invoice_date,omitempty"`
	Seller      Party  `json:"seller"`
	Buyer       Party  `json:"buyer"`
	// Included says that the amounts of lines include tax.
	Included bool          `json:"included"`
	Lines    []InvoiceLine `json:"lines"`
	// Shipping has no quantity; nil if nothing was charged or shipped.
	Shipping *InvoiceLine `json:"shipping,omitempty"`
	Groups   []TaxGroup   `json:"groups"`
	// The total is the sum of the lines and of shipping, without and with tax.
	NetMinor   int64 `json:"net_minor"`
	TaxMinor   int64 `json:"tax_minor"`
	TotalMinor int64 `json:"total_minor"`
	// PaidMinor was paid when the invoice was issued, or is refunded by the credit note.
	PaidMinor     int64               `json:"paid_minor"`
	PaidOn        string              `json:"paid_on,omitempty"`
	PaymentMethod state.PaymentMethod `json:"payment_method,omitempty"`
	Bank          string              `json:"bank,omitempty"`
	Note          string              `json:"note,omitempty"`
}

// Party is the seller or the buyer of an invoice.
type Party struct {
	Name         string         `json:"name"`
	Address      *AddressFields `json:"address,omitempty"`
	VATID        string         `json:"vat_id,omitempty"`
	TaxNumber    string         `json:"tax_number,omitempty"`
	Registration string         `json:"registration,omitempty"`
	Email        string         `json:"email,omitempty"`
}

// InvoiceLine is a line of an invoice.
type InvoiceLine struct {
	// LineID is the order's line; "" for shipping and for parts of an invoice.
	LineID   string   `json:"line_item_id,omitempty"`
	Title    string   `json:"title"`
	Options  []string `json:"options,omitempty"`
	SKU      string   `json:"sku,omitempty"`
	Quantity int64    `json:"quantity,omitempty"`
	// UnitMinor, DiscountMinor and AmountMinor are as the order shows them, with or without tax.
	UnitMinor     int64 `json:"unit_minor,omitempty"`
	DiscountMinor int64 `json:"discount_minor,omitempty"`
	AmountMinor   int64 `json:"amount_minor"`
	NetMinor      int64 `json:"net_minor"`
	TaxMinor      int64 `json:"tax_minor"`
	// Group is the index of the line's taxes.
	Group int `json:"group"`
}

// TaxGroup is the sum of all lines that are taxed alike.
type TaxGroup struct {
	// Category is a code of UNTDID 5305, as EN 16931 uses it: S, Z, E, AE, G or O.
	Category string `json:"category"`
	// Rate is the sum of all its taxes in percent.
	Rate     string       `json:"rate"`
	NetMinor int64        `json:"net_minor"`
	TaxMinor int64        `json:"tax_minor"`
	Taxes    []InvoiceTax `json:"taxes,omitempty"`
}

// InvoiceTax is one tax of a group.
type InvoiceTax struct {
	Name        string `json:"name"`
	Rate        string `json:"rate"` // in percent
	BaseMinor   int64  `json:"base_minor"`
	AmountMinor int64  `json:"amount_minor"`
}

// NewInvoice encodes an invoice.
func NewInvoice(f *InvoiceFields) Invoice { return encode(f) }

// NewSeller encodes the seller's part.
func NewSeller(f *SellerFields) Seller { return encode(f) }

// Fields decodes the invoice.
func (i Invoice) Fields() (*InvoiceFields, error) {
	f, err := decode[InvoiceFields](i)
	return &f, err
}

// Fields decodes the seller's part; an absent one is empty.
func (s Seller) Fields() (SellerFields, error) { return decode[SellerFields](s) }
