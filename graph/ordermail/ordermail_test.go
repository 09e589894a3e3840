package ordermail_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/ordermail"
)

// bought is an order in a language.
func bought(l state.Language) ordermail.Order {
	return ordermail.Order{Shop: "Kestrel <Bikes>", URL: "https://kestrel.example/orders/T",
		Instructions: "IBAN DE02\nby Friday",
		Order: &db.Order{Number: 1031, Currency: "EUR", SubtotalMinor: 8980, ShippingMinor: 490, TotalMinor: 9470,
			IncludedTaxMinor: new(int64(1512)), Language: &l},
		Lines: []*db.OrderLine{{Title: "Pedals & grips", Quantity: 2, UnitPriceMinor: 4490,
			Options: document.NewTags([]string{"M", "red"})}}}
}

func TestCompose(t *testing.T) {
	for l, want := range map[state.Language][]string{
		state.English:  {"Order 1031 at Kestrel <Bikes>", "Pedals & grips (M / red): 2 × €44.90", "Total: €94.70"},
		state.German:   {"1031", "2 × 44,90\u00a0€", "94,70\u00a0€"},
		state.Japanese: {"1031", "2 × €44.90"},
		state.Arabic:   {"1031"},
	} {
		m, err := ordermail.Compose(event.OrderCreated, bought(l))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(want, "IBAN DE02\nby Friday", "https://kestrel.example/orders/T") {
			if !strings.Contains(m.Subject+"\n"+m.Text, text) {
				t.Errorf("%s: %q is not in\n%s\n%s", l, text, m.Subject, m.Text)
			}
		}
		for _, text := range []string{`lang="` + string(l) + `" dir="` + l.Direction() + `"`,
			`<table role="presentation" dir="` + l.Direction() + `"`, "Pedals &amp; grips",
			"Kestrel &lt;Bikes&gt;", "IBAN DE02<br>by Friday", `href="https://kestrel.example/orders/T"`} {
			if !strings.Contains(m.HTML, text) {
				t.Errorf("%s: %q is not in\n%s", l, text, m.HTML)
			}
		}
	}
}

// Every mail has its own words, in every language.
func TestComposeAll(t *testing.T) {
	for _, l := range state.Languages() {
		seen := map[string]bool{}
		for _, about := range []event.Type{event.OrderCreated, event.OrderFulfilled, event.OrderRefunded,
			event.OrderCancelled} {
			o := bought(l)
			o.Tracking = []string{"Post 123"}
			m, err := ordermail.Compose(about, o)
			if err != nil || !ordermail.Tells(about) || seen[m.Subject] || !strings.Contains(m.Text, "Post 123") {
				t.Errorf("%s %s: %q (%v)", l, about, m.Subject, err)
			}
			seen[m.Subject] = true
		}
	}
	if ordermail.Tells(event.OrderPaid) || ordermail.Tells(event.ProductCreated) {
		t.Error("shoppers are told of everything")
	}
}
