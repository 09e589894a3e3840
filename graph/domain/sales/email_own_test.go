package sales

import (
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
)

// hostileOrder is an order whose shopper and shop try to be more than text.
func hostileOrder() emailOrder {
	o := orderIn(state.English)
	o.Shop, o.Home = "**Kestrel** [x](https://evil.example) <b>", "https://kestrel.example"
	o.ShippingAddress = document.NewAddress(&document.AddressFields{Name: new("Ada\n# www.evil.example {{ amount }}"),
		Line1: "1", City: "Bonn", Country: "DE"})
	return o
}

// Own texts are Markdown whose variables are plain text. Those of a new store have no links.
func TestOwnTexts(t *testing.T) {
	texts := emailTexts{Own: true, Subject: "Order {{order.number}} for {{ customer.name }}",
		Intro: "Hello **{{ customer.name }}**, see [our page](/pages/a), [x](https://ok.example/) or " +
			"{{ shop.name }}\n\n![image](https://evil.example/x.png) <script>alert(1)</script>",
		Closing: "evil&#46;example, evil\\.example {{ order.total }}"}
	o := hostileOrder()
	m, err := composeEmail(state.EmailPlaced, o, texts)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Order 1031 for Ada # www[.]evil[.]example {{ amount }}"; m.Subject != want {
		t.Errorf("subject %q, want %q", m.Subject, want)
	}
	for _, text := range []string{"Hello <strong>Ada # www[.]evil[.]example {{ amount }}</strong>",
		`<a href="https://kestrel.example/pages/a">our page</a>`,
		`<a href="https://ok.example/" rel="nofollow noopener">x</a>`,
		"**Kestrel** [x](https://evil.example) &lt;b&gt;", "&lt;script&gt;", "€94.70"} {
		if !strings.Contains(m.HTML, text) || strings.Contains(m.HTML, "<img") ||
			strings.Contains(m.HTML, "<script") {
			t.Errorf("%q is not in\n%s", text, m.HTML)
		}
	}
	o.Plain = true
	if m, err = composeEmail(state.EmailPlaced, unlinked(o), texts); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"ok.example", "evil.example", "/pages/a\""} {
		if strings.Contains(m.HTML, text) {
			t.Errorf("%q is in\n%s", text, m.HTML)
		}
	}
}

// An unknown variable is refused with its name.
func TestCheckVariables(t *testing.T) {
	for _, tc := range []struct {
		text  string
		email state.OrderEmail
		want  string
	}{
		{text: "{{ order.number }} {{amount}}", email: state.EmailPaid},
		{text: "{{ amount }}", email: state.EmailPlaced, want: "{{ amount }}"},
		{text: "{{ shop.nane }}", email: state.EmailPaid, want: "{{ shop.nane }}"},
		{text: "{{}}", email: state.EmailPaid, want: "{{  }}"},
		{text: "{ x } {{ {", email: state.EmailPaid},
	} {
		c := &core.Check{}
		checkVariables(c, "intro", tc.text, tc.email)
		said := ""
		if f, ok := errors.AsType[*fault.Error](c.Err()); ok {
			said = f.Fields[0].Detail
		}
		if (said == "") != (tc.want == "") || !strings.Contains(said, tc.want) {
			t.Errorf("%q: %q, want %q", tc.text, said, tc.want)
		}
	}
	for _, e := range state.OrderEmails() {
		for _, l := range state.Languages() {
			c, usual := &core.Check{}, usualOf(e, l)
			checkVariables(c, "subject", usual.Subject, e)
			checkVariables(c, "intro", usual.Intro, e)
			if err := c.Err(); err != nil || usual.Subject == "" || strings.ContainsAny(usual.Intro, "*_[]<>`#&\\") {
				t.Errorf("%s %s: %v, %q", e, l, err, usual.Intro)
			}
		}
	}
}

// Whatever a store and a shopper write, an email has no tags but those of Markdown, and that of a
// new store no links.
func FuzzOwnTexts(f *testing.F) {
	f.Add("Hello {{ customer.name }} [x](javascript:alert(1))", "<img src=x onerror=y>")
	f.Add("`{{ customer.name }}` <{{ customer.name }}>", "a` [y](https://evil.example)")
	f.Fuzz(func(t *testing.T, text, name string) {
		o := orderIn(state.English)
		values := map[string]string{varCustomer: name}
		for _, o.Plain = range []bool{false, true} {
			html := strings.ToLower(string(o.rich(text, values)))
			for _, tag := range []string{"<script", "<img", "<iframe", "<style", "<svg", "<form",
				"href=\"javascript:"} {
				if strings.Contains(html, tag) || o.Plain && strings.Contains(html, "<a ") {
					t.Errorf("%q, %q: %s", text, name, html)
				}
			}
		}
	})
}
