package sales

import (
	"context"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/ordertext"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/markdown"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// emailTexts are the texts of an email that a store may replace: the subject is one line, the others
// are Markdown. All may contain variables.
type emailTexts struct {
	Subject, Intro, Closing string
	// Own says that the store wrote them.
	Own bool
}

// The variables of texts.
const (
	varNumber   = "order.number"
	varTotal    = "order.total"
	varShop     = "shop.name"
	varContact  = "shop.email"
	varCustomer = "customer.name"
	varAmount   = "amount"
)

// variablesOf returns the names of the variables of an email. The amount is that of the payment or
// refund.
func variablesOf(e state.OrderEmail) []string {
	if e == state.EmailReminder {
		return []string{varShop, varContact}
	}
	list := []string{varNumber, varTotal, varShop, varContact, varCustomer}
	if e == state.EmailPaid || e == state.EmailRefunded {
		list = append(list, varAmount)
	}
	return list
}

var usualTexts = map[state.OrderEmail]struct{ subject, text phrase.Key }{
	state.EmailPlaced:          {phrase.ConfirmedSubject, phrase.ConfirmedText},
	state.EmailPaid:            {phrase.PaymentSubject, phrase.PaymentText},
	state.EmailShipped:         {phrase.ShippedSubject, phrase.ShippedText},
	state.EmailPartlyShipped:   {phrase.PartlyShippedSubject, phrase.PartlyShippedText},
	state.EmailRefunded:        {phrase.RefundedSubject, phrase.RefundedText},
	state.EmailCancelled:       {phrase.CancelledSubject, phrase.CancelledText},
	state.EmailReturnRequested: {phrase.ReturnRequestedSubject, phrase.ReturnRequestedText},
	state.EmailWithdrawn:       {phrase.WithdrawnSubject, phrase.WithdrawnText},
	state.EmailReturnApproved:  {phrase.ReturnApprovedSubject, phrase.ReturnApprovedText},
	state.EmailReturnDeclined:  {phrase.ReturnDeclinedSubject, phrase.ReturnDeclinedText},
	state.EmailReminder:        {phrase.ReminderSubject, phrase.ReminderText},
}

// usualOf returns the texts of the service, with variables.
func usualOf(e state.OrderEmail, l state.Language) emailTexts {
	texts, said := phrase.In(l), []string{inBraces(varNumber), inBraces(varShop), inBraces(varAmount)}
	if e == state.EmailReminder {
		said = said[1:2]
	}
	return emailTexts{Subject: texts.Say(usualTexts[e].subject, said...), Intro: texts.Say(usualTexts[e].text, said...)}
}

func inBraces(variable string) string { return "{{ " + variable + " }}" }

// emailTexts returns the texts of an email: the store's own, or those of the service.
func (r *Resolver) emailTexts(ctx context.Context, e state.OrderEmail, l state.Language) (emailTexts, error) {
	rows, err := r.Client(ctx).OrderText.Query().Where(ordertext.LanguageEQ(l), ordertext.EmailEQ(e)).Load(ctx)
	if err != nil || len(rows) == 0 {
		return usualOf(e, l), fault.Wrap("read the texts of an email", err)
	}
	return ownTexts(rows[0]), nil
}

func ownTexts(row *db.OrderText) emailTexts {
	return emailTexts{row.Subject, row.Intro, row.Closing, true}
}

var variableForm = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// checkVariables refuses a text with a variable that an email does not have.
func checkVariables(c *core.Check, pointer, text string, e state.OrderEmail) {
	for _, found := range variableForm.FindAllStringSubmatch(text, -1) {
		if name := strings.TrimSpace(found[1]); !slices.Contains(variablesOf(e), name) {
			c.Add(pointer, fault.UnknownValue, fmt.Sprintf("There is no variable {{ %s }} here. Use %s.", name,
				strings.Join(core.Map(variablesOf(e), inBraces), ", ")))
			return
		}
	}
}

// fillIn replaces the variables of a text by their values, which escape makes safe.
func fillIn(text string, values map[string]string, escape func(string) string) string {
	return variableForm.ReplaceAllStringFunc(text, func(found string) string {
		return escape(values[strings.TrimSpace(found[2:len(found)-2])])
	})
}

// values returns the values of the variables. The shopper typed the name, perhaps to send an
// advertisement to a stranger, so it has no links.
func (o emailOrder) values() map[string]string {
	texts := o.texts()
	values := map[string]string{varNumber: strconv.FormatInt(o.Number, 10),
		varTotal: texts.Money(o.TotalMinor, o.Currency), varShop: o.Shop, varContact: o.Contact,
		varAmount: texts.Money(o.AmountMinor, o.Currency)}
	if a, err := o.ShippingAddress.Fields(); err == nil && a != nil && a.Name != nil {
		values[varCustomer] = notify.Unlink(clipped(*a.Name))
	} else if a, err := o.BillingAddress.Fields(); err == nil && a != nil && a.Name != nil {
		values[varCustomer] = notify.Unlink(clipped(*a.Name))
	}
	for name := range maps.Keys(values) {
		values[name] = strings.Join(strings.Fields(values[name]), " ")
	}
	return values
}

// said returns a text with its values, as plain text.
func (o emailOrder) said(text string, values map[string]string) string {
	text = fillIn(text, values, func(s string) string { return s })
	if o.Plain {
		return notify.Unlink(text)
	}
	return text
}

var anchors = regexp.MustCompile(`<a [^>]*>|</a>`)

// rich returns a Markdown text with its values as HTML. Values appear as plain text. Images are
// replaced by their alternative texts, and paths lead to the shop.
func (o emailOrder) rich(text string, values map[string]string) template.HTML {
	html, err := markdown.HTML(fillIn(text, values, escapeMarkdown), func(string) string { return "" })
	if err != nil { // values made it too large
		html = template.HTMLEscapeString(fillIn(text, values, func(s string) string { return s }))
	}
	if o.Plain {
		// The renderer escapes text, so these are its own tags.
		html = notify.Unlink(anchors.ReplaceAllString(html, ""))
	}
	html = strings.ReplaceAll(strings.TrimSpace(html), `href="/`, `href="`+o.Home+"/")
	return template.HTML(html) //nolint:gosec // the renderer's, which escapes all text
}

var punctuation = regexp.MustCompile(`[[:punct:]]`)

// escapeMarkdown makes a text mean itself in Markdown.
func escapeMarkdown(s string) string { return punctuation.ReplaceAllString(s, `\$0`) }
