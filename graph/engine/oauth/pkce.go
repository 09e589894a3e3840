package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// Bounds of a code verifier (RFC 7636, section 4.1), in characters.
const (
	minVerifier = 43
	maxVerifier = 128
)

// checkChallenge reports whether a code challenge is valid for S256: the base64url of a SHA-256, in
// its only spelling (RFC 7636, section 4.2).
func checkChallenge(challenge string) bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	return err == nil && len(sum) == sha256.Size && base64.RawURLEncoding.EncodeToString(sum) == challenge
}

// checkVerifier reports whether a code verifier has 43 to 128 unreserved characters.
func checkVerifier(verifier string) bool {
	if len(verifier) < minVerifier || len(verifier) > maxVerifier {
		return false
	}
	for i := range len(verifier) {
		switch c := verifier[i]; {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return true
}

// verifies reports whether the verifier matches the challenge (RFC 7636, section 4.6), in constant
// time.
func verifies(verifier, challenge string) bool {
	if !checkVerifier(verifier) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}
