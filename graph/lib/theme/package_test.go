package theme

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/digest"
)

func TestEncode(t *testing.T) {
	one, two := mustRead(t, good().zip()), mustRead(t, good().libraryZip(t))
	if !bytes.Equal(one.Encode(), two.Encode()) {
		t.Error("equal packages have other bytes")
	}
	seen := map[digest.Sum]string{digest.Of(one.Encode()): "nothing"}
	for _, tc := range []struct {
		name string
		tree tree
	}{
		{"name", good().with("theme.json", `{"name": "Other"}`)},
		{"template", good().with("templates/home.html", `{{define "content"}}&lt;{{end}}`)},
		{"stylesheet", good().with("assets/style.css", "a{}")},
		{"image behind the stylesheet", good().with("assets/img/dot.gif", someGIF(3, 3, 1))},
		{"one more", good().with("assets/b.css", "")},
		{"one fewer", good().with("assets/empty.css", "-")},
	} {
		sum := digest.Of(mustRead(t, tc.tree.zip()).Encode())
		if other, ok := seen[sum]; ok {
			t.Errorf("a change of the %s has the bytes of a change of the %s", tc.name, other)
		}
		seen[sum] = tc.name
	}
}

// kept returns the package as Parse returns it.
func kept(p *Package) *Package {
	p = &Package{Manifest: p.Manifest, Templates: p.Templates, Assets: slices.Clone(p.Assets)}
	for i := range p.Assets {
		p.Assets[i].Body = nil
	}
	return p
}

