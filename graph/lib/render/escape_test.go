package render

import (
	"strings"
	"testing"
)

// Data is escaped wherever an action is allowed.
func TestEscape(t *testing.T) {
	const tag = `"><script>alert(1)</script>`
	tests := []struct {
		name  string
		body  string
		value string
		want  string
	}{
		{name: "text", body: `<p>{{.x}}</p>`, value: `<script>alert(1)</script>&`,
			want: `<p>&lt;script&gt;alert(1)&lt;/script&gt;&amp;</p>`},
		{name: "title", body: `<title>{{.x}}</title>`, value: `</title><script>`,
			want: `<title>&lt;/title&gt;&lt;script&gt;</title>`},
		{name: "textarea", body: `<textarea>{{.x}}</textarea>`, value: `</textarea><script>`,
			want: `<textarea>&lt;/textarea&gt;&lt;script&gt;</textarea>`},
		{name: "attribute", body: `<p title="{{.x}}">`, value: tag,
			want: `<p title="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">`},
		{name: "attribute in single quotes", body: `<p title='{{.x}}'>`, value: `' onclick='alert(1)`,
			want: `<p title='&#39; onclick=&#39;alert(1)'>`},
		{name: "attribute without quotes", body: `<p title={{.x}}>`, value: `x onclick=alert(1)`,
			want: `<p title=x&#32;onclick&#61;alert(1)>`},
		{name: "attribute in a branch", body: `<p{{if .x}} class="{{.x}}"{{end}}>`, value: `"`,
			want: `<p class="&#34;">`},
		{name: "address", body: `<a href="{{.x}}">`, value: `javascript:alert(1)`, want: `<a href="#ZgotmplZ">`},
		{name: "address in capitals", body: `<a href="{{.x}}">`, value: "JaVaScRiPt:alert(1)",
			want: `<a href="#ZgotmplZ">`},
		{name: "address with a control character", body: `<a href="{{.x}}">`, value: "java\tscript:alert(1)",
			want: `<a href="#ZgotmplZ">`},
		{name: "address of data", body: `<img src="{{.x}}" alt="">`, value: `data:text/html,<script>`,
			want: `<img src="#ZgotmplZ" alt="">`},
		{name: "address of vbscript", body: `<a href={{.x}}>`, value: `vbscript:x`, want: `<a href=#ZgotmplZ>`},
		{name: "address that leaves its quotes", body: `<a href="{{.x}}">`, value: `/x" onclick="alert(1)`,
			want: `<a href="/x%22%20onclick=%22alert%281%29">`},
		{name: "address that is good", body: `<a href="{{.x}}">`, value: `/products/mug?preview=abc&b=c`,
			want: `<a href="/products/mug?preview=abc&amp;b=c">`},
		{name: "query", body: `<a href="/search?q={{.x}}">`, value: `a&b="c" #d`,
			want: `<a href="/search?q=a%26b%3d%22c%22%20%23d">`},
		{name: "source of a quotation", body: `<blockquote cite="{{.x}}">`, value: `javascript:alert(1)`,
			want: `<blockquote cite="#ZgotmplZ">`},
		{name: "svg link", body: `<svg><a xlink:href="{{.x}}"></a></svg>`, value: `javascript:alert(1)`,
			want: `<svg><a xlink:href="#ZgotmplZ"></a></svg>`},
		{name: "srcset", body: `<img srcset="{{.x}} 2x" alt="">`, value: `javascript:alert(1)`,
			want: `<img srcset="#ZgotmplZ 2x" alt="">`},
		{name: "meta", body: `<meta name="description" content="{{.x}}">`, value: tag,
			want: `<meta name="description" content="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">`},
		{name: "comment", body: `a<!-- {{.x}} -->b`, value: `--><script>`, want: `ab`},
		{name: "upper", body: `{{upper .x}}`, value: `<b>`, want: `&lt;B&gt;`},
		{name: "truncate", body: `{{truncate 2 .x}}`, value: `<b>`, want: `&lt;b…`},
		{name: "written text", body: `{{"<b>"}}{{default "<i>" .none}}`, want: `&lt;b&gt;&lt;i&gt;`},
		{name: "join", body: `{{join .list .x}}`, value: `<b>`, want: `1&lt;b&gt;2`},
		{name: "not UTF-8", body: `<p title="{{.x}}">{{.x}}`, value: "\xff<\xc0\"",
			want: "<p title=\"\ufffd&lt;\ufffd&#34;\">\ufffd&lt;\ufffd&#34;"},
		{name: "the zero byte", body: `<p title={{.x}}>`, value: "\x00", want: `<p title=&#xfffd;>`},
		{name: "a template's action", body: `{{.x}}`, value: `{{.shop}}`, want: `{{.shop}}`},
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

// Values are not allowed where html/template would have to escape for another language.
func TestContextsAreClosed(t *testing.T) {
	for _, body := range []string{
		`<p {{.x}}>`, `<p a{{.x}}>`, `<p a {{.x}}>`, `<p {{.x}}=y>`, `<p{{.x}}>`, `<p data-{{.x}}="y">`,
		`<input {{if .x}}{{.x}}{{end}}>`,
	} {
		t.Run(body, func(t *testing.T) {
			_, err := Compile(sampleTheme(t, home(body)), assets, none)
			if err == nil || !strings.Contains(err.Error(), "a value is not allowed here") {
				t.Errorf("got %v", err)
			}
		})
	}
	for _, body := range []string{
		`<option {{if .x}}selected{{end}}>x</option>`, `<li{{with .x}} class="{{.}}"{{end}}>`,
		`<p title="{{if .x}}a{{else}}b{{end}}">`,
	} {
		t.Run(body, func(t *testing.T) { compiled(t, home(body)) })
	}
}
