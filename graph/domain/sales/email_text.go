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
)

// emailOrder is what an email is about.
type emailOrder struct {
	*db.Order
	Lines []*db.OrderLine
	Shop  string // the name of the shop
	URL   string // the page of the order
	// Instructions say how to pay, "" for nothing.
	Instructions string
	// PayBy is the last day on which a bank transfer is in time, zero for none.
	PayBy time.Time
	// Tracking is the tracking details, of a shipment alone.
	Tracking []string
	// Parts are the lines of a shipment or refund, Coming the lines that are still to be shipped.
	Parts, Coming []emailPart
	// AmountMinor is the amount of a payment or refund.
	AmountMinor int64
	// Stop is the address at which a stranger stops emails of the shop, "" for none.
	Stop string
}

// emailPart is a number of units of a line.
type emailPart struct {
	Line   *db.OrderLine
	Pieces int64
}

// orderEmail is an email as it is sent.
type orderEmail struct{ Subject, Text, HTML string }

// wording is the subject and the first sentence of an email.
type wording struct{ subject, text phrase.Key }

// about has the wording of each event that shoppers get an email about.
var about = map[event.Type]wording{
	event.OrderCreated:            {phrase.ConfirmedSubject, phrase.ConfirmedText},
	event.OrderPaid:               {phrase.PaymentSubject, phrase.PaymentText},
	event.OrderPartiallyPaid:      {phrase.PaymentSubject, phrase.PaymentText},
	event.OrderPartiallyFulfilled: {phrase.PartlyShippedSubject, phrase.PartlyShippedText},
	event.OrderFulfilled:          {phrase.ShippedSubject, phrase.ShippedText},
	event.OrderRefunded:           {phrase.RefundedSubject, phrase.RefundedText},
	event.OrderCancelled:          {phrase.CancelledSubject, phrase.CancelledText},
}

// hasEmail reports whether shoppers get an email about an event.
func hasEmail(t event.Type) bool {
	_, ok := about[t]
	return ok
}

// emailRow is a line of the order, or one of its sums.
type emailRow struct {
	Label, Detail, Amount string
	Last                  bool
}

// emailSection is a list of lines under a title, which may be "".
type emailSection struct {
	Title string
	Rows  []emailRow
}

// emailView is the data of the template.
type emailView struct {
	Language, Direction  string
	Shop, Greeting, Link string
	URL                  string
	// HowTo says how to pay an unpaid order.
	HowTo          string
	HowToText      []string
	Tracking       string
	Parcels        []string
	Goods          []emailSection
	Sums           []emailRow
	Stop, StopText string
}

// composeEmail composes the email about an event that [hasEmail] reports.
func composeEmail(t event.Type, o emailOrder) (orderEmail, error) {
	language := state.English
	if o.Language != nil {
		language = *o.Language
	}
	texts, number := phrase.In(language), strconv.FormatInt(o.Number, 10)
	said := []string{number, o.Shop, texts.Money(o.AmountMinor, o.Currency)}
	v := emailView{Language: string(language), Direction: texts.Direction, Shop: o.Shop, URL: o.URL,
		Greeting: texts.Say(about[t].text, said...), Link: texts.Say(phrase.MailLink), Goods: emailItems(texts, t, o)}
	if t != event.OrderFulfilled && t != event.OrderPartiallyFulfilled { // an email about a shipment shows no amounts
		taxes, err := ShownOfOrder(texts, o.Order)
		if err != nil {
			return orderEmail{}, err
		}
		v.Sums = sums(texts, o, taxes)
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
	if err := emailPage.Execute(&html, v); err != nil {
		return orderEmail{}, fmt.Errorf("compose the email: %w", err)
	}
	return orderEmail{texts.Say(about[t].subject, said...), plain(v), html.String()}, nil
}

// howTo says how to pay an unpaid order.
func howTo(texts *phrase.Texts, number string, o emailOrder) (list []string) {
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

// emailItems returns the lines that the event is about.
func emailItems(texts *phrase.Texts, t event.Type, o emailOrder) []emailSection {
	switch t {
	case event.OrderPaid, event.OrderPartiallyPaid:
		return nil
	case event.OrderFulfilled, event.OrderPartiallyFulfilled:
		list := []emailSection{{texts.Say(phrase.ShippedNow), pieces(o.Parts)}}
		if len(o.Coming) > 0 {
			list = append(list, emailSection{texts.Say(phrase.StillToCome), pieces(o.Coming)})
		}
		return list
	case event.OrderRefunded:
		return []emailSection{{Rows: pieces(o.Parts)}}
	}
	return []emailSection{{Rows: emailLines(texts, o)}}
}

// pieces lists units of lines, without prices.
func pieces(parts []emailPart) []emailRow {
	list := make([]emailRow, len(parts))
	for i, p := range parts {
		list[i] = emailRow{Label: p.Line.Title, Detail: options(p.Line), Amount: strconv.FormatInt(p.Pieces, 10) + " ×"}
	}
	return list
}

// options names the variant of a line.
func options(l *db.OrderLine) string {
	list, err := l.Options.List()
	if err != nil {
		return "" // the title suffices
	}
	return strings.Join(list, " / ")
}

// emailLines lists the lines of the order.
func emailLines(texts *phrase.Texts, o emailOrder) []emailRow {
	list := make([]emailRow, len(o.Lines))
	for i, l := range o.Lines {
		list[i] = emailRow{Label: l.Title, Detail: options(l),
			Amount: strconv.FormatInt(l.Quantity, 10) + " × " + texts.Money(l.UnitPriceMinor, o.Currency)}
	}
	return list
}

// sums lists the sums of the order, without those that are 0.
func sums(texts *phrase.Texts, o emailOrder, taxes ShownTaxes) []emailRow {
	var list []emailRow
	add := func(k phrase.Key, minor int64) {
		if minor != 0 {
			list = append(list, emailRow{Label: texts.Say(k), Amount: texts.Money(minor, o.Currency)})
		}
	}
	addTaxes := func(all []ShownTax) {
		for _, t := range all {
			list = append(list, emailRow{Label: t.Label, Amount: texts.Money(t.Minor, o.Currency)})
		}
	}
	add(phrase.Subtotal, o.SubtotalMinor)
	add(phrase.Discount, -o.DiscountMinor)
	add(phrase.Shipping, taxes.ShippingMinor)
	addTaxes(taxes.Added)
	total := texts.Money(o.TotalMinor, o.Currency)
	list = append(list, emailRow{Label: texts.Say(phrase.Total), Amount: total, Last: true})
	addTaxes(taxes.Included)
	add(phrase.Refunded, -o.RefundedMinor)
	if o.PaidMinor > 0 {
		add(phrase.StillToPay, o.TotalMinor-o.PaidMinor)
	}
	return list
}

// plain returns the email as text.
func plain(v emailView) string {
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

// text returns a row as one line.
func (r emailRow) text() string {
	if r.Detail != "" {
		return r.Label + " (" + r.Detail + "): " + r.Amount
	}
	return r.Label + ": " + r.Amount
}

// emailPage is the email as HTML. Email programs support little of it, hence tables and inline
// styles. Some show only the contents of the body, so the table has the direction too.
var emailPage = template.Must(template.New("mail").Parse(`<!doctype html>
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
