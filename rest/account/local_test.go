package account

import (
	"net/url"
	"strings"
	"testing"
)

var returns = []struct {
	to string
	ok bool
}{
	{"/", true}, {"/dashboard", true}, {"/dashboard/orders?status=open#x", true},
	{"/api/public/oauth/authorize?redirect_uri=https%3A%2F%2Fapp.example", true},
	{"/a//b", true}, {"/a/../b", true}, {"/a?next=//evil.example", true}, {"/a:b", true},
	{"/@evil.example", true}, {"/%C3%A9", true},
	{"", false}, {"dashboard", false}, {"//evil.example", false}, {"///evil.example", false},
	{`/\evil.example`, false}, {`\/evil.example`, false},
	{`\\evil.example`, false}, {"/\t/evil.example", false}, {"\t//evil.example", false},
	{" //evil.example", false}, {"/\n/evil.example", false},
	{"/\r\nSet-Cookie: a=b", false}, {"https://evil.example", false},
	{"https:evil.example", false}, {"javascript:alert(1)", false},
	{"data:text/html,x", false}, {"/%2f/evil.example", false}, {"/%", false}, {"/%zz", false},
	{"/é", false}, {"/\xff", false}, {"/a b", false},
	{`/a\b`, false}, {"/\x00", false}, {"/\x7f", false}, {"//", false}, {"/" + strings.Repeat("a", maxReturnTo), false},
	{"http:/evil.example", false}, {"?x", false}, {"#x", false}, {"//user@evil.example/x", false},
	{"/\u2028", false}, {"／/evil.example", false},
}

func TestLocal(t *testing.T) {
	for _, tc := range returns {
		want := home
		if tc.ok {
			want = tc.to
		}
		if got := local(tc.to); got != want {
			t.Errorf("%q becomes %q, want %q", tc.to, got, want)
		}
	}
	if got := SignInAddress("/x?a=b&c=d"); got != "/sign-in?return_to=%2Fx%3Fa%3Db%26c%3Dd" {
		t.Errorf("%s", got)
	}
}

// Browsers stay on this host: the address is resolved as the URL standard says, where \ is / and
// tabs and line breaks are removed.
func FuzzLocal(f *testing.F) {
	for _, tc := range returns {
		f.Add(tc.to)
	}
	f.Fuzz(func(t *testing.T, to string) {
		got := local(to)
		if got != to && got != home {
			t.Fatalf("%q becomes %q", to, got)
		}
		seen := strings.NewReplacer(`\`, "/", "\t", "", "\n", "", "\r", "").
			Replace(strings.TrimFunc(got, func(r rune) bool { return r <= ' ' }))
		base, _ := url.Parse("https://shop.example/sign-in")
		u, err := base.Parse(seen)
		if err != nil || u.Scheme != "https" || u.Host != "shop.example" || u.User != nil ||
			!strings.HasPrefix(seen, "/") || strings.HasPrefix(seen, "//") {
			t.Fatalf("%q leads to %v, %v", got, u, err)
		}
	})
}
