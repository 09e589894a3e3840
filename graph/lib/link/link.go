// Package link signs addresses that authorize anyone who has them: downloads and previews
// (contract, section 9).
//
// An address is a path and the query
//
//	expires=<Unix seconds>&<name>=<value>&…&signature=<base64url of 32 bytes>
//
// The signature is HMAC-SHA-256 over the exact bytes of the path and the preceding query. So an
// address has one valid spelling: the text is verified, not what a parser makes of it. The host is
// not part of it. If a link must not work at another host, its parameters name what it is for, such
// as the store, and the handler compares that.
package link

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// The errors of an address.
var (
	ErrForged  = errors.New("link: the signature does not match the address")
	ErrExpired = errors.New("link: the address has expired")
)

const (
	expiresName  = "expires="
	signatureTag = "&signature="
	// maxLen is longer than any signed address, in bytes.
	maxLen = 4 << 10
)

// Signer signs and verifies addresses. It is safe for concurrent use.
type Signer struct{ keys []keyring.MACKey }

// New returns a signer whose keys derive from the root secrets: the first signs, all verify.
func New(ring *keyring.Ring) *Signer { return &Signer{ring.MACs(keyring.Links)} }

// Sign returns the address of a path that is valid until a time, truncated to whole seconds. The
// path is escaped and has no query; params are names and values of its query, in order, none of
// them named expires or signature.
func (s *Signer) Sign(path string, expires micros.Time, params ...string) string {
	var b strings.Builder
	b.WriteString(expiresName)
	b.WriteString(strconv.FormatInt(expires.Time().Unix(), 10))
	for i := 0; i+1 < len(params); i += 2 {
		b.WriteString("&" + url.QueryEscape(params[i]) + "=" + url.QueryEscape(params[i+1]))
	}
	signed := b.String()
	return path + "?" + signed + signatureTag + sum(s.keys[0], path, signed)
}

// Verify verifies the escaped path and the raw query of an address, and returns the signed
// parameters without the expiry. It fails with [ErrForged] unless [Signer.Sign] wrote the address
// byte for byte, and with [ErrExpired] once it has expired.
func (s *Signer) Verify(path, query string, now micros.Time) (map[string]string, error) {
	// The last occurrence: a value has no unescaped &.
	at := strings.LastIndex(query, signatureTag)
	if at < 0 || len(path)+len(query) > maxLen {
		return nil, ErrForged
	}
	signed, signature := query[:at], query[at+len(signatureTag):]
	if !s.genuine(path, signed, signature) {
		return nil, ErrForged
	}
	expires, params, err := parse(signed)
	if err != nil {
		return nil, ErrForged
	}
	if !now.Time().Before(expires) {
		return nil, ErrExpired
	}
	return params, nil
}

// genuine reports whether one of the keys gives the signature. It compares texts, not bytes: the
// last character of a base64 text has spare bits, so two spellings would decode to one signature.
func (s *Signer) genuine(path, signed, signature string) bool {
	found := false
	for _, k := range s.keys {
		found = hmac.Equal([]byte(sum(k, path, signed)), []byte(signature)) || found
	}
	return found
}

// parse parses a verified text, which only the signer can have written.
func parse(signed string) (expires time.Time, params map[string]string, err error) {
	first, rest, _ := strings.Cut(signed, "&")
	seconds, err := strconv.ParseInt(strings.TrimPrefix(first, expiresName), 10, 64)
	if err != nil {
		return time.Time{}, nil, err
	}
	values, err := url.ParseQuery(rest)
	if err != nil {
		return time.Time{}, nil, err
	}
	params = make(map[string]string, len(values))
	for name := range values {
		params[name] = values.Get(name)
	}
	return time.Unix(seconds, 0), params, nil
}

// sum returns the signature as text. The path is preceded by its length, so no byte can move
// between it and the query.
func sum(k keyring.MACKey, path, signed string) string {
	mac := hmac.New(sha256.New, k.Key[:])
	msg := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(path)+len(signed)), uint64(len(path)))
	mac.Write(append(append(msg, path...), signed...))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
