package render

import (
	"fmt"
	"strings"
	"testing"
)

// home returns a home page with body as its content.
func home(body string) map[string]string {
	return map[string]string{"templates/home.html": `{{define "content"}}` + body + `{{end}}`}
}

// nest returns open n times, inner, and shut n times.
func nest(n int, open, inner, shut string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

// fan returns templates each of which calls the next twice.
func fan(n int, call string) map[string]string {
	all := home(`{{template "t0" .}}`)
	var b strings.Builder
	for i := range n {
		next := fmt.Sprintf(`{{template "t%d" .}}`, i+1)
		fmt.Fprintf(&b, `{{define "t%d"}}%s{{end}}`, i, strings.ReplaceAll(call, "NEXT", next))
	}
	fmt.Fprintf(&b, `{{define "t%d"}}x{{end}}`, n)
	all["templates/partials/fan.html"] = b.String()
	return all
}

// hostile are templates that Compile refuses, and a part of the error.
var hostile = []struct {
	name      string
	templates map[string]string
	want      string
}{
	// Ranges over something endless.
	{"range over a number", home(`{{range 1000000000}}x{{end}}`), "range requires a list"},
	{"range over a small number", home(`{{range 3}}x{{end}}`), "range requires a list"},
	{"range over a negative number", home(`{{range -1}}x{{end}}`), "range requires a list"},
	{"range over a hexadecimal number", home(`{{range 0x7fffffffffffffff}}x{{end}}`), "range requires a list"},
	{"range over a character", home(`{{range 'x'}}x{{end}}`), "range requires a list"},
	{"range over a number in parentheses", home(`{{range (1000000)}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a number in a variable", home(`{{$n := 1000000}}{{range $n}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a number that was set", home(`{{$n := ""}}{{$n = 1000000}}{{range $n}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a number from default", home(`{{range default 1000000 .none}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a piped number", home(`{{range 1000000 | default .none}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a number from or", home(`{{range or .none 1000000}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a number from and", home(`{{range and true 1000000}}x{{end}}`),
		"range requires a list, not a number"},
	{"range over a len", home(`{{range len .products}}x{{end}}`), "range requires a list, not a number"},
	{"range over the index of a range", home(`{{range $i, $p := .products}}{{range $i}}x{{end}}{{end}}`),
		"range requires a list, not a number"},
	{"range over a dot that is a number", home(`{{with 1000000}}{{range .}}x{{end}}{{end}}`),
		"range requires a list, not a number"},
	{"range over a number that a template was given",
		home(`{{define "t"}}{{range .}}x{{end}}{{end}}{{template "t" 1000000}}`), "unexpected"},
	{"range over an argument", map[string]string{
		"templates/home.html":       `{{define "content"}}{{template "partials/t.html" 1000000}}{{end}}`,
		"templates/partials/t.html": `{{range .}}x{{end}}`,
	}, "range requires a list, not a number"},
	{"range over a boolean", home(`{{range true}}x{{end}}`), "range requires a list"},
	{"range over text", home(`{{range .page.title}}x{{end}}`), "range requires a list, not text"},
	{"range over written text", home(`{{range "abc"}}x{{end}}`), "range requires a list"},
	{"range over a group", home(`{{range $k, $v := .shop}}{{$k}}{{end}}`),
		"range requires a list, not a group of values"},
	{"range over nil", home(`{{range nil}}x{{end}}`), "range requires a list"},

	// Numbers.
	{"a huge number", home(`{{truncate 99999999999 .page.title}}`), "greater than 1,000,000"},
	{"a complex number", home(`{{eq 1i .page.title}}`), "not a plain number"},
	{"a character", home(`{{eq 'a' .page.title}}`), "not a plain number"},
	{"a number too large for a float", home(`{{eq 1e999 .page.title}}`), "illegal number"},

	// Too many steps.
	{"four ranges", home(nest(4, `{{range $.products}}`, `x`, `{{end}}`)), "more than 500,000 steps"},
	{"three ranges with a body", home(nest(3, `{{range $.products}}`, `{{.title}}`, `{{end}}`)),
		"more than 500,000 steps"},
	{"forty ranges", home(nest(39, `{{range $.products}}`, `x`, `{{end}}`)), "more than 500,000 steps"},
	{"ranges in else", home(nest(4, `{{range .none}}{{else}}{{range $.products}}`, `x`, `{{end}}{{end}}`)),
		"more than 500,000 steps"},
	{"ranges through templates", fan(5, `{{range $.products}}NEXT{{end}}`), "more than 500,000 steps"},
	{"fan-out", fan(19, `NEXTNEXT`), "more than 500,000 steps"},
	{"wide fan-out", fan(5, strings.Repeat("NEXT", 30)), "more than 500,000 steps"},
	{"fan-out in branches", fan(19, `{{if .none}}NEXT{{else}}NEXT{{end}}`), "more than 500,000 steps"},
	{"a long chain", fan(25, `NEXT`), "a chain of more than 20"},
	{"many small angles", home(strings.Repeat("<", 200_000)), "more than 500,000 steps"},
	{"copies in ranges",
		home(`{{range .products}}{{range $.products}}` + `{{if join $.products "x"}}{{end}}` + `{{end}}{{end}}`),
		"more than 500,000 steps"},
	{"variables without end", home(strings.Repeat(`{{$x := join .tags "x"}}`, 101)), "more than 100 variables"},
	{"variables through templates", fan(10, strings.Repeat(`{{$x := .}}`, 11)+`NEXT`), "more than 100 variables"},

	// Recursion.
	{"recursion", home(`{{template "content" .}}`), "calls itself"},
	{"recursion over two", map[string]string{
		"templates/home.html":       `{{define "content"}}{{template "partials/a.html" .}}{{end}}`,
		"templates/partials/a.html": `{{template "partials/b.html" .}}`,
		"templates/partials/b.html": `{{template "partials/a.html" .}}`,
	}, "calls itself"},
	{"recursion in a branch never taken", home(`{{if false}}{{template "content" .}}{{end}}`), "calls itself"},
	{"recursion of a block", home(`{{block "x" .}}{{template "content" .}}{{end}}`), "calls itself"},
	{"calling the layout by its path", home(`{{template "templates/layout.html" .}}`), "there is no template"},
	{"taking the layout's place", map[string]string{
		"templates/partials/a.html": `{{define "templates/layout.html"}}{{template "templates/layout.html"}}{{end}}`,
	}, `does not begin with "templates/"`},

	// Nesting.
	{"100,000 parentheses", home(`{{` + nest(100_000, "(", ".", ")") + `}}`), "more than 2,048 bytes"},
	{"900 parentheses", home(`{{` + nest(900, "(", ".", ")") + `}}`), "parentheses are nested more than 20 deep"},
	{"parentheses left open", home(`{{` + strings.Repeat("(", 1000) + `}}`),
		"parentheses are nested more than 20 deep"},
	{"parentheses behind a quote", home(`{{eq "\"" ` + nest(900, "(", ".", ")") + `}}`),
		"parentheses are nested more than 20 deep"},
	{"deep ifs", home(nest(10_000, `{{if .}}`, "", `{{end}}`)), "blocks are nested more than 40 deep"},
	{"deep ifs left open", home(strings.Repeat(`{{if .}}`, 30_000)), "blocks are nested more than 40 deep"},
	{"deep ifs with marks", home(strings.Repeat("{{- if(.) -}}", 10_000)), "blocks are nested more than 40 deep"},
	{"deep blocks", home(strings.Repeat(`{{block "x" .}}`, 5_000)), "blocks are nested more than 40 deep"},
	{"a ladder of else if", home(`{{if .none}}` + strings.Repeat(`{{else if .none}}`, 10_000) + `{{end}}`),
		"blocks are nested more than 40 deep"},
	{"a ladder of else with", home(`{{with .none}}` + strings.Repeat(`{{else with .none}}`, 10_000) + `{{end}}`),
		"blocks are nested more than 40 deep"},
	{"a long pipeline", home(`{{.page.title` + strings.Repeat("|len", 400) + `}}`), "more than 100 values and calls"},
	{"many arguments", home(`{{or` + strings.Repeat(" .", 200) + `}}`), "wrong number of arguments"},
	{"many actions", home(strings.Repeat("{{.}}", 4_001)), "more than 4,000 actions"},
	{"many bytes of actions", map[string]string{
		"templates/partials/a.html": strings.Repeat(`{{if "`+strings.Repeat("x", 2000)+`"}}{{end}}`, 100),
		"templates/partials/b.html": strings.Repeat(`{{if "`+strings.Repeat("x", 2000)+`"}}{{end}}`, 100),
	}, "more than 256 KiB of actions"},
	{"many definitions", home(`{{end}}` + func() string {
		var b strings.Builder
		for i := range 201 {
			fmt.Fprintf(&b, `{{define "t%d"}}x{{end}}`, i)
		}
		return b.String()
	}() + `{{define "last"}}`), "more than 200 templates"},
	{"a large template", home(strings.Repeat("x", maxTemplate)), "more than 256 KiB"},
	{"large templates", func() map[string]string {
		all := map[string]string{}
		for i := range 9 {
			all[fmt.Sprintf("templates/partials/%d.html", i)] = strings.Repeat("x", maxTemplate)
		}
		return all
	}(), "more than 2 MiB"},
	{"a large page", home(`{{range .products}}` + strings.Repeat("x", 50_000) + `{{end}}`), "larger than 1 MiB"},

	// Functions and methods.
	{"printf", home(`{{printf "%1000000d" 1}}`), "unknown function printf"},
	{"print", home(`{{print .}}`), "unknown function print"},
	{"println", home(`{{println .}}`), "unknown function println"},
	{"html", home(`{{.page.title | html}}`), "unknown function html"},
	{"js", home(`{{js .page.title}}`), "unknown function js"},
	{"urlquery", home(`{{.page.title | urlquery}}`), "unknown function urlquery"},
	{"call", home(`{{call .page.title}}`), "unknown function call"},
	{"slice", home(`{{slice .page.title 1}}`), "unknown function slice"},
	{"a function that is no value", home(`{{eq len 1}}`), "the function len requires arguments"},
	{"this package's own function", home(`{{_show .}}`), "unknown function _show"},
	{"the other one", home(`{{range .products | _list}}{{end}}`), "unknown function _list"},
	{"html/template's function", home(`{{_html_template_htmlescaper .page.title}}`), "unknown function"},
	{"another of its functions", home(`{{_eval_args_ .}}`), "unknown function"},
	{"calling a value", home(`{{.page.title 1}}`), "only functions take arguments"},
	{"calling a variable", home(`{{$x := .}}{{$x 1}}`), "only functions take arguments"},
	{"piping into a value", home(`{{1 | .page.title}}`), "only functions take arguments"},
	{"piping into parentheses", home(`{{1 | (len)}}`), "only functions take arguments"},
	{"a method of text", home(`{{.page.title.String}}`), "has no fields"},
	{"a field of text", home(`{{.page.title.x}}`), "has no fields"},
	{"a field of what is not there", home(`{{with $n := index .products 3}}{{$n.vendor.x}}{{end}}`), "may be absent"},
	{"too few arguments", home(`{{truncate 3}}`), "wrong number of arguments"},
	{"too many arguments", home(`{{len . .}}`), "wrong number of arguments"},
	{"a function of the wrong kind", home(`{{truncate "x" .page.title}}`), "truncate requires an integer"},
	{"showing a list", home(`{{.products}}`), "a list cannot be shown as text"},
	{"showing everything", home(`{{.}}`), "a group of values cannot be shown as text"},
	{"comparing groups", home(`{{eq . .}}`), "cannot be compared"},
	{"a variable in parentheses", home(`{{if ($x := .shop)}}{{end}}`), "a variable cannot be assigned in parentheses"},

	// Assets.
	{"an unknown asset", home(`<img src="{{asset "assets/none.png"}}" alt="">`), `no asset "assets/none.png"`},
	{"an asset from data", home(`{{asset .page.title}}`), "asset takes a path written out"},
	{"an asset from a pipeline", home(`{{"assets/style.css" | asset}}`), "asset takes a path written out"},

	// Markup.
	{"script", home(`<script>alert(1)</script>`), "must not contain <script"},
	{"script in capitals", home(`<ScRiPt src=x></ScRiPt>`), "must not contain <script"},
	{"script around an action", home(`<scr{{""}}ipt>alert(1)</script>`), "must not contain <script"},
	{"script around a branch", home(`<scr{{if .page}}ipt>x{{end}}`), "must not contain <script"},
	{"script over two templates", map[string]string{
		"templates/home.html":       `{{define "content"}}<scr{{template "partials/t.html"}}>{{end}}`,
		"templates/partials/t.html": `ipt`,
	}, "a value is not allowed here"},
	{"script over two templates in text", map[string]string{
		"templates/home.html":       `{{define "content"}}{{template "partials/t.html"}}ipt src="x">{{end}}`,
		"templates/partials/t.html": `<scr`,
	}, "the rendered page contains <script"},
	{"a handler", home(`<img src="x" onerror="alert(1)">`), "a handler such as onclick="},
	{"a handler behind a slash", home(`<img/onerror=alert(1)>`), "a handler such as onclick="},
	{"a handler behind a quote", home(`<img src="x"onerror=alert(1)>`), "a handler such as onclick="},
	{"a handler around an action", home(`<img on{{"error"}}="alert(1)">`), "a handler such as onclick="},
	{"a handler by an action", home(`<img o{{"nerror"}}="alert(1)">`), "the attribute onerror"},
	{"an attribute's name from data", home(`<p {{.page.kind}}="x">`), "a value is not allowed here"},
	{"an attribute from data", home(`<p {{.page.kind}}>`), "a value is not allowed here"},
	{"a tag's name from data", home(`<x{{.page.kind}}>`), "a value is not allowed here"},
	{"a template in a tag", map[string]string{
		"templates/home.html":       `{{define "content"}}<p {{template "partials/t.html"}}>{{end}}`,
		"templates/partials/t.html": `title="x"`,
	}, "a value is not allowed here"},
	{"a javascript address", home(`<a href="javascript:alert(1)">x</a>`), "javascript:"},
	{"style", home(`<style>p{}</style>`), "must not contain <style"},
	{"a style attribute", home(`<p style="color:red">`), "a style= attribute"},
	{"a style attribute in svg", home("<svg><g\nSTYLE = 'fill:red'/></svg>"), "a style= attribute"},
	{"base", home(`<base href="https://evil.example/">`), "must not contain <base"},
	{"http-equiv", home(`<meta content="0;url=https://evil.example" http-equiv=refresh>`), "<meta http-equiv"},
	{"http-equiv behind an angle", home(`<meta name=">" http-equiv="refresh" content="0;url=https://evil.example">`),
		"the attribute http-equiv"},
	{"an element that is not known", home(`<marquee>x</marquee>`), "must not contain <marquee>"},
	{"an element in svg", home(`<svg><foreignObject></foreignObject></svg>`), "must not contain <foreignobject>"},
	{"an attribute that is not known", home(`<a href="/" ping="/p">x</a>`), "the attribute ping"},
	{"another policy for referrers", home(`<a href="https://a.example" referrerpolicy="unsafe-url">x</a>`),
		"the attribute referrerpolicy"},
	{"a name in branches", home(`<i{{if .page}}{{else}}frame{{end}} src="/x">x</i>`), "an embedded document"},
	{"an attribute in branches", home(`<p{{if .page}} ti{{else}}ng{{end}}="/x">x</p>`), "the attribute ti"},
	{"a form that goes elsewhere", home(`<form action="https://evil.example/"><input name="q"></form>`),
		"its action must be a path"},
	{"a form that goes elsewhere by its scheme", home(`<form action="//evil.example/"></form>`), "its action must be a path"},
	{"a value in an address of another host", home(`<img src="https://evil.example/?q={{.search.query}}" alt="">`),
		"part of an address on another host"},
	{"a value behind two slashes", home(`<a href="//{{.page.title}}">x</a>`), "part of an address on another host"},
	{"a value behind one slash", home(`<a href="/{{.page.title}}/x">x</a>`), "part of an address on another host"},
	{"a value behind the path of the shop", home(`<a href="{{.shop.url}}{{.page.title}}">x</a>`),
		"part of an address on another host"},
	{"a host behind the path of the shop", home(`<a href="{{.shop.url}}/evil.example/{{.page.title}}">x</a>`),
		"part of an address on another host"},
	{"a form that goes where a value says", home(`<form action="{{.page.title}}"></form>`), "its action must be a path"},
	{"a name from a path of the shop", home(`<p {{.shop.url}}="x">`), "a value is not allowed here"},
	{"a value behind a backslash", home(`<a href="/\{{.page.title}}">x</a>`), "part of an address on another host"},
	{"a value behind a scheme", home(`<a href="mailto:{{.page.title}}">x</a>`), "part of an address on another host"},
	{"a value behind a value", home(`<img src="{{.page.title}}?{{.search.query}}" alt="">`),
		"part of an address on another host"},
	{"a value behind a choice", home(`<img src="{{if .page}}https://evil.example/{{else}}/x/{{end}}{{.page.title}}" alt="">`),
		"part of an address on another host"},
	{"a value behind choices of slashes", home(`<a href="{{if .a}}/{{else}}x{{end}}/evil.example/{{.page.title}}">x</a>`),
		"part of an address on another host"},
	{"values in a row", home(`<img src="{{range .products}}{{.title}}{{end}}" alt="">`),
		"part of an address on another host"},
	{"a value in a srcset", home(`<img srcset="/a.png 1x, https://evil.example/{{.page.title}} 2x" alt="">`),
		"part of an address on another host"},
	{"iframe", home(`<iframe src="https://evil.example"></iframe>`), "an embedded document"},
	{"object", home(`<object data="x"></object>`), "an embedded document"},
	{"embed", home(`<embed src="x">`), "an embedded document"},
	{"handlers from svg", home(`<svg><animate onbegin=alert(1) attributeName=x></svg>`), "a handler such as onclick="},

	// Templates that do not fit together.
	{"no end", home(`{{if .}}`), "unexpected EOF"},
	{"an unknown template", home(`{{template "none" .}}`), `there is no template "none"`},
	{"a page that ends in a tag", home(`<p title="`), "something is not closed"},
	{"branches that differ", home(`<p {{if .page}}title="{{end}}x">`), "end in different places"},
	{"a range that leaves a tag open", home(`{{range .products}}<p title="{{end}}`), "different places"},
	{"an address in two parts", home(`<a href="{{if .x}}/a{{else}}/b?c={{end}}{{.page.title}}">x</a>`),
		"part of an address on another host"},
	{"not UTF-8", home("\xff"), "not valid UTF-8"},
	{"a template out of place", map[string]string{"templates/other.html": "x"}, "is not a template path"},
	{"a template elsewhere", map[string]string{"home": "x"}, "is not a template path"},
	{"text outside of define", map[string]string{"templates/home.html": `x{{define "content"}}{{end}}`},
		"outside of {{define}}"},
	{"no content", map[string]string{"templates/home.html": `{{define "x"}}{{end}}`}, `does not define "content"`},
	{"a layout without content", map[string]string{"templates/layout.html": `<p>x</p>`},
		`{{template "content" .}} is missing`},
	{"a name twice", map[string]string{
		"templates/partials/a.html": `{{define "x"}}1{{end}}`, "templates/partials/b.html": `{{define "x"}}2{{end}}`,
	}, "of the same name"},
	{"a partial's name in a page", map[string]string{
		"templates/partials/a.html": `{{define "content"}}1{{end}}`,
	}, "of the same name"},
	{"a name with html/template's mark", map[string]string{
		"templates/partials/a.html": `{{define "content$htmltemplate_stateText"}}1{{end}}`,
	}, "a template's name"},
}

func TestHostile(t *testing.T) {
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Compile(sampleTheme(t, tc.templates), assets, none)
			if err == nil {
				t.Fatal("the theme was accepted")
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("the error is %q, want %q in it", err, tc.want)
			}
			if said, _, _ := strings.Cut(err.Error(), "unknown function"); leaks(said) {
				t.Errorf("the error speaks of Go: %q", err)
			}
		})
	}
}

// leaks reports whether an error contains internal names.
func leaks(s string) bool {
	for _, word := range []string{
		"_html_", "_show", "_list", "interface", "map[", "reflect", "render page", "0x", "stateT", "goroutine",
	} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}
