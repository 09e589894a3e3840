package password_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/password"
)

func TestWeak(t *testing.T) {
	const common, personal = "used most", "address or the name"
	for _, tc := range []struct {
		name, text string
		of         []string
		want       string // in the reason
	}{
		{name: "the commonest", text: "1234567890", want: common},
		{name: "in other letters", text: "PassWord123", want: common},
		{name: "the first of the list", text: "$tatyana09$", want: common},
		{name: "the last of the list", text: "~censored~", want: common},
		{name: "a common one and more", text: "password123 and more"},
		{name: "four words", text: "correct horse battery staple"},
		{name: "a generated one", text: password.Generate()},
		{name: "nothing", text: ""},
		{name: "empty, without parts", text: "", of: []string{"", " "}},

		{name: "the address", text: "ANA.Silva@Example.com", of: []string{"ana.silva@example.com"}, want: personal},
		{name: "the local part and a year", text: "ana-silva-2026", of: []string{"ana.silva@example.com"},
			want: personal},
		{name: "a word of it", text: "silva12345", of: []string{"ana.silva@example.com"}, want: personal},
		{name: "the same, longer by one", text: "silva123456", of: []string{"ana.silva@example.com"}},
		{name: "the domain", text: "example2026!", of: []string{"ana.silva@example.com"}, want: personal},
		{name: "a word twice", text: "SilvaSilva!", of: []string{"ana.silva@example.com"}, want: personal},
		{name: "a short word", text: "ana-ana-ana-ana", of: []string{"ana@x.com"}},
		{name: "the name", text: "Ana Maria Silva", of: []string{"x@x.com", "Ana María Silva"}},
		{name: "the name as it is written", text: "ana MARÍA silva", of: []string{"x@x.com", "Ana María Silva"},
			want: personal},
		{name: "the name turned round", text: "silvamaria1", of: []string{"x@x.com", "Ana Maria Silva"},
			want: personal},
		{name: "a short name, whole", text: "jo.li.2026!", of: []string{"x@x.com", "Jo Li"}, want: personal},
		{name: "a name of four", text: "山田太郎山田太郎2026", of: []string{"x@x.com", "山田太郎"}, want: personal},
		{name: "a sentence with the name", text: "silva sells sea shells", of: []string{"x@x.com", "Ana Silva"}},
		{name: "what stood around a word", text: "an" + "silva" + "naxyz", of: []string{"x@x.com", "Anna Silva"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := password.Weak(tc.text, tc.of...)
			if (got != "") != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("Weak(%q, %q) = %q, want %q", tc.text, tc.of, got, tc.want)
			}
		})
	}
}

// The list is complete, and has no entry that cannot be found or that is refused for its length.
func TestCommon(t *testing.T) {
	list := password.Common(t)
	if len(list) != 10_000 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Errorf("%d entries, sorted: %v", len(list), slices.IsSorted(list))
	}
	for _, entry := range list {
		if entry != strings.ToLower(entry) || utf8.RuneCountInString(entry) < limit.ShortPassword {
			t.Errorf("%q", entry)
		}
	}
}

// Without the list, whose search would take all the time.
func FuzzMadeOf(f *testing.F) {
	f.Add("silva-2026", "ana.silva@example.com", "")
	f.Add("Silva", "Silva@example.com", "Ana Silva")
	f.Add("\xff\xfe silva", "@", "'’")
	f.Fuzz(func(t *testing.T, text, email, name string) {
		made := password.MadeOf(text, email, name)
		if ascii(text) && made != password.MadeOf(strings.ToUpper(text), email, name) {
			t.Errorf("%q depends on the case of letters", text)
		}
		if own := utf8.RuneCountInString(text); made && own > 5 && !overlaps(text, email+name) {
			t.Errorf("%q is made of %q or %q", text, email, name)
		}
		if word := letters(email); len(word) >= 4 && !password.MadeOf(word, email) {
			t.Errorf("%q is not made of %q", word, email)
		}
	})
}

// overlaps reports whether the texts share a character.
func overlaps(a, b string) bool {
	return strings.ContainsAny(strings.ToLower(a), strings.ToLower(b))
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// letters returns the text if it has only ASCII letters, else "".
func letters(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
		return ""
	}
	return text
}
