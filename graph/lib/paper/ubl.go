package paper

import (
	"bytes"
	"encoding/xml"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// Identity is what an invoice is known by.
type Identity struct {
	Number, Currency string
	Credit           bool // a credit note
}

// The names of the two documents of UBL 2.1.
const (
	ublInvoice = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
	ublCredit  = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2" //nolint:gosec // no credential
	ublParts   = `xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" ` +
		`xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"`
	profile = "urn:cen.eu:en16931:2017"
)

// The reasons of EN 16931 for lines without tax (VATEX).
var exemptions = map[string]string{ReverseCharge: "VATEX-EU-AE", Export: "VATEX-EU-G", NotSubject: "VATEX-EU-O"}

// UBL writes an invoice in UBL 2.1 by the rules of EN 16931. It fails with a [fault.Error] if the invoice
// lacks what they require.
func UBL(id Identity, f *document.InvoiceFields) ([]byte, error) {
	digits, err := expressible(id, f)
	if err != nil {
		return nil, err
	}
	w := &ubl{Identity: id, f: f, texts: phrase.In(f.Language), digits: digits}
	root, space, line := "Invoice", ublInvoice, "Invoice"
	if id.Credit {
		root, space, line = "CreditNote", ublCredit, "CreditNote"
	}
	w.b.WriteString(xml.Header + "<" + root + ` xmlns="` + space + `" ` + ublParts + ">")
	w.head(root)
	w.party("AccountingSupplierParty", f.Seller, true)
	w.party("AccountingCustomerParty", f.Buyer, false)
	if f.ShippedOn != "" {
		w.in("cac:Delivery", func() { w.put("cbc:ActualDeliveryDate", f.ShippedOn) })
	}
	terms := strings.TrimSpace(f.Bank)
	if terms == "" {
		terms = w.texts.Say(phrase.PayOnReceipt)
	}
	w.in("cac:PaymentTerms", func() { w.put("cbc:Note", terms) })
	w.charges()
	w.taxes()
	w.totals()
	for i, l := range f.Lines {
		w.line(line, i, l)
	}
	w.b.WriteString("</" + root + ">\n")
	return w.b.Bytes(), nil
}

// expressible returns the decimals of the currency, or what EN 16931 requires and the invoice lacks.
func expressible(id Identity, f *document.InvoiceFields) (digits int, err error) {
	refused := func(why string) (int, error) {
		return 0, fault.State(fault.InvalidTransition, "This invoice cannot be written for EN 16931: "+why)
	}
	code, ok := currency.Parse(id.Currency)
	digits, known := currency.Digits(code)
	identified := f.Seller.VATID + f.Seller.TaxNumber + f.Seller.Registration
	switch b := f.Buyer; {
	case !ok || !known || digits > 2:
		return refused("amounts in " + id.Currency + " have more than two decimals.")
	case b.Address == nil:
		return refused("the order has no address of the buyer.")
	case b.Name == "" && b.Email == "":
		return refused("the order has no name of the buyer.")
	case identified == "":
		return refused("it has no VAT ID, tax number or registration of the seller.")
	}
	for i, g := range f.Groups {
		switch {
		case !used(f, i):
		case g.Category != NotSubject && f.Seller.VATID+f.Seller.TaxNumber == "":
			return refused("it has no VAT ID or tax number of the seller.")
		case tooLow(g, digits):
			return refused("its tax of " + g.Rate + " % is below 0.5 %.")
		}
	}
	return digits, nil
}

// tooLow reports whether the rules round the rate of a group to 0 and its tax to a sum (BR-CO-17).
func tooLow(g document.TaxGroup, digits int) bool {
	rate, ok := new(big.Rat).SetString(g.Rate)
	tax := 2 * g.TaxMinor
	for range digits {
		tax /= 10
	}
	return ok && tax > 0 && rate.Cmp(big.NewRat(1, 2)) < 0
}

// used reports whether a line or shipping is in a group.
func used(f *document.InvoiceFields, group int) bool {
	if f.Shipping != nil && f.Shipping.Group == group {
		return true
	}
	for _, l := range f.Lines {
		if l.Group == group {
			return true
		}
	}
	return false
}

// ubl writes one document.
type ubl struct {
	Identity
	f      *document.InvoiceFields
	texts  *phrase.Texts
	digits int
	b      bytes.Buffer
}

// put writes an element with a text and attributes; nothing for an empty text.
func (w *ubl) put(name, text string, attributes ...string) {
	if text == "" {
		return
	}
	w.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		w.b.WriteString(" " + attributes[i] + `="` + attributes[i+1] + `"`)
	}
	w.b.WriteByte('>')
	_ = xml.EscapeText(&w.b, []byte(text)) // a buffer accepts everything
	w.b.WriteString("</" + name + ">")
}

