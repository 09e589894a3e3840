package sales

import (
	"cmp"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// emailOrder is what an email is about.
type emailOrder struct {
	*db.Order
	Lines []*db.OrderLine
	Shop  string // the name of the shop
	URL   string // the page of the order
	Home  string // scheme and host of the shop
	// Instructions say how to pay, "" for nothing.
	Instructions string
	// PayBy is the last day on which a bank transfer is in time, zero for none.
	PayBy time.Time
	// Tracking is the tracking details of a shipment, and TrackingURL the page of its carrier. Of a
	// return they are what the store says, and the address of a label. "" is none.
	Tracking    []string
	TrackingURL string
	// Method names the payment method, Contact is the address for replies, Logo that of an image,
	// and Accent the color of the store, as # and six hexadecimal digits; "" for none.
	Method, Contact, Logo, Accent string
	// Parts are the lines of a shipment, refund or return, Coming the lines that are still to be shipped.
	Parts, Coming []emailPart
	// Files says that the page of the order has files to download.
	Files bool
	// AmountMinor is the amount of a payment or refund.
	AmountMinor int64
	// Plain says that the texts of the store's staff must have no links, because the store is new.
	Plain bool
	// Stop is the address at which a stranger stops emails of the shop, "" for none.
	Stop string
}

// texts returns the texts in the language of the order.
func (o emailOrder) texts() *phrase.Texts {
	if o.Language == nil {
		return phrase.In(state.English)
	}
	return phrase.In(*o.Language)
}

// emailPart is a number of units of a line.
type emailPart struct {
	Line   *db.OrderLine
	Pieces int64
}

// orderEmail is an email as it is sent.
type orderEmail struct{ From, ReplyTo, Subject, Text, HTML string }

// emailOf has the email about each event that shoppers get one about.
var emailOf = map[event.Type]state.OrderEmail{
	event.OrderCreated:            state.EmailPlaced,
	event.OrderPaid:               state.EmailPaid,
	event.OrderPartiallyPaid:      state.EmailPaid,
	event.OrderPartiallyFulfilled: state.EmailPartlyShipped,
	event.OrderFulfilled:          state.EmailShipped,
	event.OrderRefunded:           state.EmailRefunded,
	event.OrderCancelled:          state.EmailCancelled,
}

// shipped reports whether an email is about a shipment. It shows no amounts.
func shipped(e state.OrderEmail) bool {
	return e == state.EmailShipped || e == state.EmailPartlyShipped
}

// saidOf has the title of what the store says in an email about a return. It shows no amounts.
var saidOf = map[state.OrderEmail]phrase.Key{
	state.EmailReturnRequested: phrase.ReturnReceived,
	state.EmailWithdrawn:       phrase.ReturnReceived,
	state.EmailReturnApproved:  phrase.ReturnHowTo,
	state.EmailReturnDeclined:  phrase.ReturnWhyNot,
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
	Language, Direction string
	Shop, Logo, Link    string
	Intro, Closing      template.HTML
	IntroText, EndText  string
	URL                 string
	// HowTo says how to pay an unpaid order.
	HowTo     string
	HowToText []string
	Tracking  string
	Parcels   []string
	ParcelURL string
	// Downloads leads to the files on the page of the order; "" if there are none.
	Downloads      string
	Goods          []emailSection
	Sums           []emailRow
	Facts          []emailFact
	Contact        string // an address
	ContactText    string
	Stop, StopText string
	// Accent is the color of the button, and Ink that of its text.
	Accent, Ink string
}

// emailFact says how an order is shipped or paid.
type emailFact struct {
	Label string
	Lines []string
}

// The colors of buttons of stores without an accent, and of text on dark and light buttons.
const (
	plainAccent = "#333333"
	lightInk    = "#ffffff"
	darkInk     = "#000000"
)

var colorForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// inkOn returns the color of text that is readable on a color.
func inkOn(accent string) string {
	n, err := strconv.ParseUint(strings.TrimPrefix(accent, "#"), 16, 32)
	if err != nil {
		return lightInk
	}
	// The brightness of W3C's Techniques for Accessibility Evaluation, in thousandths.
	if n>>16*299+n>>8&0xff*587+n&0xff*114 > 140_000 {
		return darkInk
	}
	return lightInk
}

// composeEmail composes an email about an order with the given texts.
func composeEmail(e state.OrderEmail, o emailOrder, own emailTexts) (orderEmail, error) {
	texts, number := o.texts(), strconv.FormatInt(o.Number, 10)
	values := o.values()
	v := emailView{Language: string(texts.Language), Direction: texts.Direction, Shop: o.Shop, Logo: o.Logo, URL: o.URL,
		Intro: o.rich(own.Intro, values), Closing: o.rich(own.Closing, values),
		IntroText: o.said(own.Intro, values), EndText: o.said(own.Closing, values),
		Link: texts.Say(phrase.MailLink), Goods: emailItems(texts, e, o),
		Accent: cmp.Or(o.Accent, plainAccent), ParcelURL: o.TrackingURL, Contact: o.Contact}
	v.Ink = inkOn(v.Accent)
	if v.Contact != "" {
		v.ContactText = texts.Say(phrase.MailContact)
	}
	said, ofReturn := saidOf[e]
	ofCart := e == state.EmailReminder
	if ofCart {
		v.Link = texts.Say(phrase.BackToCart)
	}
	if !shipped(e) && !ofReturn && !ofCart {
		taxes, err := ShownOfOrder(texts, o.Order)
		if err != nil {
			return orderEmail{}, err
		}
		v.Sums = sums(texts, o, taxes)
	}
	if e == state.EmailPlaced {
		v.HowToText = howTo(texts, number, o)
	}
	if len(v.HowToText) > 0 {
		v.HowTo = texts.Say(phrase.Instructions)
	}
	if o.Files && (e == state.EmailPlaced || e == state.EmailPaid) {
		v.Downloads = texts.Say(phrase.Downloads)
	}
	if len(o.Tracking) > 0 || o.TrackingURL != "" {
		if v.Tracking, v.Parcels = texts.Say(phrase.Tracking), o.Tracking; ofReturn {
			v.Tracking = texts.Say(said)
		}
	}
	if !ofReturn && !ofCart {
		var err error
		if v.Facts, err = facts(texts, o); err != nil {
			return orderEmail{}, err
		}
	}
	if o.Stop != "" {
		if v.Stop, v.StopText = o.Stop, texts.Say(phrase.NotOrdered); ofCart {
			v.StopText = texts.Say(phrase.ReminderStop)
		}
	}
	var html strings.Builder
	if err := emailPage.Execute(&html, v); err != nil {
		return orderEmail{}, fmt.Errorf("compose the email: %w", err)
	}
	return orderEmail{o.Shop, o.Contact, o.said(own.Subject, values), plain(v), html.String()}, nil
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
		list = append(list, texts.Say(phrase.PayTransfer, texts.Money(owed(o.Order), o.Currency), number))
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
func emailItems(texts *phrase.Texts, e state.OrderEmail, o emailOrder) []emailSection {
	switch {
	case shipped(e):
		list := []emailSection{{texts.Say(phrase.ShippedNow), pieces(o.Parts)}}
		if len(o.Coming) > 0 {
			list = append(list, emailSection{texts.Say(phrase.StillToCome), pieces(o.Coming)})
		}
		return list
	case e == state.EmailRefunded, saidOf[e] != "":
		return []emailSection{{Rows: pieces(o.Parts)}}
	}
	return []emailSection{{Rows: emailLines(texts, o)}}
}

// facts says how an order is shipped and paid.
func facts(texts *phrase.Texts, o emailOrder) (list []emailFact, err error) {
	add := func(k phrase.Key, lines ...string) {
		if len(lines) > 0 && lines[0] != "" {
			list = append(list, emailFact{texts.Say(k), lines})
		}
	}
	address, err := o.ShippingAddress.Fields()
	if err != nil {
		return nil, fmt.Errorf("read the address: %w", err)
	}
	if o.ShippingMethod != nil {
		add(phrase.StepShipping, *o.ShippingMethod)
	}
	lines := AddressLines(texts, address)
	for i, s := range lines { // the shopper typed it, perhaps to advertise to a stranger
		lines[i] = notify.Unlink(s)
	}
	add(phrase.StepAddress, lines...)
	add(phrase.StepPayment, o.Method)
	return list, nil
}

// AddressLines returns an address in the order in which it is read, or nothing of a nil address.
func AddressLines(texts *phrase.Texts, a *document.AddressFields) (list []string) {
	if a == nil {
		return nil
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	town := strings.TrimSpace(text(a.PostalCode) + " " + a.City)
	for _, line := range []string{text(a.Name), text(a.Company), a.Line1, text(a.Line2), town, text(a.Region),
		texts.Country(a.Country)} {
		if line != "" {
			list = append(list, line)
		}
	}
	return list
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
	b.WriteString(v.IntroText + "\n")
	part := func(title string, lines []string) {
		if len(lines) > 0 {
			b.WriteString("\n" + title + ":\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	part(v.HowTo, v.HowToText)
	if v.ParcelURL != "" {
		v.Parcels = append(slices.Clone(v.Parcels), v.ParcelURL)
	}
	part(v.Tracking, v.Parcels)
	if v.Downloads != "" {
		part(v.Downloads, []string{v.URL + "#downloads"})
	}
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
	for _, f := range v.Facts {
		part(f.Label, f.Lines)
	}
	b.WriteString("\n" + v.Link + ":\n" + v.URL + "\n\n")
	if v.EndText != "" {
		b.WriteString(v.EndText + "\n\n")
	}
	b.WriteString(v.Shop + "\n")
	if v.Contact != "" {
		b.WriteString(v.ContactText + ": " + v.Contact + "\n")
	}
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
<tr><td colspan="2" style="font-size:20px;font-weight:bold;padding:12px 0 16px;border-top:4px solid {{.Accent}}">
{{with .Logo}}<img src="{{.}}" alt="{{$.Shop}}" style="max-width:200px;max-height:48px">
{{- else}}<bdi>{{.Shop}}</bdi>{{end}}</td></tr>
<tr><td colspan="2" style="padding-bottom:16px">{{.Intro}}</td></tr>
{{- with .HowToText}}
<tr><td colspan="2" style="padding-bottom:16px"><strong>{{$.HowTo}}</strong>
{{- range .}}<br>{{.}}{{end}}</td></tr>{{end}}
{{- with .Downloads}}
<tr><td colspan="2" style="padding-bottom:16px"><a href="{{$.URL}}#downloads"><strong>{{.}}</strong></a></td></tr>{{end}}
{{- if .Tracking}}
<tr><td colspan="2" style="padding-bottom:16px"><strong>{{.Tracking}}</strong>{{range .Parcels}}<br>{{.}}{{end}}
{{- with .ParcelURL}}<br><a href="{{.}}">{{.}}</a>{{end}}</td></tr>{{end}}
{{- range .Goods}}{{with .Title}}
<tr><td colspan="2" style="padding:12px 0 6px"><strong>{{.}}</strong></td></tr>{{end}}{{range .Rows}}
<tr><td style="padding:6px 0;border-top:1px solid #ccc"><bdi>{{.Label}}</bdi>
{{- with .Detail}}<br><bdi>{{.}}</bdi>{{end}}</td>
<td style="padding:6px 0;border-top:1px solid #ccc;text-align:end"><bdi>{{.Amount}}</bdi></td></tr>{{end}}{{end}}
{{- range .Sums}}
<tr{{if .Last}} style="font-weight:bold"{{end}}><td style="padding:3px 0">{{.Label}}</td>
<td style="padding:3px 0;text-align:end"><bdi>{{.Amount}}</bdi></td></tr>{{end}}
{{- range .Facts}}
<tr><td colspan="2" style="padding-top:16px"><strong>{{.Label}}</strong>
{{- range .Lines}}<br><bdi>{{.}}</bdi>{{end}}</td></tr>{{end}}
<tr><td colspan="2" style="padding-top:20px"><a href="{{.URL}}" style="display:inline-block;padding:10px 18px;
border-radius:6px;text-decoration:none;background:{{.Accent}};color:{{.Ink}}">{{.Link}}</a></td></tr>
{{- with .Closing}}
<tr><td colspan="2" style="padding-top:20px">{{.}}</td></tr>{{end}}
{{- with .Contact}}
<tr><td colspan="2" style="padding-top:20px">{{$.ContactText}}: <a href="mailto:{{.}}">{{.}}</a></td></tr>{{end}}
{{- with .Stop}}
<tr><td colspan="2" style="padding-top:20px"><small><a href="{{.}}">{{$.StopText}}</a></small></td></tr>{{end}}
</table>
</body>
</html>
`))
