package digest_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
)

func TestToken(t *testing.T) {
	token := digest.NewToken()
	if sum, ok := digest.OfToken(token); !ok || sum != digest.Of([]byte(token)) || token == digest.NewToken() {
		t.Errorf("%q: %v, %v", token, sum, ok)
	}
	for _, text := range []string{"", token[1:], token + "A", strings.ToLower(token), "1" + token[1:],
		token[:20] + " " + token[21:], token[:20] + "é" + token[22:]} {
		if sum, ok := digest.OfToken(text); ok || sum != (digest.Sum{}) {
			t.Errorf("%q has a digest", text)
		}
	}
}
