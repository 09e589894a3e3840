package theme

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/storefront-go/storefront/ent/digest"
)

// FuzzRead: no archive crashes the program. A refusal has reasons, and an accepted theme survives
// Encode and Parse unchanged.
func FuzzRead(f *testing.F) {
	f.Add(good().zip())
	f.Add(good().libraryZip(f))
	for _, h := range hostiles() {
		if len(h.archive) < 100_000 {
			f.Add(h.archive)
		}
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		p, err := Read(archive)
		if err != nil {
			refusal(t, p, err)
			return
		}
		text := p.Encode()
		back, err := Parse(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(kept(p), back); diff != "" {
			t.Fatal(diff)
		}
		for _, a := range p.Assets {
			if a.Sum != digest.Of(a.Body) || a.Size != int64(len(a.Body)) || path.Clean("/"+a.Path) != "/"+a.Path {
				t.Fatalf("%q: size and checksum are not those of the body", a.Path)
			}
		}
	})
}

func refusal(t *testing.T, p *Package, err error) {
	problems, ok := errors.AsType[*Problems](err)
	if p != nil || !ok || len(problems.List) == 0 || len(problems.List) > maxProblems {
		t.Fatalf("got %v, %v", p, err)
	}
	for _, one := range problems.List {
		if one.Detail == "" || !strings.HasSuffix(one.Detail, ".") || strings.ContainsAny(one.Detail, "\x00\x1b") ||
			len(one.Detail) > 1000 {
			t.Fatalf("got %q", one)
		}
	}
}

// FuzzFile: no file crashes the program, without the zip's own checks. It is accepted unchanged, or
// refused with a reason.
func FuzzFile(f *testing.F) {
	names := []string{manifestName, "templates/home.html"}
	for _, name := range []string{"a.woff2", "a.woff", "a.ttf", "a.otf", "a.png", "a.jpg", "a.gif", "a.webp", "a.svg"} {
		names = append(names, "assets/"+name)
	}
	for i, name := range names {
		for other, body := range good() {
			if extension(other) == extension(name) {
				f.Add(uint8(i), []byte(body))
			}
		}
	}
	f.Fuzz(func(t *testing.T, at uint8, body []byte) {
		name := names[int(at)%len(names)]
		r := &reading{found: &Problems{}, pack: &Package{Templates: map[string]string{}}, good: map[string]Asset{},
			work: 1_000_000}
		r.file(entry{name: name, size: int64(len(body)),
			open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }})
		if r.found.any() {
			refusal(t, nil, r.found)
			return
		}
		if !r.pack.validAssets() || len(r.pack.Assets) == 1 && !bytes.Equal(r.pack.Assets[0].Body, body) {
			t.Fatalf("%s: got %v", name, r.pack.Assets)
		}
	})
}

// FuzzSVG: an accepted image refers to nothing outside of it, as far as a plain search of its text
// shows.
func FuzzSVG(f *testing.F) {
	f.Add(goodSVG)
	for _, inside := range []string{
		`<style>a{fill:url(#a)}</style>`, `<g style="fill:url('#a')" onclick="x"/>`,
		`<use xlink:href="#a" href="javascript:x"/>`, `<animate attributeName="x" to="1"/>`,
		`<![CDATA[ x ]]><!-- y --><?z a?>`, `<text>&#x41;</text>`, `<script/>`, `<foreignObject/>`,
	} {
		f.Add(drawn(inside))
	}
	f.Fuzz(func(t *testing.T, text string) {
		width, height, detail := checkSVG([]byte(text))
		if (width == nil) != (height == nil) {
			t.Fatal("the image has one side")
		}
		if detail != "" {
			return
		}
		for _, bad := range []string{
			"<script", "<foreignobject", "<!doctype", "<!entity", "<a ", "<a>", "<image", "<iframe", `href="http`,
			`href="//`, `href="data`, `="javascript:`, "<?php",
		} {
			if at := strings.Index(uncommented(strings.ToLower(text)), bad); at >= 0 {
				t.Fatalf("it was accepted with %s", bad)
			}
		}
	})
}

// uncommented returns a text without what is not markup.
func uncommented(text string) string {
	for _, pair := range [][2]string{{"<!--", "-->"}, {"<![cdata[", "]]>"}} {
		for {
			before, rest, ok := strings.Cut(text, pair[0])
			if !ok {
				break
			}
			_, after, _ := strings.Cut(rest, pair[1])
			text = before + after
		}
	}
	return text
}

// FuzzRewrite: an accepted stylesheet, as served, refers only to assets and to images within it,
// and is accepted again unchanged.
func FuzzRewrite(f *testing.F) {
	for _, text := range []string{
		goodSheet, "a{b:url(a.png)}", `a{b:image-set(url("../b.png") 1x)}`, "@media x{a{b:url('x/c.svg#d')}}",
		`a{b:u\72l(x)}`, "a{b:\u00d7url(x)}", "@\\69mport 'x';", "/* url(x) */ a{content:'\\'url(x)'}",
		"a{b:url(" + inlined("image/gif", someGIF(1, 1, 1)) + ")}", "--a:url(a.png)", "u+0-7F,u+1?", "a{b:src('x')}",
		"<!-- a{} -->", "a{b:url( a.png\n)}\r\n\f", "a{behavior:x}", `a{b:image-set("x" 1x)}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, details := rewritten(text)
		if len(details) > 0 {
			return
		}
		if err := servable(out); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		// Served stylesheets have absolute addresses; everything else must be accepted.
		s := sheet{address: func(raw string) (string, string) { return raw, "" },
			note: func(detail string) { t.Fatalf("%s: %q", detail, out) }}
		if again := string(s.rewrite([]byte(out))); again != out {
			t.Fatalf("%q became %q", out, again)
		}
	})
}

// servable checks a stylesheet without the code that wrote it, except for the lexer, and also by
// its words.
func servable(out string) error {
	l := css.NewLexer(parse.NewInputString(out))
	for {
		kind, token := l.Next()
		switch {
		case kind == css.ErrorToken:
			return nil
		case kind == css.BadURLToken || kind == css.BadStringToken:
			return fmt.Errorf("%s is broken", token)
		case kind == css.AtKeywordToken && strings.EqualFold(string(token), "@import"):
			return fmt.Errorf("%s is there", token)
		case kind == css.FunctionToken && bytes.EqualFold(token, []byte("expression(")):
			return fmt.Errorf("%s is there", token)
		case kind != css.URLToken:
			continue
		}
		if text := string(token); !strings.HasPrefix(text, `url("/assets/`) &&
			!strings.HasPrefix(text, `url("data:image/`) {
			return fmt.Errorf("%s is there", token)
		}
	}
}

// FuzzParse: what is accepted is what Encode writes.
func FuzzParse(f *testing.F) {
	p, err := Read(good().zip())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.Encode())
	f.Add([]byte(`{"form":1,"manifest":{"name":"a","version":null,"author":null,"description":null,"preview":""},` +
		`"templates":{},"assets":[]}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		if !bytes.Equal(p.Encode(), text) {
			t.Fatalf("%s became %s", text, p.Encode())
		}
		p.Size()
		for _, a := range p.Assets {
			if BlobKey(a.Sum, a.ContentType) == "" {
				t.Fatalf("%s has no key", a.Path)
			}
		}
	})
}