func TestParse(t *testing.T) {
	for _, tree := range []tree{
		good(),
		good().with("theme.json", `{"name": "<Ä\u2028&>", "author": null, "description": ""}`,
			"templates/partials/odd.html", "<p>\u2028\ufeff &amp; \"\\ \x01"),
	} {
		p := mustRead(t, tree.zip())
		back, err := Parse(p.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(kept(p), back); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	text := string(mustRead(t, good().zip()).Encode())
	swap := func(old, other string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%s is not in the text", old)
		}
		return strings.Replace(text, old, other, 1)
	}
	first, rest, _ := strings.Cut(text, `"assets":[`)
	element, rest, _ := strings.Cut(rest, `},`)
	second, rest, _ := strings.Cut(rest, `},`)
	for _, tc := range []struct{ name, text string }{
		{"nothing", ""},
		{"null", "null\n"},
		{"list", "[]\n"},
		{"empty", "{}\n"},
		{"cut off", text[:len(text)-5]},
		{"more behind it", text + "{}"},
		{"no end of line", strings.TrimSpace(text)},
		{"white space", strings.Replace(text, ":", ": ", 1)},
		{"another form", swap(`"form":1`, `"form":2`)},
		{"unknown member", swap(`"form":1`, `"form":1,"x":1`)},
		{"member twice", swap(`"form":1`, `"form":1,"form":1`)},
		{"another case", swap(`"form":1`, `"Form":1`)},
		{"escape that is not needed", swap(`"Plain"`, `"Pl\u0061in"`)},
		{"bad UTF-8", swap(`"Plain"`, "\"Pl\xffain\"")},
		{"no name", swap(`"Plain"`, `""`)},
		{"empty version", swap(`"version":"1.0.0"`, `"version":""`)},
		{"bad version", swap(`"version":"1.0.0"`, `"version":"1 0"`)},
		{"another preview", swap(`"preview":"assets/preview.png"`, `"preview":"assets/none.png"`)},
		{"missing template", swap(`"templates/home.html"`, `"templates/partials/home.html"`)},
		{"hostile template", swap(`"templates/partials/card.html"`, `"templates/../card.html"`)},
		{"template with NUL", swap(`>Nothing.<`, `>\u0000<`)},
		{"large template", swap(`>Nothing.<`, strings.Repeat("x", maxTemplate))},
		{"no assets", swap(`"assets":[`, `"assets":null,"x":[`)},
		{"assets out of order", first + `"assets":[` + second + `},` + element + `},` + rest},
		{"asset twice", swap(`"assets":[`, `"assets":[`+element+`},`)},
		{"path outside", swap(`"path":"assets/empty.css"`, `"path":"../empty.css"`)},
		{"path of a template", swap(`"path":"assets/empty.css"`, `"path":"templates/home.html"`)},
		{"kind", swap(`"kind":"css"`, `"kind":"font"`)},
		{"type", swap(`"content_type":"font/otf"`, `"content_type":"text/html"`)},
		{"size", swap(`"size":0,`, `"size":-1,`)},
		{"large size", swap(`"size":0,`, `"size":99999999999,`)},
		{"size with a fraction", swap(`"size":0,`, `"size":0.0,`)},
		{"short sum", swap(`"sum":"`, `"sum":"00`)},
		{"sum in capitals", strings.ToUpper(text)},
		{"width of a stylesheet", swap(`"width":null,"height":null`, `"width":1,"height":1`)},
		{"width alone", swap(`"width":4,"height":3`, `"width":4,"height":null`)},
		{"no width", swap(`"width":4,"height":3`, `"width":null,"height":null`)},
		{"huge width", swap(`"width":4,`, `"width":8193,`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if p, err := Parse([]byte(tc.text)); err == nil || p != nil {
				t.Errorf("it was accepted: %v", p)
			}
		})
	}
}

func TestSize(t *testing.T) {
	p := mustRead(t, good().zip())
	want := int64(0)
	for _, text := range p.Templates {
		want += int64(len(text))
	}
	for _, a := range p.Assets {
		want += int64(len(a.Body))
	}
	if got := p.Size(); got != want || want == 0 {
		t.Errorf("got %d, want %d", got, want)
	}
	if back, err := Parse(p.Encode()); err != nil || back.Size() != want {
		t.Errorf("once it is parsed, got %d, want %d, %v", back.Size(), want, err)
	}
}

func TestFind(t *testing.T) {
	p := mustRead(t, good().zip())
	for _, a := range p.Assets {
		if got, ok := p.Find(a.Path); !ok || got.Sum != a.Sum || got.Path != a.Path {
			t.Errorf("%s: got %s, %v", a.Path, got.Path, ok)
		}
	}
	for _, name := range []string{"", "assets/", "assets/none.css", "templates/home.html", "assets/Style.css"} {
		if _, ok := p.Find(name); ok {
			t.Errorf("%q was found", name)
		}
	}
}

// Keys and addresses lead to the same bytes and the same type.
func TestBlobKey(t *testing.T) {
	sum := digest.Of(nil)
	const hex = "assets/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, want := range map[string]string{
		"a.css": "css", "a.woff2": "woff2", "a.woff": "woff", "a.ttf": "ttf", "a.otf": "otf", "a.png": "png",
		"a.jpg": "jpg", "a.jpeg": "jpg", "a.JPEG": "jpg", "a.b.gif": "gif", "a.WebP": "webp", "a.svg": "svg",
	} {
		contentType, ok := ContentTypeOf(name)
		if got := BlobKey(sum, contentType); !ok || got != hex+"."+want {
			t.Errorf("%s: got %s, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", "css", "a", "a.", "a.js", "a.html", "a.css.html", "a.css/"} {
		if contentType, ok := ContentTypeOf(name); ok || BlobKey(sum, contentType) != "" {
			t.Errorf("%q has the type %s", name, contentType)
		}
	}
	p := mustRead(t, good().zip())
	for _, a := range p.Assets {
		if contentType, ok := ContentTypeOf(a.Address()); !ok || contentType != a.ContentType {
			t.Errorf("%s: its address says %s", a.Path, contentType)
		}
	}
	if got := slices.Sorted(maps.Keys(decoders)); !slices.Equal(got, []string{"gif", "jpg", "png", "webp"}) {
		t.Errorf("got the decoders %v", got)
	}
}
