// Package paper shows invoices and credit notes as pages to be printed, and as files.
package paper

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/paper"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

//go:embed paper.html
var source string

//go:embed paper.css
var style string

// parsed is the page. It is parsed on first use.
var parsed = sync.OnceValues(func() (*template.Template, error) { return template.New("paper").Parse(source) })

// policy allows the page its style, images of one host, and nothing else.
func policy(images string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src " + images + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// hostOf returns the source of an image for the policy.
func hostOf(image string) string {
	switch u, err := url.Parse(image); {
	case image == "" || err != nil:
		return "'none'"
	case u.Host == "":
		return "'self'"
	default:
		return u.Scheme + "://" + u.Host
	}
}

// sheet is one invoice on the page.
type sheet struct {
	*phrase.Texts
	f            *document.InvoiceFields
	Title, Paid  string
	Letter       bool // US Letter, not A4
	From, To     []string
	Facts        []string
	Rows         []row
	Sums         []sum
	Taxes        []tax
	Reasons      []string
	Instructions string
	Bank, Note   string
}

type row struct {
	Title, Options, SKU, Unit, Discount, Rate, Amount string
	Quantity                                          int64
}

type sum struct {
	Label, Amount string
	Strong        bool
}

type tax struct{ Name, Net, Amount string }

// Show answers with a page of invoices, each on a sheet of its own. logo is the address of the store's, ""
// for none.
func Show(w http.ResponseWriter, r *http.Request, list []*db.Invoice, logo string) error {
	sheets := make([]*sheet, len(list))
	for i, row := range list {
		f, err := row.Content.Fields()
		if err != nil {
			return err
		}
		sheets[i] = sheetOf(row, f)
	}
	t, err := parsed()
	if err != nil {
		return fmt.Errorf("parse the page of invoices: %w", err)
	}
	var b bytes.Buffer
	css := template.CSS(style) //nolint:gosec // embedded
	if err := t.Execute(&b, map[string]any{"Style": css, "Sheets": sheets, "Logo": logo}); err != nil {
		return fmt.Errorf("show invoices: %w", err)
	}
	guard(w.Header())
	w.Header().Set("Content-Security-Policy", policy(hostOf(logo)))
	send(w, r, "text/html; charset=utf-8", b.Bytes())
	return nil
}

// XML answers with an invoice in UBL. An invoice that cannot be written so is a [fault.Error].
func XML(w http.ResponseWriter, r *http.Request, row *db.Invoice) error {
	f, err := row.Content.Fields()
	if err != nil {
		return err
	}
	id := paper.Identity{Number: model.FullNumber(row), Currency: row.Currency, Credit: row.Kind == state.InvoiceCredit}
	body, err := paper.UBL(id, f)
	if err != nil {
		return err
	}
	guard(w.Header())
	w.Header().Set("Content-Disposition", `attachment; filename="`+fileName(id.Number)+`.xml"`)
	send(w, r, "application/xml", body)
	return nil
}

// fileName replaces what file systems refuse.
func fileName(number string) string { return strings.NewReplacer("/", "-", " ", "-").Replace(number) }

func guard(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
}

func send(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// letter are countries whose paper is US Letter.
var letter = []string{"US", "CA", "MX", "PH", "CL", "CO", "VE", "GT", "CR", "PA", "DO", "SV", "NI", "PR"}

// sheetOf returns what a sheet shows.
func sheetOf(row *db.Invoice, f *document.InvoiceFields) *sheet {
	s := &sheet{f: f, Texts: phrase.In(f.Language), Bank: f.Bank, Note: f.Note,
		Letter: f.Seller.Address != nil && slices.Contains(letter, f.Seller.Address.Country)}
	money := func(minor int64) string { return s.Money(minor, row.Currency) }
	title := phrase.Invoice
	s.Facts = []string{s.Say(phrase.IssuedOn, s.day(f.Date))}
	if row.Kind == state.InvoiceCredit {
		title = phrase.CreditNote
		s.Facts = append(s.Facts, s.Say(phrase.CreditOf, f.Invoice, s.day(f.InvoiceDate)))
	}
	s.Title = s.Say(title, model.FullNumber(row))
	s.Facts = append(s.Facts, s.Say(phrase.OrderNumber, f.OrderNumber), s.Say(phrase.OrderedOn, s.day(f.OrderDate)))
	if f.ShippedOn != "" {
		s.Facts = append(s.Facts, s.Say(phrase.SentOn, s.day(f.ShippedOn)))
	}
	s.identify()
	items := int64(0)
	for _, l := range f.Lines {
		items += l.AmountMinor
		s.Rows = append(s.Rows, s.row(l, money))
	}
	s.sums(items, row.Kind, money)
	for i, g := range f.Groups {
		s.group(i, g, money)
	}
	return s
}

// day writes a stored day.
func (s *sheet) day(stored string) string {
	t, err := time.Parse(time.DateOnly, stored)
	if err != nil {
		return stored
	}
	return s.Date(t)
}

// identify sets the names and addresses of the parties, and what else identifies them.
func (s *sheet) identify() {
	for to, p := range map[*[]string]document.Party{&s.From: s.f.Seller, &s.To: s.f.Buyer} {
		*to = s.party(p)
		for _, of := range []struct {
			key  phrase.Key
			text string
		}{{phrase.VATIDIs, p.VATID}, {phrase.TaxNumberIs, p.TaxNumber}, {phrase.RegistrationIs, p.Registration}} {
			if of.text != "" {
				*to = append(*to, s.Say(of.key, of.text))
			}
		}
		if p.Email != "" {
			*to = append(*to, p.Email)
		}
	}
}

// party returns the name and the address of a party.
func (s *sheet) party(p document.Party) []string {
	lines := []string{p.Name}
	if a := p.Address; a != nil {
		text := func(s *string) string {
			if s == nil {
				return ""
			}
			return *s
		}
		lines = append(lines, text(a.Company), text(a.Name), a.Line1, text(a.Line2),
			strings.TrimSpace(text(a.PostalCode)+" "+a.City), text(a.Region), s.Country(a.Country))
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(lines, func(l string) bool {
		again := seen[l]
		seen[l] = true
		return again
	})
}

func (s *sheet) row(l document.InvoiceLine, money func(int64) string) row {
	r := row{Title: l.Title, Options: strings.Join(l.Options, " / "), SKU: l.SKU, Quantity: l.Quantity,
		Unit: money(l.UnitMinor), Amount: money(l.AmountMinor), Rate: s.rate(s.f.Groups[l.Group])}
	if l.DiscountMinor > 0 {
		r.Discount = s.Say(phrase.Discount) + " " + money(-l.DiscountMinor)
	}
	return r
}

// rate returns the rates of a group.
func (s *sheet) rate(g document.TaxGroup) string {
	rates := make([]string, len(g.Taxes))
	for i, t := range g.Taxes {
		rates[i] = s.Percent(t.Rate)
	}
	if len(rates) == 0 {
		return s.Percent("0")
	}
	return strings.Join(rates, " + ")
}

// sums adds the sums, from that of the items to what is still to be paid.
func (s *sheet) sums(items int64, kind state.InvoiceKind, money func(int64) string) {
	add := func(label string, minor int64) { s.Sums = append(s.Sums, sum{Label: label, Amount: money(minor)}) }
	if s.f.Shipping != nil {
		add(s.Say(phrase.Subtotal), items)
		label := s.Say(phrase.Shipping)
		if s.f.Shipping.Title != "" {
			label += " (" + s.f.Shipping.Title + ")"
		}
		add(label+", "+s.rate(s.f.Groups[s.f.Shipping.Group]), s.f.Shipping.AmountMinor)
	}
	add(s.Say(phrase.WithoutTax), s.f.NetMinor)
	add(s.Say(phrase.Tax), s.f.TaxMinor)
	s.Sums = append(s.Sums, sum{Label: s.Say(phrase.Total), Amount: money(s.f.TotalMinor), Strong: true})
	switch left := s.f.TotalMinor - s.f.PaidMinor; {
	case kind == state.InvoiceCredit && s.f.PaidMinor > 0:
		add(s.Say(phrase.Refunded), s.f.PaidMinor)
	case kind == state.InvoiceCredit:
	case left > 0:
		if s.f.PaidMinor > 0 {
			add(s.Say(phrase.Paid), s.f.PaidMinor)
		}
		add(s.Say(phrase.StillToPay), left)
		if s.Instructions = s.Say(phrase.PayOnReceipt); s.method() != "" {
			s.Instructions += ": " + s.method()
		}
	case s.f.PaidOn != "":
		if s.Paid = s.Say(phrase.PaidOn, s.day(s.f.PaidOn)); s.method() != "" {
			s.Paid += ": " + s.method()
		}
	}
}

// methods are the names of the methods of payment.
var methods = map[state.PaymentMethod]phrase.Key{
	state.PaymentTransfer: phrase.BankTransfer, state.PaymentOnDelivery: phrase.CashOnDelivery,
	state.PaymentTest: phrase.TestPayment, state.PaymentStripe: phrase.OnlinePayment,
}

func (s *sheet) method() string {
	if key, ok := methods[s.f.PaymentMethod]; ok {
		return s.Say(key)
	}
	return ""
}

// group adds a group to the table of taxes, or the reason why it bears none.
func (s *sheet) group(at int, g document.TaxGroup, money func(int64) string) {
	used := s.f.Shipping != nil && s.f.Shipping.Group == at ||
		slices.ContainsFunc(s.f.Lines, func(l document.InvoiceLine) bool { return l.Group == at })
	if !used {
		return
	}
	if reason := paper.Reason(s.Texts, g); reason != "" {
		s.Reasons = append(s.Reasons, reason)
	}
	for _, t := range g.Taxes {
		s.Taxes = append(s.Taxes, tax{t.Name + " " + s.Percent(t.Rate), money(t.BaseMinor), money(t.AmountMinor)})
	}
}
