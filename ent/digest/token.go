package digest

import (
	"crypto/rand"
	"strings"
)

// TokenLen is the length of a token: two texts of [rand.Text].
const TokenLen = 52

// NewToken returns a secret of 52 letters and digits with 260 random bits. Only its digest is
// stored.
func NewToken() string { return rand.Text() + rand.Text() }

// OfToken returns the digest of a token. It reports false for a malformed token, which thus costs
// no statement.
func OfToken(token string) (Sum, bool) {
	if len(token) != TokenLen || strings.ContainsFunc(token, notBase32) {
		return Sum{}, false
	}
	return Of([]byte(token)), true
}

func notBase32(r rune) bool { return (r < 'A' || r > 'Z') && (r < '2' || r > '7') }
