package theme

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

// rewritten rewrites the stylesheet "assets/css/style.css" of a theme with a few assets, and
// returns the problems too.
func rewritten(text string) (out string, details []string) {
	work := int64(10_000)
	a := addresses{
		folder: "assets/css",
		find: func(name string) (Asset, bool) {
			a := Asset{Path: name, Sum: digest.Of([]byte(name)), Kind: state.AssetImage}
			switch name {
			case "assets/css/a.png", "assets/b.png", "assets/css/x/c.svg", "assets/css/..png":
				return a, true
			case "assets/css/other.css":
				a.Kind = state.AssetCSS
				return a, true
			}
			return Asset{}, false
		},
		image: func(ext string, b []byte) string {
			_, _, detail := checkImage(ext, b, &work)
			return detail
		},
	}
	s := sheet{address: a.address, note: func(detail string) { details = append(details, detail) }}
	return string(s.rewrite([]byte(text))), details
}

func addressOf(path string) string {
	return Asset{Path: path, Sum: digest.Of([]byte(path))}.Address()
}

func TestRewrite(t *testing.T) {
	a, b, c := `url("`+addressOf("assets/css/a.png")+`")`, `url("`+addressOf("assets/b.png")+`")`,
		`url("`+addressOf("assets/css/x/c.svg")
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"nothing to do", "a > b::before { content: '\\201c' \"é\"; width: calc(1px + 2%) } /* é */",
			"a > b::before { content: '\\201c' \"é\"; width: calc(1px + 2%) } /* é */"},
		{"bare", "a{b:url(a.png)}", "a{b:" + a + "}"},
		{"quoted", `a{b:url("a.png")}`, "a{b:" + a + "}"},
		{"quoted singly, with space", "a{b:URL(\n 'a.png'\t)}", "a{b:" + a + "}"},
		{"up", "a{b:url(../b.png)}", "a{b:" + b + "}"},
		{"down", "a{b:url(./x/c.svg)}", "a{b:" + c + `")}`},
		{"around", "a{b:url(x/.././../b.png)}", "a{b:" + b + "}"},
		{"fragment and version", "a{b:url(x/c.svg?v=1#part.1)}", "a{b:" + c + `#part.1")}`},
		{"empty fragment", "a{b:url(a.png?#)}", "a{b:" + a + "}"},
		{"several", "a{b:url(a.png),url(a.png)}", "a{b:" + a + "," + a + "}"},
		{"image-set", `a{b:image-set(url(a.png) type("image/png") 1x, url("../b.png") 2x)}`,
			"a{b:image-set(" + a + ` type("image/png") 1x, ` + b + " 2x)}"},
		{"media, supports, layers", "@media (min-width: 1px) { a { b: c } } @supports (a: b) {} @layer x;",
			"@media (min-width: 1px) { a { b: c } } @supports (a: b) {} @layer x;"},
		{"custom properties", "a { --x: url(a.png); b: var(--x) }", "a { --x: " + a + "; b: var(--x) }"},
		{"charset and byte order mark", "\ufeff@charset \"UTF-8\";a{}", "a{}"},
		{"ends of lines", "a{}\r\nb{}\rc{}\fd{}", "a{}\nb{}\nc{}\nd{}"},
		{"names of classes", ".größe, .\\31 0 { a: b\\9 }", ".größe, .\\31 0 { a: b\\9 }"},
		{"scroll-behavior", "a { scroll-behavior: smooth } behavior { }", "a { scroll-behavior: smooth } behavior { }"},
		{"addresses in texts and comments", "/* http://x url(y) */ a { content: 'url(http://x)' }",
			"/* http://x url(y) */ a { content: 'url(http://x)' }"},
		{"open brackets at the end", "a { b: c(d", "a { b: c(d"},
		{"data", "a{b:url(" + inlined("image/gif", someGIF(1, 1, 1)) + ")}",
			`a{b:url("` + inlined("image/gif", someGIF(1, 1, 1)) + `")}`},
		{"data in quotes", "a{b:url('" + inlined("image/webp", someWebP()) + "')}",
			`a{b:url("` + inlined("image/webp", someWebP()) + `")}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, details := rewritten(tc.text)
			if diff := cmp.Diff(tc.want, out); diff != "" || len(details) > 0 {
				t.Error(diff, details)
			}
		})
	}
}

func TestRewriteHostile(t *testing.T) {
	const (
		imports = "@import is not allowed. Link all stylesheets in the theme's layout."
		escaped = "Write url( without backslashes."
		form    = "A url() is malformed."
		letters = "Characters outside ASCII may only appear in strings, comments and class names."
		set     = "Addresses in image-set() must be inside url()."
		inset   = "image-set() may only contain url(), resolutions and type()."
		unended = "A url() does not end, or contains a backslash."
		behaves = "The property behavior runs code and is not allowed."
		dataURL = "A data: address in a url() may only be a PNG, JPEG, GIF or WebP image in base64."
	)
	names := func(what, rest string) string { return "url(" + what + ") " + rest }
	outside := func(what string) string {
		return names(what, "points outside the theme. Add the image or font to the theme.")
	}
	host := func(what string) string {
		return names(what, "points to another host. Add the image or font to the theme.")
	}
	none := func(what string) string { return names(what, "is not an asset of the theme.") }
	for _, tc := range []struct{ name, text, want string }{
		{"not UTF-8", "\xff", "The stylesheet is not valid UTF-8 text."},
		{"NUL", "a{\x00}", "The stylesheet is not valid UTF-8 text."},
		{"UTF-16", "\xff\xfea\x00", "The stylesheet is not valid UTF-8 text."},
		{"another charset", `@charset "shift_jis"; a{}`,
			"Line 1: @charset is only allowed at the very beginning, with the value UTF-8."},
		{"charset later", `a{} @charset "utf-8";`,
			"Line 1: @charset is only allowed at the very beginning, with the value UTF-8."},
		{"import", `@import "other.css";`, imports},
		{"import of a url", `@import url(other.css);`, imports},
		{"import in capitals", `@IMPORT "x";`, imports},
		{"import by escape", `@\69 mport "x";`, imports},
		{"import by plain escape", `@\im\port "x";`, imports},
		{"import behind a comment", `/**/@import"x";`, imports},
		{"import behind CDO", `<!--@import "x";-->`, imports},
		{"namespace", `@namespace "http://x";`, "@namespace is not allowed."},
		{"document", `@-moz-document domain(x) {}`, "@-moz-document is not allowed."},
		{"http", "a{b:url(http://evil.example/x.png)}", outside("http://evil.example/x.png")},
		{"https in quotes", "a{b:url('https://evil.example/x.png')}", outside("https://evil.example/x.png")},
		{"no scheme", "a{b:url(//evil.example/x.png)}", host("//evil.example/x.png")},
		{"javascript", "a{b:url(javascript:alert)}", outside("javascript:alert")},
		{"file", "a{b:url(file:///etc/passwd)}", outside("file:///etc/passwd")},
		{"blob", "a{b:url(BLOB:x)}", outside("BLOB:x")},
		{"absolute", "a{b:url(/assets/b.png)}",
			names("/assets/b.png", "is absolute. Use an address relative to the stylesheet.")},
		{"backslashes", `a{b:url("\\\\evil.example\\x")}`, unended},
		{"scheme by escape", `a{b:url(\68ttp://evil.example)}`, unended},
		{"scheme with a tab", "a{b:url('ht\ttp://x')}", outside(`ht\x09tp://x`)},
		{"slash with space", "a{b:url(' //evil.example')}", none(`\x20//evil.example`)},
		{"nowhere", "a{b:url(none.png)}", none("none.png")},
		{"out of the theme", "a{b:url(../../../../etc/passwd)}", none("../../../../etc/passwd")},
		{"out of the theme and in again", "a{b:url(../../../assets/b.png)}", none("../../../assets/b.png")},
		{"percent", "a{b:url(%2e%2e/b.png)}", none("%2e%2e/b.png")},
		{"folder", "a{b:url(a.png/)}", none("a.png/")},
		{"empty", "a{b:url()}", "A url() is empty."},
		{"empty in quotes", "a{b:url( '' )}", "A url() is empty."},
		{"fragment alone", "a{b:url(#x)}", names("#x", "does not name a file.")},
		{"query alone", "a{b:url(?x)}", names("?x", "does not name a file.")},
		{"hostile fragment", "a{b:url('a.png#x;y')}",
			names("a.png#x;y", "has invalid characters after its #.")},
		{"a stylesheet", "a{b:url(other.css)}",
			names("other.css", "is a stylesheet. Stylesheets may use only fonts and images.")},
		{"url by escape", `a{b:u\72l(http://x)}`, escaped},
		{"url by long escape", `a{b:\000075rl("http://x")}`, escaped},
		{"url by escape and end of line", "a{b:ur\\6c\r\n(http://x)}", escaped},
		{"url by plain escape", `a{b:u\rl(http://evil.example)}`, outside("http://evil.example")},
		{"url behind a letter that older rules take for a name", "a{b:\u00d7url(http://x)}", letters},
		{"url behind a number and such a letter", "a{b:1\u00d7url(http://x)}", letters},
		{"url behind a hash and such a letter", "a{b:#\u00d7url(http://x)}", letters},
		{"url that is not well formed", "a{b:url(a b)}", form},
		{"url with a bracket", "a{b:url(a(b)}", form},
		{"url with words behind", `a{b:url("a.png" x)}`, form},
		{"url that does not end", "a{b:url(a.png", unended},
		{"url whose quote does not end", `a{b:url("a.png`, unended},
		{"url that ends by an escape", `a{b:url(a.png\)`, unended},
		{"url that is two lines", "a{b:url('a\nb')}", form},
		{"text that does not end", "a{b:'x", "A quoted string does not end."},
		{"text that ends by an escape", `a{b:"x\"`, "A quoted string does not end."},
		{"text of two lines", "a{b:'x\n'}", "A quoted string does not end on its line."},
		{"comment that does not end", "a{} /* x", "A comment does not end."},
		{"comment that is hardly one", "a{} /*/", "A comment does not end."},
		{"backslash at the end of a line", "a{b:\\\nc}", "A backslash escapes nothing."},
		{"expression", "a{b:expression(alert(1))}", "expression() runs code and is not allowed."},
		{"expression by escape", `a{b:exp\72 ession(alert(1))}`, "expression() runs code and is not allowed."},
		{"binding", "a{-moz-binding:url(a.png#x)}", "The property -moz-binding runs code and is not allowed."},
		{"binding in capitals", "a{-MOZ-Binding:none}", "The property -moz-binding runs code and is not allowed."},
		{"behavior", "a{behavior:url(a.png)}", behaves},
		{"behavior with space and comment", "a{behavior /**/ :url(a.png)}", behaves},
		{"behavior by escape", `a{b\65havior:x}`, behaves},
		{"behavior with a hack", "a{*behavior:x}", behaves},
		{"behavior of Microsoft", "a{-ms-behavior:x}", behaves},
		{"filter that loads", "a{filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='//x')}",
			"alphaimageloader() is not allowed. Write url() instead."},
		{"src", `a{b:src("http://x")}`, "src() is not allowed. Write url() instead."},
		{"image", `a{b:image("http://x")}`, "image() is not allowed. Write url() instead."},
		{"text in image-set", `a{b:image-set("http://x" 1x)}`, set},
		{"text in image-set behind a stray bracket", `a{b:image-set(] "http://x" 1x)}`, set},
		{"text in image-set of webkit", `a{b:-webkit-image-set("http://x" 1x)}`, set},
		{"text in image-set in brackets", `a{b:image-set(("http://x") 1x)}`, set},
		{"variable in image-set", `a{--x:"http://x";b:image-set(var(--x) 1x)}`, inset},
		{"image-set in image-set", `a{b:image-set(image-set("http://x" 1x) 1x)}`, inset},
		{"many brackets", strings.Repeat("(", maxOpen+2), "The stylesheet nests more than 100 brackets."},
		{"data that is a page", "a{b:url(data:text/html;base64,AAAA)}", dataURL},
		{"data that is SVG", "a{b:url(data:image/svg+xml;base64,AAAA)}", dataURL},
		{"data without base64", "a{b:url(data:image/png,AAAA)}", dataURL},
		{"data in capitals", "a{b:url(DATA:image/png;base64,AAAA)}", dataURL},
		{"data that is no base64", "a{b:url(data:image/png;base64,A%3D)}", "An image in a url() is not valid base64."},
		{"data with loose bits", "a{b:url(data:image/png;base64,AB==)}", "An image in a url() is not valid base64."},
		{"data that is another image", "a{b:url(" + inlined("image/png", someWebP()) + ")}",
			"An image in a url() claims to be a PNG image but is not."},
		{"data that is broken", "a{b:url(" + inlined("image/png", somePNG(9, 9)[:50]) + ")}", brokenImage},
		{"data that is large", "a{b:url(" + inlined("image/png", strings.Repeat("x", maxInline+1)) + ")}",
			"An image in a url() is larger than 32 KiB."},
		{"data that takes time", "a{b:url(" + inlined("image/gif", someGIF(101, 100, 1)) + ")}",
			"The images of the theme have more than 200 million pixels in total."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, details := rewritten(tc.text)
			for _, got := range details {
				if got == tc.want || got == "Line 1: "+tc.want {
					return
				}
			}
			t.Errorf("got  %v\nwant %s", details, tc.want)
		})
	}
}
