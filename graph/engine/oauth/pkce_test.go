package oauth

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestVectors(t *testing.T) {
	var v struct {
		Valid []struct {
			Verifier  string `json:"code_verifier"`
			Challenge string `json:"code_challenge"`
		}
		InvalidVerifiers []string `json:"invalid_verifiers"`
	}
	b, err := os.ReadFile("testdata/pkce.json")
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil || len(v.Valid) < 4 || len(v.InvalidVerifiers) < 6 {
		t.Fatalf("%v: %d pairs, %d bad verifiers", err, len(v.Valid), len(v.InvalidVerifiers))
	}
	for i, p := range v.Valid {
		if !checkChallenge(p.Challenge) || !verifies(p.Verifier, p.Challenge) {
			t.Errorf("%s is refused for %s", p.Verifier, p.Challenge)
		}
		other := v.Valid[(i+1)%len(v.Valid)]
		if verifies(other.Verifier, p.Challenge) || verifies(p.Challenge, p.Challenge) {
			t.Errorf("another verifier is taken for %s", p.Challenge)
		}
	}
	for _, bad := range v.InvalidVerifiers {
		if checkVerifier(bad) {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestVerifierAlphabet(t *testing.T) {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	for c := range 256 {
		text := strings.Repeat("a", 42) + string([]byte{byte(c)})
		if got, want := checkVerifier(text), c < 0x80 && strings.ContainsRune(unreserved, rune(c)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for n, want := range map[int]bool{0: false, 42: false, 43: true, 128: true, 129: false} {
		if got := checkVerifier(strings.Repeat("a", n)); got != want {
			t.Errorf("%d characters: %v, want %v", n, got, want)
		}
	}
}

// A challenge has only one valid spelling.
func TestChallenge(t *testing.T) {
	const good = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	if !checkChallenge(good) {
		t.Fatal("the one of RFC 7636, appendix B, is refused")
	}
	for _, bad := range []string{"", good[:42], good + "A", good + "=", good[:42] + "N", good[:42] + "+",
		good[:20] + "\n" + good[20:], " " + good, strings.ReplaceAll(good, "-", "+")} {
		if checkChallenge(bad) {
			t.Errorf("%q is taken", bad)
		}
	}
}
