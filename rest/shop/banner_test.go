package shop

import (
	"strings"
	"testing"
)

func TestBannerStandsInTheBody(t *testing.T) {
	for _, tc := range []struct{ page, behind string }{
		{`<html><body><p>x`, `<html><body>`},
		{`<html><BODY class="a>b" data-x='>"'>x</body>`, `<html><BODY class="a>b" data-x='>"'>`},
		{"<body\n id=x>x", "<body\n id=x>"},
		{`<!-- <body> --><body>x`, `<!-- <body> --><body>`},
		{`<meta content="<body>"><body>x`, `<meta content="<body>"><body>`},
		{`<bodysuit>a < b<body>x`, `<bodysuit>a < b<body>`},
		{`é É ẞ <<body>x`, `é É ẞ <<body>`},
		{`<p>no body`, `<p>no body`},
		{`<!-- open <body>`, `<!-- open <body>`},
		{`<body class="open>`, `<body class="open>`},
		{``, ``}, {`<`, `<`}, {`<body`, `<body`},
	} {
		before, after, ok := strings.Cut(string(withBanner([]byte(tc.page), `A&"<b>`)),
			`<link rel="stylesheet" href="/_storefront/preview.css">`)
		banner, rest, closed := strings.Cut(after, "</p>")
		if !ok || !closed || before != tc.behind || before+rest != tc.page {
			t.Errorf("%q: before it %q, behind it %q", tc.page, before, rest)
		}
		if !strings.Contains(banner, "<strong>A&amp;&#34;&lt;b&gt;</strong>") {
			t.Errorf("the banner is %q", banner)
		}
	}
}

func FuzzBanner(f *testing.F) {
	f.Add(`<html><!-- x --><body class=">">x`)
	f.Add("<body")
	f.Fuzz(func(t *testing.T, page string) {
		at := afterTag(page, "body")
		if at < 0 || at > len(page) {
			t.Fatalf("%q: at %d", page, at)
		}
		if whole := string(withBanner([]byte(page), "x")); !strings.HasPrefix(whole, page[:at]) ||
			!strings.HasSuffix(whole, page[at:]) {
			t.Errorf("%q lost something: %q", page, whole)
		}
	})
}
