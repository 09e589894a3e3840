package render

import (
	"strings"
	"testing"
)

func TestFunctions(t *testing.T) {
	data := map[string]any{
		"n": float64(3), "big": float64(12345678), "half": 0.5, "t": "Größe", "empty": "", "yes": true, "no": false,
		"list": []any{"a", float64(2), true}, "none": nil, "group": map[string]any{"k": "v", "list": []any{"x", "y"}},
		"long": strings.Repeat("é", maxText),
	}
	tests := []struct{ body, want string }{
		{`{{.n}} {{.big}} {{.half}} {{.yes}} {{.none}} {{5}} {{0x10}} {{1.5}} {{-2}} {{"x"}}`,
			`3 12345678 0.5 true  5 16 1.5 -2 x`},
		{`{{len .list}} {{len .t}} {{len .none}} {{len .group}} {{len ""}}`, `3 5 0 2 0`},
		{`{{if eq .n 3}}a{{end}}{{if eq .n 3.0}}b{{end}}{{if eq 3 .n}}c{{end}}{{if eq .n "3"}}d{{end}}{{if eq (len ` +
			`.list) .n}}e{{end}}`, `abce`},
		{`{{if eq .t "x" "Größe"}}a{{end}}{{if ne .t "x"}}b{{end}}{{if eq .none nil}}c{{end}}{{if eq .yes true}}` +
			`d{{end}}{{if eq .no .yes}}e{{end}}`, `abcd`},
		{`{{if eq .none ""}}a{{end}}{{if eq .gone nil}}b{{end}}{{if ne .t nil}}c{{end}}`, `bc`},
		{`{{if lt .n 4}}a{{end}}{{if le .n 3}}b{{end}}{{if gt .n 2}}c{{end}}{{if ge .n 3.0}}d{{end}}{{if lt .n 3}}` +
			`e{{end}}{{if gt .n 3}}f{{end}}`, `abcd`},
		{`{{if lt "a" "b"}}a{{end}}{{if ge "b" "b"}}b{{end}}{{if lt .none 1}}c{{end}}{{if ge 1 .none}}d{{end}}`, `ab`},
		{`{{range $i, $x := .list}}{{if gt $i 0}}, {{end}}{{$i}}={{$x}}{{end}}`, `0=a, 1=2, 2=true`},
		{`{{index .list 0}}{{index .list 1}}{{index .list 9}}{{index .list -1}}{{index .list 0.5}}{{index .group ` +
			`"k"}}{{index .group "list" 1}}{{index .group "none" 1}}{{index .none 1}}`, `a2vy`},
		{`{{and .yes .t}} {{and .no .t}} {{or .empty .t}} {{or .empty .none}} {{not .empty}}`,
			`Größe false Größe  true`},
		{`{{default "d" .empty}} {{default "d" .none}} {{default "d" .t}} {{.gone | default "d"}} {{default "d" 0}}`,
			`d d Größe d d`},
		{`{{truncate 3 .t}} {{truncate 5 .t}} {{truncate 0 .t}} {{truncate -1 .t}} {{truncate 3 .none}} {{.t | ` +
			`truncate 2}} {{truncate 2 "a b c"}}`, `Grö… Größe … …  Gr… a…`},
		{`{{range first 2 .list}}[{{.}}]{{end}}{{range first 9 .list}}{{.}}{{end}}{{range first 0 .list}}x{{else}}` +
			`-{{end}}{{range first 2 .none}}x{{end}}`, `[a][2]a2true-`},
		{`{{join .list ", "}} {{join .group.list ""}} {{join .none ","}} {{join (first 1 .list) ","}}`,
			`a, 2, true xy  a`},
		{`{{lower "ÄBC"}} {{upper "äbc"}} {{upper .none}}{{.t | upper | lower}}`, `äbc ÄBC größe`},
		{`{{with $x := .group}}{{$x.k}}{{(index $x.list 0)}}{{end}}{{(first 1 .list) | len}}`, `vx1`},
		{`{{asset "assets/style.css"}} {{upper (asset "assets/style.css")}}`,
			`/assets/0123/style.css /ASSETS/0123/STYLE.CSS`},
		{`{{range .list}}{{if eq . 2}}{{break}}{{end}}{{.}}{{end}}{{range .list}}{{if eq . 2}}{{continue}}{{end}}` +
			`{{.}}{{end}}`, `aatrue`},
		{`{{len (upper .long)}} {{len (join .list .long)}} {{len (truncate 2000 .long)}}`, `65536 32769 2001`},
		{`{{/* a comment }} */}}{{- /* another */ -}} x`, `x`},
	}
	for _, tc := range tests {
		t.Run(tc.body, func(t *testing.T) {
			if got := body(t, tc.body, data); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFunctionErrors(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{{len true}}`, "len requires a list or a text, not a boolean"},
		{`{{len 5}}`, "not a number"},
		{`{{index .products "a"}}`, "index of a list requires a number, not text"},
		{`{{index .shop 1}}`, "index of a group of values requires a name, not a number"},
		{`{{index .shop.name 1}}`, "index requires a list or a group of values, not text"},
		{`{{first "a" .products}}`, "first requires an integer, not text"},
		{`{{first 1.5 .products}}`, "first requires an integer, not a number"},
		{`{{first 1 .shop.name}}`, "first requires a list, not text"},
		{`{{truncate 2001 .shop.name}}`, "truncate keeps at most 2,000 code points"},
		{`{{truncate 1 .products}}`, "a list cannot be shown as text"},
		{`{{join .shop.name ","}}`, "join requires a list, not text"},
		{`{{join .products ","}}`, "a group of values cannot be shown as text"},
		{`{{join (first 2 .products) .shop}}`, "a group of values cannot be shown as text"},
		{`{{upper .shop}}`, "a group of values cannot be shown as text"},
		{`{{lt 1 "a"}}`, "lt compares two numbers or two texts, not a number and text"},
		{`{{ge true false}}`, "ge compares two numbers or two texts, not a boolean and a boolean"},
		{`{{ne .products 1}}`, "a list cannot be compared"},
		{`{{eq 1 .shop}}`, "a group of values cannot be compared"},
	}
	for _, tc := range tests {
		t.Run(tc.body, func(t *testing.T) {
			_, err := Compile(sampleTheme(t, home(tc.body)), assets, none)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// Every function has bounds.
func TestFunctionsHaveBounds(t *testing.T) {
	for name, f := range functions {
		if f.least < 1 || f.most < f.least || f.most > 10 || f.weight < 1 {
			t.Errorf("%s: arguments %d to %d, weight %d", name, f.least, f.most, f.weight)
		}
	}
}
