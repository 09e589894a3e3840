package sales

import (
	"cmp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// orderIn returns an order in a language.
func orderIn(l state.Language) emailOrder {
	return emailOrder{Shop: "Kestrel <Bikes>", URL: "https://kestrel.example/orders/T",
		Instructions: "IBAN DE02\nby Friday",
		Order: &db.Order{Number: 1031, Currency: "EUR", SubtotalMinor: 8980, ShippingMinor: 490, TotalMinor: 9470,
			IncludedTaxMinor: new(int64(1512)), PaymentMethod: new(state.PaymentTransfer), Language: &l},
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
		m, err := composeEmail(state.EmailPlaced, orderIn(l), usualOf(state.EmailPlaced, l))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(want, "IBAN DE02\nby Friday", "https://kestrel.example/orders/T") {
			if !strings.Contains(m.Subject+"\n"+m.Text, text) {
				t.Errorf("%s: %q is not in\n%s\n%s", l, text, m.Subject, m.Text)
			}
		}
		for _, text := range []string{`lang="` + string(l) + `" dir="` + phrase.In(l).Direction + `"`,
			`<table role="presentation" dir="` + phrase.In(l).Direction + `"`, "Pedals &amp; grips",
			"Kestrel &lt;Bikes&gt;", "IBAN DE02<br>by Friday", `href="https://kestrel.example/orders/T"`} {
			if !strings.Contains(m.HTML, text) {
				t.Errorf("%s: %q is not in\n%s", l, text, m.HTML)
			}
		}
	}
}

// TestShownTaxes: taxes appear by name and rate, as the language writes numbers, and shipping at the
// price that the store set.
func TestShownTaxes(t *testing.T) {
	o := orderIn(state.German)
	for _, tc := range []struct {
		taxes string
		tax   int64
		want  []string
	}{
		{`[{"name":"MwSt.","rate":"7","included":true,"amount_minor":500},` +
			`{"name":"USt.","rate":"0","included":true,"amount_minor":0}]`, 0,
			[]string{"Versand: 4,90\u00a0€", "Enthaltene Steuer (MwSt. 7\u00a0%): 5,00\u00a0€"}},
		{`[{"name":"QST","rate":"9.975","included":false,"amount_minor":890}]`, 800,
			[]string{"Versand: 4,00\u00a0€", "QST 9,975\u00a0%: 8,90\u00a0€"}},
		{"", 800, []string{"Versand: 4,00\u00a0€", "Steuer: 8,90\u00a0€"}},
	} {
		o.Taxes, o.TaxMinor, o.IncludedTaxMinor = document.OrderTaxes(tc.taxes), tc.tax, new(int64(90))
		m, err := composeEmail(state.EmailPlaced, o, usualOf(state.EmailPlaced, state.German))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range tc.want {
			if !strings.Contains(m.Text, text) || strings.Contains(m.Text, "USt.") {
				t.Errorf("%q is not in\n%s", text, m.Text)
			}
		}
	}
}

// Every email is about its event alone, in every language.
func TestComposeAll(t *testing.T) {
	pedals, grips := &db.OrderLine{Title: "Pedals", Quantity: 2}, &db.OrderLine{Title: "Grips", Quantity: 3}
	for _, tc := range []struct {
		about     event.Type
		has, not  []string // words of the items and sums
		paid      int64
		parts     []emailPart
		coming    []emailPart
		asksMoney bool
	}{
		{about: event.OrderCreated, has: []string{"Pedals: 2", "Grips: 3", "94"}, asksMoney: true},
		{about: event.OrderPaid, has: []string{"12.34", "Pedals: 2"}, paid: 9470},
		{about: event.OrderPartiallyPaid, has: []string{"12.34", "82.36", "Grips: 3"}, paid: 1234},
		{about: event.OrderPartiallyFulfilled, has: []string{"Pedals: 1 ×", "Grips: 3 ×"}, not: []string{"94.70"},
			parts: []emailPart{{Line: pedals, Pieces: 1}}, coming: []emailPart{{Line: grips, Pieces: 3}}},
		{about: event.OrderFulfilled, has: []string{"Grips: 3 ×"}, not: []string{"Pedals", "94.70"},
			parts: []emailPart{{Line: grips, Pieces: 3}}},
		{about: event.OrderRefunded, has: []string{"Grips: 1 ×", "12.34"}, not: []string{"Pedals"},
			parts: []emailPart{{Line: grips, Pieces: 1}}},
		{about: event.OrderCancelled, has: []string{"Pedals: 2", "Grips: 3"}},
	} {
		for _, l := range state.Languages() {
			o := orderIn(l)
			o.Currency, o.Lines, o.Parts, o.Coming = "USD", []*db.OrderLine{pedals, grips}, tc.parts, tc.coming
			o.AmountMinor, o.PaidMinor, o.Tracking = 1234, tc.paid, []string{"Post 123"}
			o.Stop, o.Files = "https://out.example/x", true
			m, err := composeEmail(emailOf[tc.about], o, usualOf(emailOf[tc.about], l))
			if err != nil || emailOf[tc.about] == "" {
				t.Fatal(tc.about, err)
			}
			for _, text := range append(tc.has, "Post 123", "https://out.example/x") {
				if l == state.English && !strings.Contains(m.Text, text) {
					t.Errorf("%s: %q is not in\n%s", tc.about, text, m.Text)
				}
			}
			for _, text := range tc.not {
				if strings.Contains(m.Text, text) {
					t.Errorf("%s %s: %q is in\n%s", l, tc.about, text, m.Text)
				}
			}
			if got := strings.Contains(m.Text, "IBAN"); got != tc.asksMoney {
				t.Errorf("%s %s: says how to pay: %t", l, tc.about, got)
			}
			about := emailOf[tc.about]
			leads := about == state.EmailPlaced || about == state.EmailPaid
			for _, text := range []string{m.Text, m.HTML} {
				if strings.Contains(text, o.URL+"#downloads") != leads {
					t.Errorf("%s %s: the downloads in\n%s", l, tc.about, text)
				}
			}
		}
	}
	for _, l := range state.Languages() {
		o := orderIn(l)
		o.Lines, o.Parts = []*db.OrderLine{pedals, grips}, []emailPart{{Line: grips, Pieces: 2}}
		o.Tracking, o.TrackingURL = []string{"By post"}, "https://post.example/1"
		m, err := composeEmail(state.EmailReturnApproved, o, usualOf(state.EmailReturnApproved, l))
		if err != nil || !strings.Contains(m.Text, phrase.In(l).Say(phrase.ReturnHowTo)+":\nBy post\nhttps://post.") ||
			!strings.Contains(m.Text, "Grips: 2 ×") || strings.Contains(m.Text, "Pedals") {
			t.Errorf("of a return: %v\n%s", err, m.Text)
		}
	}
	if emailOf[event.OrderCompleted] != "" || emailOf[event.ProductCreated] != "" {
		t.Error("an event without an email has one")
	}
}

// An email says how the order is shipped and paid, in the colors of the store. What the shopper
// typed has no link, because the address may be a stranger's.
func TestComposeFacts(t *testing.T) {
	o := orderIn(state.English)
	o.ShippingMethod, o.Method, o.Contact = new("Parcel <DHL>"), "Bank transfer", "help@kestrel.example"
	o.Logo = "https://kestrel.example/logo.png"
	o.Tracking, o.TrackingURL = []string{"Post 123"}, "https://post.example/123"
	o.ShippingAddress = document.NewAddress(&document.AddressFields{Name: new("Ada https://evil.example"),
		Line1: "Main Street 1", City: "Bonn", PostalCode: new("53111"), Country: "DE"})
	for accent, ink := range map[string]string{"#102030": lightInk, "#ffee00": darkInk, "": lightInk} {
		o.Accent = accent
		m, err := composeEmail(state.EmailShipped, o, usualOf(state.EmailShipped, state.English))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Delivery:\nParcel <DHL>\n", "Address:\nAda https[:]//evil[.]example\n" +
			"Main Street 1\n53111 Bonn\nGermany\n", "Payment:\nBank transfer\n",
			"Post 123\nhttps://post.example/123\n", "Questions? Write to us: help@kestrel.example\n"} {
			if !strings.Contains(m.Text, text) {
				t.Errorf("%q is not in\n%s", text, m.Text)
			}
		}
		for _, text := range []string{"Parcel &lt;DHL&gt;", `href="https://post.example/123"`, "color:" + ink,
			`href="mailto:help@kestrel.example"`,
			`<img src="https://kestrel.example/logo.png" alt="Kestrel &lt;Bikes&gt;"`,
			"background:" + cmp.Or(accent, plainAccent)} {
			if !strings.Contains(m.HTML, text) || strings.Contains(m.HTML, "evil.example") {
				t.Errorf("%q is not in\n%s", text, m.HTML)
			}
		}
	}
	m, err := composeEmail(state.EmailShipped, unlinked(o), usualOf(state.EmailShipped, state.English))
	if err != nil || strings.Contains(m.Text, "post.example") || strings.Contains(m.HTML, "<img") ||
		!strings.Contains(m.HTML, "post[.]example") {
		t.Errorf("a new store: %v\n%s", err, m.Text)
	}
}
