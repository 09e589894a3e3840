package checkout

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// views returns a page of each kind with everything that it can show.
func views(l state.Language) map[string]any {
	t := phrase.In(l)
	frame := Frame{Texts: t, Shop: `Bread & <b>Co</b>`, Logo: "/_images/logo", Style: stylePath,
		Title: t.Say(phrase.Cart), Problem: t.Say(phrase.TryAgain), Legal: []Option{{"/pages/imprint", "Im <b>"}}}
	account := AccountFrame{Frame: frame, Email: "a@b.example", Tabs: []Step{{Label: "x", URL: "/account", Now: true}},
		Saved: true}
	steps := []Step{{Label: t.Say(phrase.StepDetails), URL: "/checkout/details", Done: true},
		{Label: t.Say(phrase.StepDelivery), URL: "/checkout/delivery", Now: true}}
	lines := []Line{
		{Product: "prod_1", Variant: "var_1", Title: "Loaf", Options: "Rye / 1 kg", URL: "/products/loaf",
			Image: "/_images/x", Quantity: 2, Entered: "x", Error: t.Say(phrase.NotValid), Unit: "€1.00",
			Total: "€2.00",
			Notes: []string{t.Say(phrase.OnlyLeft, "1")}},
		{Product: "prod_2", Title: "Bun", Gone: true, Quantity: 1, Notes: []string{t.Say(phrase.Gone)}},
	}
	sums := []Sum{{Label: t.Say(phrase.Subtotal), Amount: "€2.00"},
		{Label: t.Say(phrase.Total), Amount: "€2.00", Last: true}}
	fields := fieldsOf(t, addressFields, map[string]string{"name": `"Ada" <x>`, "country": "DE"},
		map[string]string{"line1": t.Say(phrase.Required), "country": t.Say(phrase.ChooseOne)})
	fields[0].Options, fields[0].Shows = countriesOf(t, []string{"DE", "AT", "JP"}), t.Say(phrase.CountryFields)
	choices := []Choice{{Value: "a", Label: "Post", Amount: "€4.90", Chosen: true},
		{Value: "b", Label: "Bike", Detail: "x"}}
	step := StepPage{Frame: frame, Steps: steps, Back: "/cart", Lines: lines[:1], Sums: sums}
	code := Field{Name: "code", Label: t.Say(phrase.Code), Type: "text", Error: t.Say(phrase.CodeRefused)}
	return map[string]any{
		"empty cart": CartPage{Frame: frame},
		"cart":       CartPage{Frame: frame, Lines: lines, Sums: sums, Code: code, Note: "n", Added: true},
		"details": DetailsPage{StepPage: step, Groups: []FieldGroup{{Title: "a", Fields: fields},
			{Title: "b", Asks: "x", Open: true, Fields: []Field{{Name: "gift", Label: "g", Type: "long", MaxLength: 9,
				Value: "</textarea><b>"}}}}},
		"delivery": DeliveryPage{StepPage: step, Ships: true, Groups: []ChoiceGroup{
			{Name: "rate", Title: "a", Choices: choices, Error: t.Say(phrase.ChooseOne)},
			{Name: "payment", Title: "b", None: t.Say(phrase.NoRates)}}},
		"review": ReviewPage{StepPage: step, Total: "€2.00",
			Parts: []Part{{t.Say(phrase.StepAddress), "/checkout/details", []string{"Ada", "Berlin"}}}},
		"left":   LeftPage{Frame: frame, Lines: lines[:1], Action: "/cart/left/x"},
		"cancel": CancelPage{Frame: frame, Number: "1001", Back: "/orders/x"},
		"pay":    PayPage{Frame: frame, Action: "/orders/x/pay", Number: "1001", Total: "€2.00", Reopens: true},
		"status": StatusPage{Frame: frame, Thanks: true, Number: "1001", Date: "1", States: []string{"a", "b"},
			Instructions: "IBAN\n1", PayURL: "/orders/x/pay", Reopens: true,
			Parcels: []Parcel{{Carrier: "DHL", Number: "1", URL: "https://dhl.example/1", Sent: "1",
				Items: []string{"1 × <b>"}}, {Carrier: "x", Number: "2"}}, AgainURL: "/orders/x/again",
			Address: []string{"Ada"}, Lines: lines[:1], Sums: sums, Returned: true,
			ReturnURL: "/orders/x/return", WithdrawURL: "/orders/x/withdraw", ReturnUntil: "1",
			Returns: []ReturnRow{{State: "a", Received: "1", Items: []string{"1 × <b>"}, Statement: []string{"<b>"},
				Answer: "<b>", LabelURL: "https://dhl.example/1", Exchange: "<b>", ExchangeURL: "/orders/y"}}},
		"return": ReturnPage{Frame: frame, Number: "1", Action: "/orders/x/return", Back: "/orders/x", Intro: "<b>",
			Until: "1", Fields: fields, Excluded: []string{"<b>"}, Instructions: "<b>",
			Button: t.Say(phrase.ReturnSend)},
		"withdrawal": ReturnPage{Frame: frame, Number: "1", Action: "/orders/x/withdraw", Intro: "1", Confirms: true,
			Lines: []string{"1 × <b>"}, Hidden: []Option{{"name", `"<b>`}}, Receipt: "<b>",
			Button: t.Say(phrase.WithdrawConfirm)},
		"find": FindPage{Frame: frame, Withdraws: true, Fields: fieldsOf(t, findFields,
			map[string]string{"email": "<b>"}, map[string]string{"number": t.Say(phrase.NotValid)})},
		"legal": LegalPage{frame, "<p>We</p>"},
		"sign-in": SignInPage{Frame: frame, Email: fieldsOf(t, emailField, map[string]string{"email": "x"},
			map[string]string{"email": t.Say(phrase.NotEmail)})[0]},
		"code": CodePage{Frame: frame, Text: t.Say(phrase.CodeSent, "a@b.example"), Action: codePath, Back: signInPath,
			Code: Field{Name: "code", Label: t.Say(phrase.SignInCode), Type: "text", Error: t.Say(phrase.CodeWrong)}},
		"orders": OrdersPage{AccountFrame: account, Older: "/account?before=x", Orders: []OrderRow{
			{Title: "1", URL: "/orders/x", Date: "1", Total: "€1.00", States: []string{"a"}}}},
		"no orders": OrdersPage{AccountFrame: account},
		"addresses": AddressesPage{AccountFrame: account, Addresses: []SavedAddress{
			{Key: "a", Lines: []string{"Ada <b>"}, Default: true}, {Key: "b", Lines: []string{"Eve"}}}},
		"no addresses": AddressesPage{AccountFrame: account},
		"address":      AddressPage{Frame: frame, Fields: fields, Key: "a", First: true},
		"settings": SettingsPage{AccountFrame: account, Marketing: true, Chosen: "1",
			Language: Field{Name: "language", Label: "x", Options: []Option{{"de", "Deutsch"}}},
			Sessions: []SessionRow{{ID: "a", Browser: "<b>", Address: "::1", Used: "1", Mine: true}, {ID: "b"}}},
		"delete":  DeletePage{Frame: frame, Sends: t.Say(phrase.DeleteSend, "a@b.example")},
		"message": MessagePage{Frame: frame, Text: t.Say(phrase.NotFoundText)},
	}
}

