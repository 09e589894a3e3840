package keyring

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// The purposes of derived keys.
const (
	Cursors    = "cursors"    // MACs of list cursors
	Links      = "links"      // MACs of download links
	Cookies    = "cookies"    // MACs of device cookies and consent tickets
	Encryption = "encryption" // encryption of stored data
)

// MinSecret is the minimum length of a root secret, in bytes.
const MinSecret = 32

// KeyLen is the length of every derived key, in bytes.
const KeyLen = 32

// masked is embedded in types that must not reveal their contents when printed or logged.
type masked struct{}

const redacted = "[redacted]"

func (masked) Format(f fmt.State, _ rune) { io.WriteString(f, redacted) }

func (masked) LogValue() slog.Value { return slog.StringValue(redacted) }

// Ring holds the root secrets of an installation, the present one first. It is immutable.
type Ring struct {
	masked
	roots []root
}

type root struct {
	id     byte
	secret []byte
}

// Parse parses a comma-separated list of secrets, each of at least [MinSecret] bytes without
// surrounding space. Errors identify a secret by its position and never quote it.
func Parse(list string) (*Ring, error) {
	if strings.TrimSpace(list) == "" {
		return nil, errors.New("root secret: empty")
	}
	r := &Ring{}
	seen := map[string]bool{}
	place := 0
	for s := range strings.SplitSeq(list, ",") {
		place++
		s = strings.TrimSpace(s)
		if len(s) < MinSecret {
			return nil, fmt.Errorf("root secret %d: %d bytes, want at least %d", place, len(s), MinSecret)
		}
		if seen[s] {
			continue
		}
		seen[s] = true
		id, err := derive([]byte(s), "key id", 1)
		if err != nil {
			return nil, fmt.Errorf("root secret %d: %w", place, err)
		}
		r.roots = append(r.roots, root{id: id[0], secret: []byte(s)})
	}
	return r, nil
}

// derive returns n bytes for a label. The label includes the service's name, so that a secret which
// an operator also uses elsewhere yields different keys there.
func derive(secret []byte, label string, n int) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, nil, "storefront/v1/"+label, n)
}

// MACKey is a derived key with the byte that identifies its root secret.
type MACKey struct {
	masked
	ID  byte
	Key [KeyLen]byte
}

// MACs returns the keys of a purpose. The first signs; all verify, and several may have the same
// ID.
func (r *Ring) MACs(purpose string) []MACKey {
	keys := make([]MACKey, len(r.roots))
	for i, o := range r.roots {
		keys[i] = MACKey{ID: o.id, Key: o.key("mac/" + purpose)}
	}
	return keys
}

// key derives the key of a label. It cannot fail: [Parse] already derived from the same secret, and
// the length is constant.
func (o root) key(label string) [KeyLen]byte {
	return [KeyLen]byte(must(derive(o.secret, label, KeyLen)))
}

// must is for calls that fail only for wrong constants, or in a build that forbids an algorithm.
// These surface at start-up, when [Ring.Sealer] runs the whole path once.
func must[T any](v T, err error) T {
	if err != nil {
		panic("keyring: " + err.Error())
	}
	return v
}

// KeyIDs returns the bytes that identify the secrets, in the ring's order. They may be shown to
// operators.
func (r *Ring) KeyIDs() []byte {
	ids := make([]byte, len(r.roots))
	for i, o := range r.roots {
		ids[i] = o.id
	}
	return ids
}