// in writes an element with the elements that f writes.
func (w *ubl) in(name string, f func()) {
	w.b.WriteString("<" + name + ">")
	f()
	w.b.WriteString("</" + name + ">")
}

// money writes an amount.
func (w *ubl) money(name string, minor int64) {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	s := strconv.FormatInt(minor, 10)
	if w.digits > 0 {
		s = strings.Repeat("0", max(w.digits+1-len(s), 0)) + s
		s = s[:len(s)-w.digits] + "." + s[len(s)-w.digits:]
	}
	w.put(name, sign+s, "currencyID", w.Currency)
}

func (w *ubl) head(root string) {
	f := w.f
	w.put("cbc:CustomizationID", profile)
	w.put("cbc:ID", w.Number)
	w.put("cbc:IssueDate", f.Date)
	code := "380"
	if w.Credit {
		code = "381"
	}
	w.put("cbc:"+root+"TypeCode", code)
	w.put("cbc:Note", strings.TrimSpace(f.Note))
	w.put("cbc:DocumentCurrencyCode", w.Currency)
	w.in("cac:OrderReference", func() { w.put("cbc:ID", f.OrderNumber) })
	if w.Credit {
		w.in("cac:BillingReference", func() {
			w.in("cac:InvoiceDocumentReference", func() {
				w.put("cbc:ID", f.Invoice)
				w.put("cbc:IssueDate", f.InvoiceDate)
			})
		})
	}
}

func (w *ubl) party(name string, p document.Party, seller bool) {
	w.in("cac:"+name, func() {
		w.in("cac:Party", func() {
			if seller && p.VATID == "" && p.Registration == "" { // it must be identified in one way
				w.in("cac:PartyIdentification", func() { w.put("cbc:ID", p.TaxNumber) })
			}
			w.address(p.Address)
			// What is not subject to VAT names no VAT id.
			if p.VATID != "" && !w.has(NotSubject) {
				w.tax("VAT", p.VATID)
			}
			if p.TaxNumber != "" {
				w.tax("FC", p.TaxNumber)
			}
			w.in("cac:PartyLegalEntity", func() {
				legal := p.Name
				if legal == "" {
					legal = p.Email
				}
				w.put("cbc:RegistrationName", legal)
				w.put("cbc:CompanyID", p.Registration)
			})
			if p.Email != "" {
				w.in("cac:Contact", func() { w.put("cbc:ElectronicMail", p.Email) })
			}
		})
	})
}

// has reports whether a line is in a category.
func (w *ubl) has(category string) bool {
	for i, g := range w.f.Groups {
		if g.Category == category && used(w.f, i) {
			return true
		}
	}
	return false
}

// tax writes a tax number of a party.
func (w *ubl) tax(scheme, id string) {
	w.in("cac:PartyTaxScheme", func() {
		w.put("cbc:CompanyID", id)
		w.in("cac:TaxScheme", func() { w.put("cbc:ID", scheme) })
	})
}

func (w *ubl) address(a *document.AddressFields) {
	w.in("cac:PostalAddress", func() {
		w.put("cbc:StreetName", a.Line1)
		w.put("cbc:AdditionalStreetName", deref(a.Line2))
		w.put("cbc:CityName", a.City)
		w.put("cbc:PostalZone", deref(a.PostalCode))
		w.put("cbc:CountrySubentity", deref(a.Region))
		w.in("cac:Country", func() { w.put("cbc:IdentificationCode", a.Country) })
	})
}

// charges writes shipping.
func (w *ubl) charges() {
	s := w.f.Shipping
	if s == nil {
		return
	}
	w.in("cac:AllowanceCharge", func() {
		w.put("cbc:ChargeIndicator", "true")
		w.put("cbc:AllowanceChargeReason", w.texts.Say(phrase.Shipping))
		w.money("cbc:Amount", s.NetMinor)
		w.category("cac:TaxCategory", w.f.Groups[s.Group], false)
	})
}