func TestPages(t *testing.T) {
	pages, err := templates()
	if err != nil {
		t.Fatal(err)
	}
	c := &Checkout{pages: pages}
	for _, l := range state.Languages() {
		for name, view := range views(l) {
			t.Run(string(l)+" "+name, func(t *testing.T) {
				w := httptest.NewRecorder()
				c.show(w, httptest.NewRequest(http.MethodGet, "/cart", http.NoBody), http.StatusOK, view)
				body := w.Body.String()
				if w.Code != http.StatusOK {
					t.Fatalf("status %d", w.Code)
				}
				if strings.Contains(body, "<b>") || strings.Contains(body, "<script") ||
					strings.Contains(body, "ZgotmplZ") {
					t.Errorf("not escaped, or a script:\n%s", body)
				}
				if !strings.Contains(body, `<html lang="`+string(l)+`" dir="`+phrase.In(l).Direction+`">`) {
					t.Errorf("no language and direction:\n%s", body)
				}
				check(t, body)
			})
		}
	}
}

// check checks that ids are unique, inputs have labels, and references exist.
func check(t *testing.T, body string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	ids, labels, named := map[string]int{}, map[string]bool{}, []string(nil)
	var inputs []string
	heads := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		a := map[string]string{}
		for _, at := range n.Attr {
			a[at.Key] = at.Val
		}
		if id := a["id"]; id != "" {
			ids[id]++
		}
		switch n.Data {
		case "h1":
			heads++
		case "label":
			labels[a["for"]] = true
		case "input", "select", "textarea":
			if a["type"] != "hidden" {
				inputs = append(inputs, a["id"])
			}
		case "a":
			if target, ok := strings.CutPrefix(a["href"], "#"); ok {
				named = append(named, target)
			}
		}
		if d := a["aria-describedby"]; d != "" {
			named = append(named, d)
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s stands there %d times", id, n)
		}
	}
	for _, id := range inputs {
		if !labels[id] {
			t.Errorf("the input %q has no label", id)
		}
	}
	for _, id := range named {
		if ids[id] == 0 {
			t.Errorf("nothing has the id %q", id)
		}
	}
	if heads != 1 {
		t.Errorf("%d elements h1", heads)
	}
}

func TestCountriesInTheLanguage(t *testing.T) {
	got := countriesOf(phrase.In(state.German), []string{"CH", "AT", "DE", "AX"})
	if got[0].Label != "Ålandinseln" || got[1].Label != "Deutschland" || got[2].Value != "AT" ||
		got[3].Label != "Schweiz" {
		t.Errorf("got %v", got)
	}
	if name := phrase.In(state.Arabic).Country("DE"); name != "ألمانيا" {
		t.Errorf("got %q", name)
	}
}
