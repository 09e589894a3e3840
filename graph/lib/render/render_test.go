package render

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sampleTheme returns the theme of testdata, with some of its templates replaced.
func sampleTheme(t testing.TB, replaced map[string]string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.html", "partials/*.html"} {
		paths, err := filepath.Glob(filepath.Join("testdata", "templates", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[strings.TrimPrefix(filepath.ToSlash(path), "testdata/")] = string(text)
		}
	}
	maps.Copy(all, replaced)
	return all
}

// assets knows one stylesheet.
func assets(path string) (string, bool) {
	return "/assets/0123/style.css", path == "assets/style.css"
}

// none is a theme without settings.
func none(bool) map[string]any { return nil }

func compiled(t testing.TB, replaced map[string]string) *Theme {
	t.Helper()
	theme, err := Compile(sampleTheme(t, replaced), assets, none)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

func rendered(t testing.TB, theme *Theme, page string, data map[string]any) string {
	t.Helper()
	var out bytes.Buffer
	if err := theme.Render(&out, page, data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// body returns what a theme renders for the content of the home page, without the layout.
func body(t testing.TB, content string, data map[string]any) string {
	t.Helper()
	replaced := home(content)
	replaced["templates/layout.html"] = `{{template "content" .}}`
	return rendered(t, compiled(t, replaced), "home", data)
}

func TestRender(t *testing.T) {
	theme := compiled(t, nil)
	for _, page := range pages {
		for kind, data := range map[string]map[string]any{"full": SampleData(page), "empty": emptyData(page)} {
			t.Run(page+"/"+kind, func(t *testing.T) {
				got := rendered(t, theme, page, data)
				golden := filepath.Join("testdata", "golden", page+"."+kind+".html")
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	theme := compiled(t, nil)
	deep := map[string]any{}
	for range maxDepth + 2 {
		deep = map[string]any{"deeper": deep}
	}
	circle := map[string]any{}
	circle["self"] = circle
	tests := []struct {
		name string
		page string
		data map[string]any
		want string
	}{
		{name: "unknown page", page: "cart", data: map[string]any{}, want: "no page"},
		{name: "an int", page: "home", data: map[string]any{"n": 5}, want: "must not contain a int"},
		{name: "a function", page: "home", data: map[string]any{"f": func() {}}, want: "must not contain a func()"},
		{name: "an iterator", page: "home", data: map[string]any{"f": func(func(int) bool) {}},
			want: "must not contain a func"},
		{name: "a channel", page: "home", data: map[string]any{"a": []any{make(chan int)}},
			want: "must not contain a chan int"},
		{name: "a value with methods", page: "home", data: map[string]any{"a": map[string]any{"e": io.EOF}},
			want: "a: e: the data"},
		{name: "a list of another type", page: "home", data: map[string]any{"products": []string{"x"}},
			want: "must not contain a []string"},
		{name: "too deep", page: "home", data: deep, want: "too large or too deep"},
		{name: "a circle", page: "home", data: circle, want: "too large or too deep"},
		{name: "too many values", page: "home", data: map[string]any{"a": make([]any, maxValues)},
			want: "too large or too deep"},
		{name: "text in place of a list", page: "home", data: map[string]any{"products": "x"},
			want: "range requires a list, not text"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			err := theme.Render(&out, tc.page, tc.data)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q in it", err, tc.want)
			}
			if out.Len() > 0 {
				t.Errorf("%d bytes were written", out.Len())
			}
		})
	}
}

func TestRenderShowsMissingAsNothing(t *testing.T) {
	got := body(t, `[{{.none}}|{{.none.deeper.still}}|{{index .products 99}}|{{len .none}}|{{range .none}}x{{end}}|`+
		`{{join .none ","}}|{{upper .none}}|{{if gt .none 1}}x{{end}}]`, nil)
	if want := `[|||0||||]`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A theme shows what it is given, and nothing else. (The clock stands still, here and below: a busy
// machine must not end a page.)
func TestRenderIsolatesData(t *testing.T) { synctest.Test(t, testDataApart) }

func testDataApart(t *testing.T) {
	theme := compiled(t, home(`{{.page.title}}{{range .products}}{{.title}}{{end}}`))
	one, two := SampleData("home"), SampleData("home")
	one["page"].(map[string]any)["title"] = "FIRST"
	two["page"].(map[string]any)["title"] = "SECOND"
	var wait sync.WaitGroup
	for i := range 8 {
		data, other := one, "SECOND"
		if i%2 == 1 {
			data, other = two, "FIRST"
		}
		wait.Go(func() {
			for range 20 {
				var out bytes.Buffer
				if err := theme.Render(&out, "home", data); err != nil || strings.Contains(out.String(), other) {
					t.Errorf("error %v, or the data of another page", err)
				}
			}
		})
	}
	wait.Wait()
}

// All pages of a theme concurrently, for the race detector.
func TestRenderAtOnce(t *testing.T) { synctest.Test(t, testAtOnce) }

func testAtOnce(t *testing.T) {
	theme := compiled(t, nil)
	want := map[string]string{}
	for _, page := range pages {
		want[page] = rendered(t, theme, page, SampleData(page))
	}
	var wait sync.WaitGroup
	for range 4 {
		for _, page := range pages {
			wait.Go(func() {
				var out bytes.Buffer
				if err := theme.Render(&out, page, SampleData(page)); err != nil || out.String() != want[page] {
					t.Errorf("page %s differs, or error %v", page, err)
				}
			})
		}
	}
	wait.Wait()
}

type refuser struct{}

func (refuser) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestRenderReturnsTheWritersError(t *testing.T) {
	if err := compiled(t, nil).Render(refuser{}, "home", SampleData("home")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want io.ErrClosedPipe", err)
	}
}

// A theme's templates are copied into each page: one page does not change another.
func TestPagesAreIsolated(t *testing.T) {
	theme := compiled(t, map[string]string{
		"templates/layout.html": `{{block "title" .}}plain{{end}}:{{template "content" .}}`,
		"templates/home.html": `{{define "title"}}home{{end}}{{define "content"}}{{template "own"}}{{end}}` +
			`{{define "own"}}1{{end}}`,
		"templates/search.html": `{{define "content"}}{{template "own"}}{{end}}{{define "own"}}2{{end}}`,
		"templates/not_found.html": `{{define "content"}}<p title="{{template "partials/note.html" .}}">` +
			`{{template "partials/note.html" .}}</p>{{end}}`,
		"templates/partials/note.html": `{{.page.kind}} &`,
	})
	for page, want := range map[string]string{
		"home": "home:1", "search": "plain:2", "not_found": `plain:<p title="not_found &">not_found &</p>`,
	} {
		if got := rendered(t, theme, page, SampleData(page)); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	_, err := Compile(sampleTheme(t, map[string]string{
		"templates/home.html":          "{{define \"content\"}}\n\n{{printf}}\n{{.page.title 1}}{{end}}",
		"templates/partials/card.html": "\n<script>\n<p\nstyle=x>",
	}), assets, none)
	all, ok := errors.AsType[Errors](err)
	if !ok {
		t.Fatalf("the error is a %T", err)
	}
	var got []string
	for _, e := range all {
		got = append(got, fmt.Sprintf("%s:%d", e.Template, e.Line))
	}
	want := []string{"templates/home.html:3", "templates/home.html:4", "templates/partials/card.html:2",
		"templates/partials/card.html:3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s\n%v", diff, err)
	}
	_, err = Compile(sampleTheme(t, home(strings.Repeat("{{printf}}\n", 50))), assets, none)
	if all, _ := errors.AsType[Errors](err); len(all) != maxErrors {
		t.Errorf("got %d errors, want %d", len(all), maxErrors)
	}
	if _, err := Compile(nil, assets, none); !strings.Contains(fmt.Sprint(err),
		"templates/layout.html: the theme has no such template") {
		t.Errorf("no templates: %v", err)
	}
}

// An error while a page is rendered names its place.
func TestRenderErrorNamesItsPlace(t *testing.T) {
	theme := compiled(t, home("\n{{if eq .shop.name \"x\"}}\n{{truncate .shop.name .shop.name}}{{end}}"))
	err := theme.Render(io.Discard, "home", map[string]any{"shop": map[string]any{"name": "x"}})
	place, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	want := &Error{Template: "templates/home.html", Line: 3, Detail: "truncate requires an integer, not text"}
	if diff := cmp.Diff(want, place); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func BenchmarkRenderHome(b *testing.B) {
	theme, data := compiled(b, nil), SampleData("home")
	b.ReportAllocs()
	for b.Loop() {
		if err := theme.Render(io.Discard, "home", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	templates := sampleTheme(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(templates, assets, none); err != nil {
			b.Fatal(err)
		}
	}
}
