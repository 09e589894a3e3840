// Package apikey authenticates credentials: API keys, staff tokens and OAuth access tokens. It
// defines their form and caches them.
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
	"strings"
)

// Kind is the prefix of a credential, which says what kind it is.
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
	bodyLen   = prefixLen + randomLen // covered by the checksum
	tokenLen  = bodyLen + sumLen
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const redacted = "[redacted]"

var errReadable = errors.New("a secret is stored as its hash only")

// Secret is a whole credential. Code that prints, logs, encodes or stores it gets a placeholder or
// an error: only [Secret.Reveal] returns the text.
type Secret string

// Mint returns a new credential of the kind with 32 random characters, about 190 bits.
func Mint(k Kind) Secret {
	b := make([]byte, 0, tokenLen)
	b = append(b, k...)
	b = appendRandom(b, randomLen)
	sum := checksum(string(b))
	return Secret(append(b, sum[:]...))
}

func appendRandom(b []byte, n int) []byte {
	// 248 is the largest multiple of 62 in a byte: taking the values above it modulo 62 would favor
	// the first eight characters.
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

// checksum returns CRC-32 (IEEE) of s as six base-62 digits. It iterates over the string itself,
// since [crc32.ChecksumIEEE] would have it copied to the heap.
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

// Parse reports whether s has the form of a credential, and returns its kind. A typing error or an
// invented token fails the checksum, before any query.
func Parse(s string) (Secret, Kind, bool) {
	if len(s) != tokenLen {
		return "", "", false
	}
	k := Kind(s[:prefixLen])
	switch k {
	case Key, Access, Refresh, Code, Staff:
	default:
		return "", "", false
	}
	if strings.Trim(s[prefixLen:bodyLen], base62) != "" {
		return "", "", false
	}
	if sum := checksum(s[:bodyLen]); s[bodyLen:] != string(sum[:]) {
		return "", "", false
	}
	return Secret(s), k, true
}

// Hint returns the part of a secret that lists may show: its prefix and the last four random
// characters, as in "sfk_...c75m". It returns "" for a secret that [Parse] refuses.
func Hint(s Secret) string {
	if _, k, ok := Parse(string(s)); ok {
		return string(k) + "..." + string(s[bodyLen-4:bodyLen])
	}
	return ""
}

// Reveal returns the credential itself, for the one answer that shows it.
func (s Secret) Reveal() string { return string(s) }

// Hash returns the SHA-256 of the whole credential, the only form that is stored. The random part
// is long enough that a slow hash would add nothing (contract, section 7).
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

// Format implements [fmt.Formatter] with a placeholder for every verb: fmt would otherwise print
// the text in its error for a verb that does not fit a string.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, redacted) }

// LogValue implements [slog.LogValuer] with a placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements [encoding.TextMarshaler] with a placeholder, so that JSON does not contain
// the text either.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Value implements [driver.Valuer] with an error: columns hold the hash.
func (s Secret) Value() (driver.Value, error) { return nil, errReadable }
