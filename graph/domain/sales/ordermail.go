package sales

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// Order is what an email is about.
type mailedOrder struct {
	*db.Order
	Lines []*db.OrderLine
	Shop  string // the name of the shop
	URL   string // the page of the order
	// Instructions say how it is paid, "" for nothing.
	Instructions string
	// PayBy is the last day on which a bank transfer is in time, zero for none.
	PayBy time.Time
	// Tracking is where the parcel is, of a shipment alone.
	Tracking []string
	// Parts are the lines of a shipment or a refund, and Coming those that are still to be
	// shipped.
	Parts, Coming []mailPart
	// AmountMinor is that of a payment or a refund.
	AmountMinor int64
	// Stop is where a stranger stops emails of the shop, "" for nowhere.
	Stop string
}

// Part is some pieces of a line.
type mailPart struct {
	Line   *db.OrderLine
	Pieces int64
}

// Mail is a mail as it is sent.
type orderMail struct{ Subject, Text, HTML string }

// wording is the subject and the first sentence of a mail.
type wording struct{ subject, text phrase.Key }

// about is what shoppers are told, and how.
var about = map[event.Type]wording{
	event.OrderCreated:            {phrase.ConfirmedSubject, phrase.ConfirmedText},
	event.OrderPaid:               {phrase.PaymentSubject, phrase.PaymentText},
	event.OrderPartiallyPaid:      {phrase.PaymentSubject, phrase.PaymentText},
	event.OrderPartiallyFulfilled: {phrase.PartlyShippedSubject, phrase.PartlyShippedText},
	event.OrderFulfilled:          {phrase.ShippedSubject, phrase.ShippedText},
	event.OrderRefunded:           {phrase.RefundedSubject, phrase.RefundedText},
	event.OrderCancelled:          {phrase.CancelledSubject, phrase.CancelledText},
}

// Tells reports whether shoppers are told of an event.
func hasMail(t event.Type) bool {
	_, ok := about[t]
	return ok
}

// row is a line of the order, or one of its sums.
type mailRow struct {
	Label, Detail, Amount string
	Last                  bool
}

// section is a list of lines under a title, which may be "".
type mailSection struct {
	Title string
	Rows  []mailRow
}

// view is what the template shows.
type mailView struct {
	Language, Direction  string
	Shop, Greeting, Link string
	URL                  string
	// HowTo says how the order is paid, where it is not.
	HowTo          string
	HowToText      []string
	Tracking       string
	Parcels        []string
	Goods          []mailSection
	Sums           []mailRow
	Stop, StopText string
}

// Compose words the email about an event, of which [Tells] knows.
func composeMail(t event.Type, o mailedOrder) (orderMail, error) {
	language := state.English
	if o.Language != nil {
		language = *o.Language
	}
	texts, number := phrase.In(language), strconv.FormatInt(o.Number, 10)
	said := []string{number, o.Shop, texts.Money(o.AmountMinor, o.Currency)}
	v := mailView{Language: string(language), Direction: language.Direction(), Shop: o.Shop, URL: o.URL,
		Greeting: texts.Say(about[t].text, said...), Link: texts.Say(phrase.MailLink), Goods: mailedGoods(texts, t, o)}
	if t != event.OrderFulfilled && t != event.OrderPartiallyFulfilled { // a shipment is about goods alone
		v.Sums = sums(texts, o)
	}
	if t == event.OrderCreated {
		v.HowToText = howTo(texts, number, o)
	}
	if len(v.HowToText) > 0 {
		v.HowTo = texts.Say(phrase.Instructions)
	}
	if len(o.Tracking) > 0 {
		v.Tracking, v.Parcels = texts.Say(phrase.Tracking), o.Tracking
	}
	if o.Stop != "" {
		v.Stop, v.StopText = o.Stop, texts.Say(phrase.NotOrdered)
	}
	var html strings.Builder
	if err := mailPage.Execute(&html, v); err != nil {
		return orderMail{}, fmt.Errorf("word a mail: %w", err)
	}
	return orderMail{texts.Say(about[t].subject, said...), plain(v), html.String()}, nil
}

// howTo says how an order is paid that is not.
func howTo(texts *phrase.Texts, number string, o mailedOrder) (list []string) {
	if o.PaidAt != nil || o.PaymentMethod == nil {
		return nil
	}
	switch {
	case o.PaymentMethod.Online():
		list = append(list, texts.Say(phrase.PayOnline))
	case *o.PaymentMethod == state.PaymentTransfer:
		list = append(list, texts.Say(phrase.PayTransfer, texts.Money(o.TotalMinor, o.Currency), number))
		if !o.PayBy.IsZero() {
			list = append(list, texts.Say(phrase.PayBy, texts.Date(o.PayBy)))
		}
	}
	if o.Instructions != "" {
		list = append(list, strings.Split(o.Instructions, "\n")...)
	}
	return list
}

// goods are the lines that the event is about.
func mailedGoods(texts *phrase.Texts, t event.Type, o mailedOrder) []mailSection {
	switch t {
	case event.OrderPaid, event.OrderPartiallyPaid:
		return nil
	case event.OrderFulfilled, event.OrderPartiallyFulfilled:
		list := []mailSection{{texts.Say(phrase.ShippedNow), pieces(o.Parts)}}
		if len(o.Coming) > 0 {
			list = append(list, mailSection{texts.Say(phrase.StillToCome), pieces(o.Coming)})
		}
		return list
	case event.OrderRefunded:
		return []mailSection{{Rows: pieces(o.Parts)}}
	}
	return []mailSection{{Rows: mailLines(texts, o)}}
}

