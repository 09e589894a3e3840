package markdown_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/storefront-go/storefront/graph/lib/markdown"
)

func TestHTML(t *testing.T) {
	for source, want := range map[string]string{
		"# Title\n\nOne *two* **three**.": "<h2>Title</h2>\n<p>One <em>two</em> <strong>three</strong>.</p>\n",
		"a\r\nb":                          "<p>a\nb</p>\n",
		"###### Deep":                     "<h6>Deep</h6>\n",
		"Title\n---":                      "<h3>Title</h3>\n",
		"- one\n- two":                    "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n",
		"> said":                          "<blockquote>\n<p>said</p>\n</blockquote>\n",
		"    code <b>":                    "<pre tabindex=\"0\"><code>code &lt;b&gt;\n</code></pre>\n",
		"<script>alert(1)</script>":       "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n",
		"<b>x</b>":                        "<p>&lt;b&gt;x&lt;/b&gt;</p>\n",
		"[a](/pages/a)":                   `<p><a href="/pages/a">a</a></p>` + "\n",
		"[a](#top)":                       `<p><a href="#top">a</a></p>` + "\n",
		"[a](https://a.test/?b=1&c)":      `<p><a href="https://a.test/?b=1&amp;c" rel="nofollow noopener">a</a></p>` + "\n",
		"<https://a.test>":                `<p><a href="https://a.test" rel="nofollow noopener">https://a.test</a></p>` + "\n",
		"<javascript:alert(1)>":           "<p>javascript:alert(1)</p>\n",
		"<me@a.test>":                     `<p><a href="mailto:me@a.test">me@a.test</a></p>` + "\n",
		"[a](tel:+49)":                    `<p><a href="tel:+49">a</a></p>` + "\n",
		"[a](javascript:alert)":           "<p>a</p>\n",
		"[a](&#106;avascript:alert)":      "<p>a</p>\n",
		"[a](JaVaScRiPt&colon;alert)":     "<p>a</p>\n",
		"[a](data:text/html,x)":           "<p>a</p>\n",
		"[a](//evil.test)":                "<p>a</p>\n",
		"[a](/&#47;evil.test)":            "<p>a</p>\n",
		`[a](/\\evil.test)`:               "<p>a</p>\n",
		"[a](https://u:p@a.test/)":        "<p>a</p>\n",
		"[a](other)":                      "<p>a</p>\n",
		`[a](/x "t" )`:                    `<p><a href="/x">a</a></p>` + "\n",
		`![a "q"](https://a.test/b.png)`:  `<p><img src="https://a.test/b.png" alt="a &#34;q&#34;" loading="lazy"></p>` + "\n",
		"![a](http://a.test/b.png)":       "<p>a</p>\n",
		"![a](/assets/b.png)":             `<p><img src="/assets/b.png" alt="a" loading="lazy"></p>` + "\n",
		"![a](data:image/png;base64,x)":   "<p>a</p>\n",
		"[r]\n\n[r]: /search":             `<p><a href="/search">r</a></p>` + "\n",
	} {
		if got, err := markdown.HTML(source, nil); got != want || err != nil {
			t.Errorf("%q becomes\n%s%v, want\n%s", source, got, err, want)
		}
	}
}

func TestImages(t *testing.T) {
	const source = "![a](https://a.test/1.png) ![b](/2.png)\n\n[![c](https://a.test/3.png)](/c)"
	if got := strings.Join(markdown.Images(source), " "); got != "https://a.test/1.png https://a.test/3.png" {
		t.Errorf("images %s", got)
	}
	got, err := markdown.HTML(source, func(address string) string { return "/pictures/" + address[len(address)-5:] })
	if err != nil || !strings.Contains(got, `<img src="/pictures/1.png"`) || strings.Contains(got, "a.test") {
		t.Errorf("%s %v", got, err)
	}
}

func TestText(t *testing.T) {
	for source, want := range map[string]string{
		"# A *b*\n\nc [d](https://e.test)\nf": "A b\n\nc d f",
		"- one\n- `two`\n\n> three":           "one\n\ntwo\n\nthree",
		"    code\n\n<https://a.test> &amp;":  "code\n\n\nhttps://a.test &",
		"<b>x</b>":                            "<b>x</b>",
		strings.Repeat(">", 21):               strings.Repeat(">", 21),
	} {
		if got := markdown.Text(source); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	for source, want := range map[string]error{
		strings.Repeat(">", 20) + " x":               nil,
		strings.Repeat("> ", 21) + "x":               markdown.ErrTooDeep,
		strings.Repeat("- ", 21) + "x":               markdown.ErrTooDeep,
		strings.Repeat("1. ", 21) + "x":              markdown.ErrTooDeep,
		strings.Repeat("-", 100):                     nil,
		strings.Repeat("[", 2001):                    markdown.ErrTooMany,
		strings.Repeat("*a\n", 2001):                 markdown.ErrTooMany,
		strings.Repeat("*a*\n\n", 2001):              nil,
		strings.Repeat(strings.Repeat("\"", 99), 99): nil,
		strings.Repeat("> a\n\n", 13_000):            nil,
		strings.Repeat("- \"\n\n", 13_000):           nil,
		strings.Repeat("\"", 100_000):                markdown.ErrTooLarge,
	} {
		if _, err := markdown.HTML(source, nil); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", source, err, want)
		}
	}
}

// FuzzHTML: whatever the input, the output consists of known elements with harmless addresses.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n[b](javascript:c) ![d](e)", "<script>", "<!-- x -->", "[a](<java\nscript:x>)", "`<img onerror=x>`",
		"```x\" onclick=\"y\n<b>\n```", "[a]\n\n[a]: javascript:x '\"><script>'", "<a@b.c>", "<JAVASCRIPT:x>", "\x00<\xff>",
		"![\"><script>](https://a.test/\"onerror=x)",
		"&lt;script&gt; &#60;b&#62;", "[x](&#x2f;/a)", "<data:text/html,x>",
	} {
		f.Add(seed)
	}
	allowed := map[string]string{
		"a": "href rel", "img": "src alt loading", "pre": "tabindex", "code": "class", "ol": "start",
	}
	for tag := range strings.FieldsSeq("p h2 h3 h4 h5 h6 em strong ul li blockquote hr br") {
		allowed[tag] = ""
	}
	f.Fuzz(func(t *testing.T, source string) {
		out, err := markdown.HTML(source, func(string) string { return "/pictures/x" })
		if err != nil {
			return
		}
		z := html.NewTokenizer(strings.NewReader(out))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return
			case html.CommentToken, html.DoctypeToken:
				t.Errorf("%q becomes %q", source, out)
			case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
				token := z.Token()
				names, ok := allowed[token.Data]
				if !ok {
					t.Errorf("<%s> in %q, of %q", token.Data, out, source)
				}
				for _, attr := range token.Attr {
					if !strings.Contains(" "+names+" ", " "+attr.Key+" ") {
						t.Errorf("%s of <%s> in %q, of %q", attr.Key, token.Data, out, source)
					}
					if (attr.Key == "href" || attr.Key == "src") && !harmless(attr.Val) {
						t.Errorf("%s %q in %q, of %q", attr.Key, attr.Val, out, source)
					}
				}
			}
		}
	})
}

func harmless(address string) bool {
	lower := strings.ToLower(address)
	for _, scheme := range []string{"https://", "http://", "mailto:", "tel:", "#"} {
		if strings.HasPrefix(lower, scheme) {
			return true
		}
	}
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") && !strings.HasPrefix(address, `/\`)
}
