package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// verifierChars are the characters of a code verifier (RFC 7636, section 4.1).
const verifierChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// checkChallenge reports whether a code challenge is valid for S256: the base64url of a SHA-256, in
// its only spelling (RFC 7636, section 4.2).
func checkChallenge(challenge string) bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	return err == nil && len(sum) == sha256.Size && base64.RawURLEncoding.EncodeToString(sum) == challenge
}

func checkVerifier(verifier string) bool {
	return len(verifier) >= 43 && len(verifier) <= 128 && strings.Trim(verifier, verifierChars) == ""
}

// verifies compares a verifier with a challenge in constant time (RFC 7636, section 4.6).
func verifies(verifier, challenge string) bool {
	if !checkVerifier(verifier) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}
