package render

import (
	"strings"
	"testing"
)

// Ordinary templates have no errors.
func TestTokens(t *testing.T) {
	for _, body := range []string{
		`<a href="{{.url}}" class="a{{if .x}} b{{end}}" {{if .x}}hidden{{end}} data-x="{{.x}}" aria-label="{{.x}}">x</a>`,
		`<li{{if .x}} class="b"{{end}}>x</li>`,
		`<a href="/products/{{.handle}}?page={{.n}}#{{.id}}">x</a>`,
		`<a href="?q={{.search.query}}">x</a>`,
		`<a href="#{{.id}}">x</a>`,
		`<img src="{{if .image}}{{.image}}{{else}}/assets/none.png{{end}}" alt="">`,
		`<img src="{{with .image}}{{.}}{{end}}" alt="">`,
		`<img src="{{"/assets/a.png"}}" srcset="{{.small}} 1x, {{.large}} 2x" alt="">`,
		`<a href="/search?q={{.q}}{{if .next}}&amp;page={{.next}}{{end}}">x</a>`,
		`<a href="https://example.com/about">x</a>`,
		`<form method="get" action="/search"><input type="search" name="q" value="{{.q}}"></form>`,
		`<svg viewBox="0 0 1 1"><path d="M0 0" stroke-width="{{.w}}"/></svg>`,
		`<a href="{{.shop.url}}#list">x</a>`,
		`<a href="{{$.shop.search_url}}?q={{.}}">x</a>`,
		`<a href="{{.shop.url}}search?q={{.}}">x</a>`,
		`<form action="{{.shop.search_url}}"><input name="q" value="{{.search.query}}"></form>`,
		`{{range .list}}<p>{{.}}</p>{{else}}<p>none</p>{{end}}{{/* <marquee> */}}`,
	} {
		set, err := parseFile("templates/home.html", body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		for _, tree := range set {
			if errs := tokens(tree); len(errs) > 0 {
				t.Errorf("%s: %v", body, errs)
			}
		}
	}
}

// A theme's form can only post to one address, because it acts in the name of the visitor.
func TestFormsThatPost(t *testing.T) {
	const refused = "may only be sent to {{.shop.add_url}}"
	for text, fine := range map[string]bool{
		`<form method="post" action="{{.shop.add_url}}"><input name="product_id"></form>`:            true,
		`<form METHOD=" POST" action="{{.shop.add_url}}"></form>`:                                    true,
		`<form action="{{.shop.search_url}}"></form>`:                                                true,
		`<form method="GET" action="/checkout"></form>`:                                              true,
		`<form method="post" action="/cart/add"></form>`:                                             false,
		`<form method="post" action="/checkout/place"></form>`:                                       false,
		`<form method="post"></form>`:                                                                false,
		`<form method="post" action="{{.shop.cart_url}}"></form>`:                                    false,
		`<form method="post" action="{{.shop.add_url}}/../../checkout/place"></form>`:                false,
		`<form method="post" action="{{.shop.add_url}}?x={{.page.title}}"></form>`:                   false,
		`<form method="{{.page.title}}" action="/checkout/place"></form>`:                            false,
		`<form {{if .page.preview}}method="post"{{end}} action="/checkout/place"></form>`:            false,
		`<form method="{{if .page.preview}}post{{end}}" action="/checkout/place"></form>`:            false,
		`<form method="post" action="{{if .page.preview}}{{.shop.add_url}}{{else}}/{{end}}"></form>`: false,
		`<form method="post" action="/" action="{{.shop.add_url}}"></form>`:                          false,
	} {
		set, err := parseFile("templates/home.html", text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var errs Errors
		for _, tree := range set {
			errs = append(errs, tokens(tree)...)
		}
		if fine != (len(errs) == 0) || !fine && !strings.Contains(errs.Error(), refused) {
			t.Errorf("%s: %v", text, errs)
		}
	}
}
