package password_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/password"
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
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(phc) {
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
		{"the text", phc, "correct horse", true, false},
		{"another text", phc, "Correct horse", false, false},
		{"no text", phc, "", false, false},
		{"no hash", "", "correct horse", false, false},
		{"neither", "", "", false, false},
		// Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1.
		{"made elsewhere", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password", true, false},
		{"another algorithm", strings.Replace(phc, "argon2id", "argon2i", 1), "correct horse", false, true},
		{"another version", strings.Replace(phc, "v=19", "v=16", 1), "correct horse", false, true},
		{"too much memory", strings.Replace(phc, "m=19456", "m=4194304", 1), "correct horse", false, true},
		{"no pass", strings.Replace(phc, "t=2", "t=0", 1), "correct horse", false, true},
		{"no lane", strings.Replace(phc, "p=1", "p=0", 1), "correct horse", false, true},
		{"trailing text in the cost", strings.Replace(phc, "p=1", "p=1,x=2", 1), "correct horse", false, true},
		{"a part missing", phc[:strings.LastIndexByte(phc, '$')], "correct horse", false, true},
		{"a short key", phc[:len(phc)-30], "correct horse", false, true},
		{"the text itself", "correct horse", "correct horse", false, true},
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

// Two hash at once; whoever gives up waiting for his turn gets an error.
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
	hashed(t, "text") // the turns came back
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
