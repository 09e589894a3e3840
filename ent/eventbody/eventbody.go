// Package eventbody packs the bodies of events for the event log. What subscribers
// get does not change: a body is unpacked before anybody sees it.
//
// A stored body is JSON as it is sent, which begins with '{', or a byte that names the
// codec and what that codec made. The codec is S2 with a dictionary of what such
// bodies have in common: beside zstd with the same dictionary it takes a quarter more
// bytes and a fifth of the time, in a transaction for which others wait.
package eventbody

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
)

// MaxSize is how many bytes a body may have; more are not unpacked.
const MaxSize = 1 << 20

// plain is the first byte of a body that is stored as it is sent.
const plain = '{'

// packed1 is the first byte of what S2 made with the first dictionary.
const packed1 = 1

// dictionary1 was made by internal/train from the events of a demo. It is part of
// what is stored: it never changes. A better one is another file with another byte.
//
//go:embed dictionary1.s2
var dictionary1 []byte

var codec1 = s2.NewDict(dictionary1)

// ErrUnknown is the error of a stored body that no codec of this program made.
var ErrUnknown = errors.New("body of an event in a form that is not known")

// Body is the body of an event as it is sent. A row is read with it whatever the form in
// which it was stored, and written as it is: who writes decides, with [Pack].
type Body []byte

// Value implements driver.Valuer.
func (b Body) Value() (driver.Value, error) { return []byte(b), nil }

// Scan implements sql.Scanner.
func (b *Body) Scan(src any) error {
	*b = nil
	stored, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("body of an event: %T", src)
	}
	body, err := Unpack(stored)
	if err == nil && isPlain(stored) {
		body = bytes.Clone(body) // the driver keeps its own
	}
	*b = body
	return err
}

// Pack returns a body as it is stored; body itself where that is no longer.
func Pack(body []byte) []byte {
	if len(body) == 0 || len(body) > MaxSize || body[0] != plain {
		return body
	}
	b := make([]byte, 1+s2.MaxEncodedLen(len(body)))
	b[0] = packed1
	b = b[:1+len(codec1.Encode(b[1:], body))]
	if len(b) >= len(body) {
		return body
	}
	return append(make([]byte, 0, len(b)), b...) // the buffer is as long as the body
}

// Unpack returns the body that is stored, which may be stored itself. It fails with
// [ErrUnknown] or an error of the codec.
func Unpack(stored []byte) ([]byte, error) {
	if isPlain(stored) {
		return stored, nil
	}
	size, err := packedSize(stored)
	if err != nil {
		return nil, err
	}
	body, err := codec1.Decode(make([]byte, size), stored[1:])
	if err != nil {
		return nil, fmt.Errorf("unpack the body of an event: %w", err)
	}
	return body, nil
}

// Size returns how many bytes the body has that is stored.
func Size(stored []byte) (int, error) {
	if isPlain(stored) {
		return len(stored), nil
	}
	return packedSize(stored)
}

func isPlain(stored []byte) bool { return len(stored) == 0 || stored[0] == plain }

// packedSize is the size that a packed body names, so that nobody makes room for more
// than there can be.
func packedSize(stored []byte) (int, error) {
	if stored[0] != packed1 {
		return 0, ErrUnknown
	}
	size, err := s2.DecodedLen(stored[1:])
	if err != nil || size > MaxSize {
		return 0, fmt.Errorf("unpack the body of an event: %d bytes: %w", size, cmp.Or(err, ErrUnknown))
	}
	return size, nil
}