// category writes how a group is taxed, in the breakdown with the reason for no tax.
func (w *ubl) category(name string, g document.TaxGroup, reason bool) {
	w.in(name, func() {
		w.put("cbc:ID", g.Category)
		if g.Category != NotSubject {
			w.put("cbc:Percent", g.Rate)
		}
		if text := Reason(w.texts, g); reason && text != "" {
			w.put("cbc:TaxExemptionReasonCode", exemptions[g.Category])
			w.put("cbc:TaxExemptionReason", text)
		}
		w.in("cac:TaxScheme", func() { w.put("cbc:ID", "VAT") })
	})
}

// Reason returns why a group bears no tax, "" for one that is taxed.
func Reason(texts *phrase.Texts, g document.TaxGroup) string {
	switch g.Category {
	case ReverseCharge:
		return texts.Say(phrase.ReverseCharge)
	case Exempt:
		return texts.Say(phrase.TaxExempt)
	case Export:
		return texts.Say(phrase.TaxExport)
	case NotSubject:
		return texts.Say(phrase.NotTaxed)
	}
	return ""
}

func (w *ubl) taxes() {
	w.in("cac:TaxTotal", func() {
		w.money("cbc:TaxAmount", w.f.TaxMinor)
		for _, g := range w.subtotals() {
			w.in("cac:TaxSubtotal", func() {
				w.money("cbc:TaxableAmount", g.NetMinor)
				w.money("cbc:TaxAmount", g.TaxMinor)
				w.category("cac:TaxCategory", g, true)
			})
		}
	})
}

// subtotals returns the sums of the groups that have lines. Groups whose taxes differ only by name are one.
func (w *ubl) subtotals() (list []document.TaxGroup) {
	for i, g := range w.f.Groups {
		if !used(w.f, i) {
			continue
		}
		at := slices.IndexFunc(list, func(s document.TaxGroup) bool {
			return s.Category == g.Category && s.Rate == g.Rate
		})
		if at < 0 {
			list = append(list, g)
			continue
		}
		list[at].NetMinor += g.NetMinor
		list[at].TaxMinor += g.TaxMinor
	}
	return list
}

func (w *ubl) totals() {
	f, shipping := w.f, int64(0)
	if f.Shipping != nil {
		shipping = f.Shipping.NetMinor
	}
	w.in("cac:LegalMonetaryTotal", func() {
		w.money("cbc:LineExtensionAmount", f.NetMinor-shipping)
		w.money("cbc:TaxExclusiveAmount", f.NetMinor)
		w.money("cbc:TaxInclusiveAmount", f.TotalMinor)
		if f.Shipping != nil {
			w.money("cbc:ChargeTotalAmount", shipping)
		}
		w.money("cbc:PrepaidAmount", f.PaidMinor)
		w.money("cbc:PayableAmount", f.TotalMinor-f.PaidMinor)
	})
}

// line writes a line. Its price is that of all its units, so that it is exact.
func (w *ubl) line(name string, at int, l document.InvoiceLine) {
	quantity := strconv.FormatInt(l.Quantity, 10)
	kind := "cbc:InvoicedQuantity"
	if w.Credit {
		kind = "cbc:CreditedQuantity"
	}
	w.in("cac:"+name+"Line", func() {
		w.put("cbc:ID", strconv.Itoa(at+1))
		w.put(kind, quantity, "unitCode", "C62")
		w.money("cbc:LineExtensionAmount", l.NetMinor)
		w.in("cac:Item", func() {
			w.put("cbc:Description", strings.Join(l.Options, " / "))
			w.put("cbc:Name", l.Title)
			if l.SKU != "" {
				w.in("cac:SellersItemIdentification", func() { w.put("cbc:ID", l.SKU) })
			}
			w.category("cac:ClassifiedTaxCategory", w.f.Groups[l.Group], false)
		})
		w.in("cac:Price", func() {
			w.money("cbc:PriceAmount", l.NetMinor)
			w.put("cbc:BaseQuantity", quantity, "unitCode", "C62")
		})
	})
}
