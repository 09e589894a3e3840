package mailbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/mailbox"
)

func TestForms(t *testing.T) {
	for address, want := range map[string][]string{
		"Ada@Example.COM":                 {"ada@example.com"},
		"ada":                             {"ada"},
		"a_b@mail_1.example":              {"a_b@mail_1.example"},
		"M\u00dcller@example.com":         {"m\u00dcller@example.com", "m\u00fcller@example.com"},
		"a@B\u00dcCHER.example":           {"a@b\u00fccher.example", "a@xn--bcher-kva.example"},
		"a@xn--bcher-kva.example":         {"a@b\u00fccher.example", "a@xn--bcher-kva.example"},
		"\u212a@example.com":              {"\u212a@example.com"},
		"\u0130@example.com":              {"\u0130@example.com"},
		"\u212bsa@example.com":            {"\u212bsa@example.com"},
		"k@\u212aiel.example":             {"k@kiel.example"},
		"a@" + strings.Repeat("x", 64):    {"a@" + strings.Repeat("x", 64)},
		strings.Repeat("\u00c9", 2) + "@": {"\u00c9\u00c9@", "\u00e9\u00e9@"},
	} {
		if diff := cmp.Diff(want, mailbox.Forms(address)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", address, diff)
		}
		if got := mailbox.Fold(address); got != want[0] {
			t.Errorf("%q is folded to %q", address, got)
		}
	}
}

// No character outside ASCII is folded to ASCII, whatever Unicode says.
func TestLookAlikes(t *testing.T) {
	for r := rune(0x80); r <= 0x1ffff; r++ {
		local := "a" + string(r)
		for _, form := range mailbox.Forms(local + "@example.com") {
			if got, _, _ := strings.Cut(form, "@"); len(got) < 3 {
				t.Errorf("%U becomes %q", r, got)
			}
		}
	}
}

// Folding is idempotent.
func FuzzFold(f *testing.F) {
	f.Add("Ada@Example.com")
	f.Add("\u212a@\u212a.example")
	f.Add("a@xn--bcher-kva.example")
	f.Fuzz(func(t *testing.T, address string) {
		once := mailbox.Fold(address)
		if again := mailbox.Fold(once); again != once {
			t.Errorf("%q becomes %q and then %q", address, once, again)
		}
		if !slices.Contains(mailbox.Forms(address), once) {
			t.Errorf("%q is not found as %q", address, once)
		}
	})
}
