package wire

import (
	"crypto/sha256"
	"encoding/binary"
)

// Body is the body of a request, parsed once. An empty body equals {}.
type Body struct {
	bytes []byte
	value Value
	err   error
}

// Len returns the size of the body in bytes.
func (b Body) Len() int { return len(b.bytes) }

// NewBody parses a body, which must not change afterwards.
func NewBody(b []byte) Body {
	if len(b) == 0 {
		b = []byte("{}")
	}
	v, err := Parse(b)
	return Body{b, v, err}
}

// Value returns what [Parse] returned for the body.
func (b Body) Value() (Value, error) { return b.value, b.err }

// Whether a fingerprint is of the body's meaning or of its bytes.
const (
	byMeaning = 1
	byBytes   = 2
)

// Fingerprint returns a hash that is equal for requests with the same meaning (contract section 3).
// It covers the method, the path, from which the caller has removed the version, and the body: by
// its meaning if [Parse] accepts it, by its bytes otherwise. It is stored, and must not change
// between versions.
func (b Body) Fingerprint(method, path string) [sha256.Size]byte {
	said := make([]byte, 0, len(method)+len(path)+len(b.bytes)+32)
	for _, s := range []string{method, path} {
		// The lengths distinguish ("a", "bc") from ("ab", "c").
		said = binary.BigEndian.AppendUint64(said, uint64(len(s)))
		said = append(said, s...)
	}
	if b.err == nil {
		said = AppendCanonical(append(said, byMeaning), b.value)
	} else {
		said = append(append(said, byBytes), b.bytes...)
	}
	return sha256.Sum256(said)
}
