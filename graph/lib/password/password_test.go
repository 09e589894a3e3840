package password_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/password"
)

func hashed(t *testing.T, text string) string {
	t.Helper()
	phc, err := password.Hash(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return phc
}

func TestHash(t *testing.T) {
	phc := hashed(t, "correct horse")
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(
		phc) {
		t.Errorf("Hash = %q, want the PHC form with the contract's cost", phc)
	}
	if len(phc) > 255 {
		t.Errorf("%d bytes do not fit the column", len(phc))
	}
	if phc == hashed(t, "correct horse") {
		t.Error("two hashes of one text are equal: the salt is not random")
	}
}

func TestVerify(t *testing.T) {
	phc := hashed(t, "correct horse")
	for _, tc := range []struct {
		name, phc, text string
		want, fails     bool
	}{
		{name: "the text", phc: phc, text: "correct horse", want: true},
		{name: "another text", phc: phc, text: "Correct horse"},
		{name: "no text", phc: phc},
		{name: "no hash", text: "correct horse"},
		{name: "neither"},
		// From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536
		// -p 1.
		{name: "from another implementation",
			phc:  "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
			text: "password", want: true},
		{name: "another algorithm", phc: strings.Replace(phc, "argon2id", "argon2i", 1), text: "correct horse",
			fails: true},
		{name: "another version", phc: strings.Replace(phc, "v=19", "v=16", 1), text: "correct horse", fails: true},
		{name: "too much memory", phc: strings.Replace(phc, "m=19456", "m=4194304", 1), text: "correct horse",
			fails: true},
		{name: "no pass", phc: strings.Replace(phc, "t=2", "t=0", 1), text: "correct horse", fails: true},
		{name: "no lane", phc: strings.Replace(phc, "p=1", "p=0", 1), text: "correct horse", fails: true},
		{name: "trailing text in the cost", phc: strings.Replace(phc, "p=1", "p=1,x=2", 1), text: "correct horse",
			fails: true},
		{name: "a part missing", phc: phc[:strings.LastIndexByte(phc, '$')], text: "correct horse", fails: true},
		{name: "a short key", phc: phc[:len(phc)-30], text: "correct horse", fails: true},
		{name: "the text itself", phc: "correct horse", text: "correct horse", fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := password.Verify(t.Context(), tc.phc, tc.text)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("Verify = %v, %v, want %v and an error: %v", got, err, tc.want, tc.fails)
			}
			if err != nil && tc.phc != "" && strings.Contains(err.Error(), tc.phc) {
				t.Errorf("the error shows the hash: %v", err)
			}
		})
	}
}

// Two hashes run at once; a caller that stops waiting for its turn gets an error.
func TestTurns(t *testing.T) {
	first, second := password.Turn(t), password.Turn(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := password.Hash(ended, "text"); !errors.Is(err, context.Canceled) {
		t.Errorf("a third hash: %v, want the error of its context", err)
	}
	if _, err := password.Verify(ended, "", "text"); !errors.Is(err, context.Canceled) {
		t.Errorf("a third verification: %v, want the error of its context", err)
	}
	first()
	second()
	hashed(t, "text") // the turns were released
}

func TestGenerate(t *testing.T) {
	form := regexp.MustCompile(`^[a-z2-7]{5}(-[a-z2-7]{5}){3}$`)
	seen := map[string]bool{}
	for range 100 {
		p := password.Generate()
		if !form.MatchString(p) || seen[p] {
			t.Fatalf("Generate = %q", p)
		}
		seen[p] = true
	}
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		if _, err := password.Hash(b.Context(), "correct horse"); err != nil {
			b.Fatal(err)
		}
	}
}
