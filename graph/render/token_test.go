package render

import "testing"

// What themes of good faith write is no fault.
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
		`<a href="{{.shop.url}}#shelf">x</a>`,
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