// pieces are some pieces of lines, without their prices.
func pieces(parts []mailPart) []mailRow {
	list := make([]mailRow, len(parts))
	for i, p := range parts {
		list[i] = mailRow{Label: p.Line.Title, Detail: options(p.Line), Amount: strconv.FormatInt(p.Pieces, 10) + " ×"}
	}
	return list
}

// options tell the variant of a line.
func options(l *db.OrderLine) string {
	list, err := l.Options.List()
	if err != nil {
		return "" // the title says enough
	}
	return strings.Join(list, " / ")
}

// lines are those of the order.
func mailLines(texts *phrase.Texts, o mailedOrder) []mailRow {
	list := make([]mailRow, len(o.Lines))
	for i, l := range o.Lines {
		list[i] = mailRow{Label: l.Title, Detail: options(l),
			Amount: strconv.FormatInt(l.Quantity, 10) + " × " + texts.Money(l.UnitPriceMinor, o.Currency)}
	}
	return list
}

// sums are what the order comes to; those that are 0 are left out.
func sums(texts *phrase.Texts, o mailedOrder) []mailRow {
	var list []mailRow
	add := func(k phrase.Key, minor int64) {
		if minor != 0 {
			list = append(list, mailRow{Label: texts.Say(k), Amount: texts.Money(minor, o.Currency)})
		}
	}
	var included int64
	if o.IncludedTaxMinor != nil {
		included = *o.IncludedTaxMinor
	}
	shipping, tax, included := price.ShownTax(o.ShippingMinor, o.TaxMinor, included)
	add(phrase.Subtotal, o.SubtotalMinor)
	add(phrase.Discount, -o.DiscountMinor)
	add(phrase.Shipping, shipping)
	add(phrase.Tax, tax)
	total := texts.Money(o.TotalMinor, o.Currency)
	list = append(list, mailRow{Label: texts.Say(phrase.Total), Amount: total, Last: true})
	add(phrase.TaxIncluded, included)
	add(phrase.Refunded, -o.RefundedMinor)
	if o.PaidMinor > 0 {
		add(phrase.StillToPay, o.TotalMinor-o.PaidMinor)
	}
	return list
}

// plain is the mail as text.
func plain(v mailView) string {
	var b strings.Builder
	b.WriteString(v.Greeting + "\n")
	part := func(title string, lines []string) {
		if len(lines) > 0 {
			b.WriteString("\n" + title + ":\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	part(v.HowTo, v.HowToText)
	part(v.Tracking, v.Parcels)
	for _, g := range v.Goods {
		b.WriteString("\n")
		if g.Title != "" {
			b.WriteString(g.Title + ":\n")
		}
		for _, l := range g.Rows {
			b.WriteString(l.text() + "\n")
		}
	}
	b.WriteString("\n")
	for _, s := range v.Sums {
		b.WriteString(s.text() + "\n")
	}
	b.WriteString("\n" + v.Link + ":\n" + v.URL + "\n\n" + v.Shop + "\n")
	if v.Stop != "" {
		b.WriteString("\n" + v.StopText + ":\n" + v.Stop + "\n")
	}
	return b.String()
}

// text is a row as one line.
func (r mailRow) text() string {
	if r.Detail != "" {
		return r.Label + " (" + r.Detail + "): " + r.Amount
	}
	return r.Label + ": " + r.Amount
}

// page is the mail as HTML. Programs that read mails know little of it: tables, and styles
// that stand in the elements. Some show what is inside of the body alone, so the table says
// the direction, too.
var mailPage = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="{{.Language}}" dir="{{.Direction}}">
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif">
<table role="presentation" dir="{{.Direction}}"
 style="max-width:36rem;width:100%;margin:0 auto;border-collapse:collapse">
<tr><td colspan="2" style="font-size:20px;font-weight:bold;padding-bottom:16px"><bdi>{{.Shop}}</bdi></td></tr>
<tr><td colspan="2" style="padding-bottom:16px">{{.Greeting}}</td></tr>
{{- with .HowToText}}
<tr><td colspan="2" style="padding-bottom:16px"><strong>{{$.HowTo}}</strong>
{{- range .}}<br>{{.}}{{end}}</td></tr>{{end}}
{{- with .Parcels}}
<tr><td colspan="2" style="padding-bottom:16px"><strong>{{$.Tracking}}</strong>{{range .}}<br>{{.}}{{end}}</td></tr>{{end}}
{{- range .Goods}}{{with .Title}}
<tr><td colspan="2" style="padding:12px 0 6px"><strong>{{.}}</strong></td></tr>{{end}}{{range .Rows}}
<tr><td style="padding:6px 0;border-top:1px solid #ccc"><bdi>{{.Label}}</bdi>{{with .Detail}}<br><bdi>{{.}}</bdi>{{end}}</td>
<td style="padding:6px 0;border-top:1px solid #ccc;text-align:end"><bdi>{{.Amount}}</bdi></td></tr>{{end}}{{end}}
{{- range .Sums}}
<tr{{if .Last}} style="font-weight:bold"{{end}}><td style="padding:3px 0">{{.Label}}</td>
<td style="padding:3px 0;text-align:end"><bdi>{{.Amount}}</bdi></td></tr>{{end}}
<tr><td colspan="2" style="padding-top:20px"><a href="{{.URL}}">{{.Link}}</a></td></tr>
{{- with .Stop}}
<tr><td colspan="2" style="padding-top:20px"><small><a href="{{.}}">{{$.StopText}}</a></small></td></tr>{{end}}
</table>
</body>
</html>
`))
