// Package ordermail words the mails that shoppers get about an order, in the language in
// which they bought: as plain text, and as HTML that says the same.
package ordermail

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/phrase"
)

// Order is what a mail is about.
type Order struct {
	*db.Order
	Lines []*db.OrderLine
	Shop  string // the name of the shop
	URL   string // the page of the order
	// Instructions say how it is paid, "" for nothing.
	Instructions string
	// Tracking is where the parcel is, of a shipment alone.
	Tracking []string
}

// Mail is a mail as it is sent.
type Mail struct{ Subject, Text, HTML string }

// wording is the subject and the first sentence of a mail.
type wording struct{ subject, text phrase.Key }

// about is what shoppers are told, and how.
var about = map[event.Type]wording{
	event.OrderCreated:            {phrase.ConfirmedSubject, phrase.ConfirmedText},
	event.OrderPartiallyFulfilled: {phrase.ShippedSubject, phrase.ShippedText},
	event.OrderFulfilled:          {phrase.ShippedSubject, phrase.ShippedText},
	event.OrderRefunded:           {phrase.RefundedSubject, phrase.RefundedText},
	event.OrderCancelled:          {phrase.CancelledSubject, phrase.CancelledText},
}

// Tells reports whether shoppers are told of an event.
func Tells(t event.Type) bool {
	_, ok := about[t]
	return ok
}

// row is a line of the order, or one of its sums.
type row struct {
	Label, Detail, Amount string
	Last                  bool
}

// view is what the template shows.
type view struct {
	Language, Direction  string
	Shop, Greeting, Link string
	URL                  string
	Instructions         string
	InstructionsText     []string
	Tracking             string
	Parcels              []string
	Lines, Sums          []row
}

// Compose words the mail about an event, of which [Tells] knows.
func Compose(t event.Type, o Order) (Mail, error) {
	language := state.English
	if o.Language != nil {
		language = *o.Language
	}
	texts, number := phrase.In(language), strconv.FormatInt(o.Number, 10)
	v := view{Language: string(language), Direction: language.Direction(), Shop: o.Shop, URL: o.URL,
		Greeting: texts.Say(about[t].text, number, o.Shop), Link: texts.Say(phrase.MailLink),
		Lines: lines(texts, o), Sums: sums(texts, o)}
	if t == event.OrderCreated && o.Instructions != "" && o.PaidAt == nil {
		v.Instructions, v.InstructionsText = texts.Say(phrase.Instructions), strings.Split(o.Instructions, "\n")
	}
	if len(o.Tracking) > 0 {
		v.Tracking, v.Parcels = texts.Say(phrase.Tracking), o.Tracking
	}
	var html strings.Builder
	if err := page.Execute(&html, v); err != nil {
		return Mail{}, fmt.Errorf("word a mail: %w", err)
	}
	return Mail{texts.Say(about[t].subject, number, o.Shop), plain(v), html.String()}, nil
}

// lines are those of the order.
func lines(texts *phrase.Texts, o Order) []row {
	list := make([]row, len(o.Lines))
	for i, l := range o.Lines {
		options, err := l.Options.List()
		if err != nil {
			options = nil // the title says enough
		}
		list[i] = row{Label: l.Title, Detail: strings.Join(options, " / "),
			Amount: strconv.FormatInt(l.Quantity, 10) + " × " + texts.Money(l.UnitPriceMinor, o.Currency)}
	}
	return list
}

// sums are what the order comes to; those that are 0 are left out.
func sums(texts *phrase.Texts, o Order) []row {
	var list []row
	add := func(k phrase.Key, minor int64) {
		if minor != 0 {
			list = append(list, row{Label: texts.Say(k), Amount: texts.Money(minor, o.Currency)})
		}
	}
	add(phrase.Subtotal, o.SubtotalMinor)
	add(phrase.Discount, -o.DiscountMinor)
	add(phrase.Shipping, o.ShippingMinor)
	add(phrase.Tax, o.TaxMinor)
	list = append(list, row{Label: texts.Say(phrase.Total), Amount: texts.Money(o.TotalMinor, o.Currency), Last: true})
	if o.IncludedTaxMinor != nil {
		add(phrase.TaxIncluded, *o.IncludedTaxMinor)
	}
	add(phrase.Refunded, -o.RefundedMinor)
	return list
}

// plain is the mail as text.
func plain(v view) string {
	var b strings.Builder
	b.WriteString(v.Greeting + "\n")
	part := func(title string, lines []string) {
		if len(lines) > 0 {
			b.WriteString("\n" + title + ":\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	part(v.Instructions, v.InstructionsText)
	part(v.Tracking, v.Parcels)
	b.WriteString("\n")
	for _, l := range v.Lines {
		b.WriteString(l.Label)
		if l.Detail != "" {
			b.WriteString(" (" + l.Detail + ")")
		}
		b.WriteString(": " + l.Amount + "\n")
	}
	b.WriteString("\n")
	for _, s := range v.Sums {
		b.WriteString(s.Label + ": " + s.Amount + "\n")
	}
	b.WriteString("\n" + v.Link + ":\n" + v.URL + "\n\n" + v.Shop + "\n")
	return b.String()
}

// page is the mail as HTML. Programs that read mails know little of it: tables, and styles
// that stand in the elements. Some show what is inside of the body alone, so the table says
// the direction, too.
var page = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="{{.Language}}" dir="{{.Direction}}">
<body style="margin:0;padding:24px;font:16px/1.5 sans-serif">
<table role="presentation" dir="{{.Direction}}"
 style="max-width:36rem;width:100%;margin:0 auto;border-collapse:collapse">
<tr><td colspan="2" style="font-size:20px;font-weight:bold;padding-bottom:16px"><bdi>{{.Shop}}</bdi></td></tr>
<tr><td colspan="2" style="padding-bottom:16px">{{.Greeting}}</td></tr>
{{- with .InstructionsText}}
<tr><td colspan="2" style="padding-bottom:16px"><strong>{{$.Instructions}}</strong>
{{- range .}}<br>{{.}}{{end}}</td></tr>{{end}}
{{- with .Parcels}}
<tr><td colspan="2" style="padding-bottom:16px"><strong>{{$.Tracking}}</strong>{{range .}}<br>{{.}}{{end}}</td></tr>{{end}}
{{- range .Lines}}
<tr><td style="padding:6px 0;border-top:1px solid #ccc"><bdi>{{.Label}}</bdi>{{with .Detail}}<br><bdi>{{.}}</bdi>{{end}}</td>
<td style="padding:6px 0;border-top:1px solid #ccc;text-align:end"><bdi>{{.Amount}}</bdi></td></tr>{{end}}
{{- range .Sums}}
<tr{{if .Last}} style="font-weight:bold"{{end}}><td style="padding:3px 0">{{.Label}}</td>
<td style="padding:3px 0;text-align:end"><bdi>{{.Amount}}</bdi></td></tr>{{end}}
<tr><td colspan="2" style="padding-top:20px"><a href="{{.URL}}">{{.Link}}</a></td></tr>
</table>
</body>
</html>
`))
