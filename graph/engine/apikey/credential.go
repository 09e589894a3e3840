// Package apikey is the credentials of the service: their form, and the keys
// that a store's owner makes.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
)

// Kind is the prefix of a credential, which names what it opens.
type Kind string

// The kinds of contract section 7.
const (
	Key     Kind = "sfk_" // API key
	Access  Kind = "sfa_" // OAuth access token
	Refresh Kind = "sfr_" // OAuth refresh token
	Code    Kind = "sfc_" // OAuth authorization code
	Staff   Kind = "sft_" // token of a member of staff
)

// Parts of a credential: prefix, random characters, checksum.
const (
	prefixLen = 4
	randomLen = 32
	sumLen    = 6
	bodyLen   = prefixLen + randomLen // what the checksum covers
	tokenLen  = bodyLen + sumLen
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// redacted is what every form of a secret shows but [Secret.Reveal].
const redacted = "[redacted]"

// errReadable refuses a secret on its way into a column.
var errReadable = errors.New("a secret is stored as its hash only")

// Secret is a whole credential. Whatever prints, logs, encodes or stores it
// gets a placeholder or an error: only [Secret.Reveal] gives the text.
type Secret string

// Mint makes a credential of the kind with 32 random characters, which carry
// 190 bits.
func Mint(k Kind) Secret {
	b := make([]byte, 0, tokenLen)
	b = append(b, k...)
	b = appendRandom(b, randomLen)
	sum := checksum(string(b))
	return Secret(append(b, sum[:]...))
}

// appendRandom appends n characters, each equally likely.
func appendRandom(b []byte, n int) []byte {
	// 248 is the largest multiple of 62 in a byte: taking what is above it modulo
	// 62 would favour the first eight characters.
	const fair = 256 - 256%len(base62)
	var pool [48]byte
	for n > 0 {
		rand.Read(pool[:]) // never fails since Go 1.24
		for _, c := range pool {
			if int(c) < fair && n > 0 {
				b = append(b, base62[int(c)%len(base62)])
				n--
			}
		}
	}
	return b
}

// checksum is CRC-32 (IEEE) of s as six digits of base 62. It walks the string
// itself, since [crc32.ChecksumIEEE] would have it copied to the heap.
func checksum(s string) (sum [sumLen]byte) {
	crc := ^uint32(0)
	for i := range len(s) {
		crc = crc32.IEEETable[byte(crc)^s[i]] ^ crc>>8
	}
	crc = ^crc
	for i := sumLen - 1; i >= 0; i-- {
		sum[i] = base62[crc%62]
		crc /= 62
	}
	return sum
}

// Parse reports whether s has the form of a credential, and of which kind. A
// typing error or an invented token fails on its checksum, before any query is
// made for it.
func Parse(s string) (Secret, Kind, bool) {
	if len(s) != tokenLen {
		return "", "", false
	}
	k, ok := kindOf(s[:prefixLen])
	if !ok {
		return "", "", false
	}
	for i := prefixLen; i < bodyLen; i++ {
		if !inAlphabet(s[i]) {
			return "", "", false
		}
	}
	if sum := checksum(s[:bodyLen]); s[bodyLen:] != string(sum[:]) {
		return "", "", false
	}
	return Secret(s), k, true
}

func kindOf(prefix string) (Kind, bool) {
	switch k := Kind(prefix); k {
	case Key, Access, Refresh, Code, Staff:
		return k, true
	}
	return "", false
}

func inAlphabet(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Hint returns what a list may show of a secret: its prefix and the last four
// random characters, as in "sfk_...c75m". It is empty for what [Parse] refuses.
func Hint(s Secret) string {
	if _, k, ok := Parse(string(s)); ok {
		return string(k) + "..." + string(s[bodyLen-4:bodyLen])
	}
	return ""
}

// Reveal returns the credential itself, for the one answer that shows it.
func (s Secret) Reveal() string { return string(s) }

// Hash returns the SHA-256 of the whole credential: the only form at rest. The
// random part is long enough that a slow hash would add nothing (contract,
// section 7).
func (s Secret) Hash() [32]byte {
	if len(s) == tokenLen {
		// Copied to the stack: this runs once per request.
		var b [tokenLen]byte
		copy(b[:], s)
		return sha256.Sum256(b[:])
	}
	return sha256.Sum256([]byte(s))
}

// String implements [fmt.Stringer] with a placeholder.
func (s Secret) String() string { return redacted }

// GoString implements [fmt.GoStringer] with a placeholder.
func (s Secret) GoString() string { return redacted }

// Format implements [fmt.Formatter] with a placeholder for every verb: a verb
// that does not fit a string would otherwise print the text in its complaint.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, redacted) }

// LogValue implements [slog.LogValuer] with a placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements [encoding.TextMarshaler] with a placeholder, so that
// JSON does not carry the text either.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Value implements [driver.Valuer] with an error: a column holds the hash.
func (s Secret) Value() (driver.Value, error) { return nil, errReadable }
