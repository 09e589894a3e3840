package markdown_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/markdown"
)

func TestSource(t *testing.T) {
	path := func(address string) string { return "https://shop.test/pictures/" + address[len("https://"):] }
	for source, want := range map[string]string{
		"plain *text*":               "plain *text*",
		"![a](https://h.test/b.png)": "![a](https://shop.test/pictures/h.test/b.png)",
		"![a](<https://h.test/b c> 'd') [l](https://h.test/b)": "![a](<#> 'd') [l](https://h.test/b)",
		"![a](http://h.test/b.png) ![](/ours.png)":             "![a](#) ![](/ours.png)",
		"> - ![a][r]\n\n[r]: https://h.test/b\n\n![c][r]": "> - ![a][r]\n\n[r]: https://shop.test/pictures/h.test/b" +
			"\n\n![c][r]",
		"`![a](https://h.test/b)`": "`![a](https://h.test/b)`",
		"[![a](https://h.test/b)](https://h.test/b)": "[![a](https://shop.test/pictures/h.test/b)]" +
			"(https://h.test/b)",
	} {
		if got := markdown.Source(source, path); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// FuzzSource checks that no image of the result is at an address that imagePath did not return.
func FuzzSource(f *testing.F) {
	for _, seed := range []string{"![a](https://h.test/b)", "\t> ![a][r]\n\n[r]:\thttps://h.test/b",
		"![a\n](\thttps://h/b)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		out := markdown.Source(source, func(string) string { return "https://shop.test/x" })
		for _, address := range markdown.Images(out) {
			if !strings.HasPrefix(address, "https://shop.test/x") {
				t.Errorf("%q shows %q: %q", source, address, out)
			}
		}
	})
}
