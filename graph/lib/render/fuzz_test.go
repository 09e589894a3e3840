package render

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"
	"text/template/parse"
	"time"
	"unicode/utf8"
)

// mark is in all texts of the fuzzers' data: a page that contains it unescaped shows data as
// markup.
const mark = `"'><canary x=1>`

// marked returns data of a home page: lists of 60, and the mark in every text.
func marked() map[string]any {
	data := long(60)
	tags := data["tags"].([]any)
	for i := range tags {
		tags[i] = mark
	}
	data["text"] = strings.Repeat(mark, 5000)
	data["page"].(map[string]any)["title"] = mark
	for _, c := range data["products"].([]any) {
		card := c.(map[string]any)
		card["title"], card["url"], card["image_url"] = mark, mark, "javascript:alert(1)"
	}
	return data
}

// Whatever the templates: no panic, no more steps than estimated, no more bytes than allowed, no
// data as markup, and errors that can be shown.
func FuzzCompile(f *testing.F) {
	for _, tc := range hostile {
		if page := tc.templates["templates/home.html"]; len(page) < 2<<10 { // mutations of long texts find little
			f.Add(page, tc.templates["templates/partials/t.html"])
		}
	}
	text := sampleTheme(f, nil)
	f.Add(text["templates/home.html"], text["templates/partials/card.html"])
	f.Add(text["templates/search.html"], text["templates/partials/card.html"])
	for _, content := range []string{
		`{{range $i, $x := .tags}}{{$y := index $.tags $i}}{{if and (eq $x $y) (lt $i 5)}}{{$x}}{{else if not $x}}` +
			`{{break}}{{end}}{{end}}`,
		`<a href="{{.text}}?{{.page.title}}" title='{{.page.title}}' class={{.page.title}}>{{template ` +
			`"partials/t.html" .}}</a>`,
		`{{with join .tags .text}}<textarea>{{. | truncate 100 | upper}}</textarea>{{end}}<img srcset="{{.text}} 2x">`,
		`{{range .products}}{{template "partials/t.html" .}}{{end}}{{block "b" .page}}{{.title}}{{end}}<!-- {{.}} -->`,
	} {
		f.Add(`{{define "content"}}`+content+`{{end}}`, `<b>{{default "none" .title}}</b>`)
	}
	data := marked()
	f.Fuzz(func(t *testing.T, page, partial string) {
		templates := maps.Clone(text)
		templates["templates/home.html"], templates["templates/partials/t.html"] = page, partial
		theme, err := Compile(templates, assets, none)
		if err != nil {
			showable(t, err)
			return
		}
		var out bytes.Buffer
		if err := theme.Render(&out, "home", data); err != nil {
			place, ok := errors.AsType[*Error](err)
			if ok {
				showable(t, Errors{place})
			}
			if out.Len() > 0 {
				t.Errorf("%d bytes were written in spite of %v", out.Len(), err)
			}
		}
		if out.Len() > MaxOutput {
			t.Errorf("%d bytes were written", out.Len())
		}
		if strings.Contains(out.String(), "<canary") && !strings.Contains(page+partial, "canary") {
			t.Errorf("data is shown as markup: %q", out.String())
		}
		foreseen(t, templates, data)
	})
}

// showable checks that an error can be shown to a merchant.
func showable(t *testing.T, err error) {
	all, ok := errors.AsType[Errors](err)
	if !ok || len(all) == 0 || len(all) > maxErrors {
		t.Fatalf("the error is %v, a %T", err, err)
	}
	for _, e := range all {
		if e.Detail == "" || len(e.Detail) > 1500 || !utf8.ValidString(e.Error()) || strings.Contains(e.Error(), "\n") {
			t.Errorf("the error cannot be shown: %q", e.Error())
		}
		if e.Detail == errBroken.Error() {
			t.Errorf("the templates cause a panic: %v", e)
		}
	}
}

// foreseen checks that a page takes no more steps than its estimated cost, and that its templates
// nest no deeper than allowed.
func foreseen(t *testing.T, templates map[string]string, data map[string]any) {
	src, errs := read(templates)
	if errs = append(errs, src.check(assets)...); len(errs) > 0 {
		t.Fatalf("compiled, and now %v", errs)
	}
	visible, err := src.visible("home")
	if err != nil {
		t.Fatal(err)
	}
	costs, err := checkCost("", src.root, visible)
	if err != nil {
		t.Fatal(err)
	}
	page, err := src.page("home")
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter(new(bytes.Buffer), time.Hour)
	if err := execute(page, m, data); errors.Is(err, errBroken) {
		t.Error("the page causes a panic")
	}
	// The step at which html/template's escaping stops is not part of the cost.
	if m.steps > costs[src.root].steps+1 {
		t.Errorf("%d steps, and %d were estimated", m.steps, costs[src.root].steps)
	}
	for _, tree := range visible {
		if d := depth(tree.Root); d > maxNesting+1 {
			t.Errorf("blocks are nested %d deep", d)
		}
	}
}

// depth returns how deep blocks are nested in a list.
func depth(l *parse.ListNode) int {
	if l == nil {
		return 0
	}
	deepest := 0
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.IfNode:
			deepest = max(deepest, depth(n.List), depth(n.ElseList))
		case *parse.WithNode:
			deepest = max(deepest, depth(n.List), depth(n.ElseList))
		case *parse.RangeNode:
			deepest = max(deepest, depth(n.List), depth(n.ElseList))
		}
	}
	return deepest + 1
}

// The limits on nesting hold for everything that the parser accepts.
func FuzzScan(f *testing.F) {
	for _, tc := range hostile {
		if page := tc.templates["templates/home.html"]; len(page) < 2<<10 {
			f.Add(page)
		}
	}
	f.Add("{{- /* {{ (((( */ -}}{{`}}(`}}{{\"\\\"((\"}}{{'\"'}}{{ if(true)}}{{else if 1}}{{end -}} {{end}}")
	f.Fuzz(func(t *testing.T, text string) {
		var s scan
		if err := s.file("templates/home.html", text); err != nil {
			return
		}
		set, err := parseFile("templates/home.html", text)
		if err != nil {
			return
		}
		actions := 0
		for _, tree := range set {
			if d := depth(tree.Root); d > maxNesting+1 {
				t.Errorf("blocks are nested %d deep", d)
			}
			each(tree.Root, func(n parse.Node) {
				switch n := n.(type) {
				case *parse.ActionNode:
					actions++
					parens(t, n.Pipe)
				case *parse.TemplateNode, *parse.IfNode, *parse.WithNode, *parse.RangeNode:
					actions++
				}
			})
		}
		if actions > s.actions {
			t.Errorf("%d actions, and %d were counted", actions, s.actions)
		}
	})
}

// parens checks how deep the parentheses of a pipeline are nested.
func parens(t *testing.T, p *parse.PipeNode) {
	var walk func(n parse.Node, depth int)
	walk = func(n parse.Node, depth int) {
		if depth > maxParens {
			t.Fatalf("parentheses are nested %d deep", depth)
		}
		switch n := n.(type) {
		case *parse.PipeNode:
			for _, cmd := range n.Cmds {
				for _, arg := range cmd.Args {
					walk(arg, depth+1)
				}
			}
		case *parse.ChainNode:
			walk(n.Node, depth)
		}
	}
	walk(p, -1)
}
