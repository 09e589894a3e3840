package wire

import (
	"crypto/sha256"
	"encoding/binary"
)

// Body is the body of a request, parsed once for all that is asked of it. An
// empty one equals {}.
type Body struct {
	bytes []byte
	value Value
	err   error
}

// Len returns the size of the body in bytes.
func (b Body) Len() int { return len(b.bytes) }

// NewBody parses a body, which must not change while the Body lives.
func NewBody(b []byte) Body {
	if len(b) == 0 {
		b = []byte("{}")
	}
	v, err := Parse(b)
	return Body{b, v, err}
}

// Value returns what [Parse] made of the body.
func (b Body) Value() (Value, error) { return b.value, b.err }

// What the body of a fingerprint counts by.
const (
	byMeaning = 1
	byBytes   = 2
)

// Fingerprint reports whether two requests ask for the same (contract section 3).
// It covers the method, the path, from which the caller has taken the version,
// and the body: by its meaning when [Parse] takes it, by its bytes otherwise. It
// is stored, and stays the same from version to version.
func (b Body) Fingerprint(method, path string) [sha256.Size]byte {
	said := make([]byte, 0, len(method)+len(path)+len(b.bytes)+32)
	for _, s := range []string{method, path} {
		// The lengths keep ("a", "bc") and ("ab", "c") apart.
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
