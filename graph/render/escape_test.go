package render

import (
	"strings"
	"testing"
)

// Data is shown as data wherever an action may stand.
func TestEscape(t *testing.T) {
	const tag = `"><script>alert(1)</script>`
	tests := []struct {
		name  string
		body  string
		value string
		want  string
	}{
		{"text", `<p>{{.x}}</p>`, `<script>alert(1)</script>&`, `<p>&lt;script&gt;alert(1)&lt;/script&gt;&amp;</p>`},
		{"title", `<title>{{.x}}</title>`, `</title><script>`, `<title>&lt;/title&gt;&lt;script&gt;</title>`},
		{"textarea", `<textarea>{{.x}}</textarea>`, `</textarea><script>`, `<textarea>&lt;/textarea&gt;&lt;script&gt;</textarea>`},
		{"attribute", `<p title="{{.x}}">`, tag, `<p title="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">`},
		{"attribute in single quotes", `<p title='{{.x}}'>`, `' onclick='alert(1)`, `<p title='&#39; onclick=&#39;alert(1)'>`},
		{"attribute without quotes", `<p title={{.x}}>`, `x onclick=alert(1)`, `<p title=x&#32;onclick&#61;alert(1)>`},
		{"attribute in a branch", `<p{{if .x}} class="{{.x}}"{{end}}>`, `"`, `<p class="&#34;">`},
		{"address", `<a href="{{.x}}">`, `javascript:alert(1)`, `<a href="#ZgotmplZ">`},
		{"address in capitals", `<a href="{{.x}}">`, "JaVaScRiPt:alert(1)", `<a href="#ZgotmplZ">`},
		{"address with a control character", `<a href="{{.x}}">`, "java\tscript:alert(1)", `<a href="#ZgotmplZ">`},
		{"address of data", `<img src="{{.x}}" alt="">`, `data:text/html,<script>`, `<img src="#ZgotmplZ" alt="">`},
		{"address of vbscript", `<a href={{.x}}>`, `vbscript:x`, `<a href=#ZgotmplZ>`},
		{"address that leaves its quotes", `<a href="{{.x}}">`, `/x" onclick="alert(1)`, `<a href="/x%22%20onclick=%22alert%281%29">`},
		{"address that is good", `<a href="{{.x}}">`, `/products/mug?preview=abc&b=c`, `<a href="/products/mug?preview=abc&amp;b=c">`},
		{"query", `<a href="/search?q={{.x}}">`, `a&b="c" #d`, `<a href="/search?q=a%26b%3d%22c%22%20%23d">`},
		{"action of a form", `<form action="{{.x}}">`, `javascript:alert(1)`, `<form action="#ZgotmplZ">`},
		{"svg link", `<svg><a xlink:href="{{.x}}"></a></svg>`, `javascript:alert(1)`, `<svg><a xlink:href="#ZgotmplZ"></a></svg>`},
		{"srcset", `<img srcset="{{.x}} 2x" alt="">`, `javascript:alert(1)`, `<img srcset="#ZgotmplZ 2x" alt="">`},
		{"meta", `<meta name="description" content="{{.x}}">`, tag, `<meta name="description" content="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">`},
		{"comment", `a<!-- {{.x}} -->b`, `--><script>`, `ab`},
		{"upper", `{{upper .x}}`, `<b>`, `&lt;B&gt;`},
		{"truncate", `{{truncate 2 .x}}`, `<b>`, `&lt;b…`},
		{"written text", `{{"<b>"}}{{default "<i>" .none}}`, ``, `&lt;b&gt;&lt;i&gt;`},
		{"join", `{{join .list .x}}`, `<b>`, `1&lt;b&gt;2`},
		{"not UTF-8", `<p title="{{.x}}">{{.x}}`, "\xff<\xc0\"", "<p title=\"\ufffd&lt;\ufffd&#34;\">\ufffd&lt;\ufffd&#34;"},
		{"the zero byte", `<p title={{.x}}>`, "\x00", `<p title=&#xfffd;>`},
		{"a template's action", `{{.x}}`, `{{.shop}}`, `{{.shop}}`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			data := map[string]any{"x": tc.value, "list": []any{float64(1), float64(2)}}
			if got := body(t, tc.body, data); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// Values do not stand where html/template would have to escape for a language.
func TestContextsAreClosed(t *testing.T) {
	for _, body := range []string{
		`<p {{.x}}>`, `<p a{{.x}}>`, `<p a {{.x}}>`, `<p {{.x}}=y>`, `<p{{.x}}>`, `<p data-{{.x}}="y">`, `<input {{if .x}}{{.x}}{{end}}>`,
	} {
		t.Run(body, func(t *testing.T) {
			_, err := Compile(sampleTheme(t, home(body)), assets)
			if err == nil || !strings.Contains(err.Error(), "a value cannot stand here") {
				t.Errorf("got %v", err)
			}
		})
	}
	for _, body := range []string{
		`<option {{if .x}}selected{{end}}>x</option>`, `<li{{with .x}} class="{{.}}"{{end}}>`, `<p title="{{if .x}}a{{else}}b{{end}}">`,
	} {
		t.Run(body, func(t *testing.T) { compiled(t, home(body)) })
	}
}
