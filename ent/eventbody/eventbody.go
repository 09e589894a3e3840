// Package eventbody packs the bodies of events for the event log. Subscribers get the same bytes as
// before: a body is unpacked on reading.
//
// A stored body is either plain JSON, which begins with '{', or a byte for the codec and the output
// of that codec. Both codecs are S2 with a dictionary of what such bodies have in common. Compared
// to zstd with the same dictionary, it takes a quarter more bytes and a fifth of the time, in a
// transaction that others wait for. The second codec first writes ids and times as numbers (package
// short), and takes a third less.
package eventbody

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/storefront-go/storefront/ent/eventbody/internal/short"
)

// MaxSize is the maximum size of a body in bytes; a larger one is not unpacked.
const MaxSize = 1 << 20

// plain is the first byte of a body that is stored unpacked.
const plain = '{'

// The first bytes of packed bodies. After packed1 follows the output of S2 for the body with the
// first dictionary; after packed2 the size of the body, as a uvarint, and the output of S2 for its
// short form with the second dictionary.
const (
	packed1 = 1
	packed2 = 2
)

// The dictionaries were built by internal/train from the events of a demo. They never change, since
// stored bodies depend on them. A better one needs a new file and a new first byte.
var (
	//go:embed dictionary1.s2
	dictionary1 []byte
	//go:embed dictionary2.s2
	dictionary2 []byte

	codec1 = s2.NewDict(dictionary1)
	codec2 = s2.NewDict(dictionary2)
)

// ErrUnknown is the error for a stored body that no codec of this program produced.
var ErrUnknown = errors.New("unknown form of an event body")

// Body is the body of an event as sent. Scanning unpacks any stored form; writing stores the bytes
// as they are, so the writer decides with [Pack].
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
		body = bytes.Clone(body) // the driver reuses its buffer
	}
	*b = body
	return err
}

// Pack returns the stored form of a body, or body itself if packing does not shorten it.
func Pack(body []byte) []byte {
	return pack(body, func(b []byte) []byte {
		shorter, ok := short.Append(make([]byte, 0, len(body)), body)
		if !ok {
			return body
		}
		b = binary.AppendUvarint(append(b, packed2), uint64(len(body)))
		return b[:len(b)+len(codec2.Encode(b[len(b):cap(b)], shorter))]
	})
}

// PackFirst is [Pack] with the first codec, for programs that know no other.
func PackFirst(body []byte) []byte {
	return pack(body, func(b []byte) []byte {
		b = append(b, packed1)
		return b[:len(b)+len(codec1.Encode(b[len(b):cap(b)], body))]
	})
}

// pack lets codec append to a buffer with room for its longest output.
func pack(body []byte, codec func([]byte) []byte) []byte {
	if len(body) == 0 || len(body) > MaxSize || body[0] != plain {
		return body
	}
	b := codec(make([]byte, 0, 1+binary.MaxVarintLen32+s2.MaxEncodedLen(len(body))))
	if len(b) >= len(body) {
		return body
	}
	return append(make([]byte, 0, len(b)), b...) // the buffer is longer than the body
}

// Unpack returns the body of a stored form, possibly stored itself. It fails with [ErrUnknown] or
// an error of the codec.
func Unpack(stored []byte) ([]byte, error) {
	if isPlain(stored) {
		return stored, nil
	}
	size, packed, err := cutSize(stored)
	if err != nil {
		return nil, err
	}
	if stored[0] == packed1 {
		return unpacked(codec1.Decode(make([]byte, size), packed))
	}
	shortSize, err := s2.DecodedLen(packed)
	if err != nil || shortSize > size {
		return nil, tooLarge(shortSize, err)
	}
	shorter, err := codec2.Decode(make([]byte, shortSize), packed)
	if err != nil {
		return unpacked(nil, err)
	}
	return unpacked(short.Restore(make([]byte, 0, size), shorter, size))
}

func unpacked(body []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("unpack the body of an event: %w", err)
	}
	return body, nil
}

// Size returns the size in bytes of the body of a stored form.
func Size(stored []byte) (int, error) {
	if isPlain(stored) {
		return len(stored), nil
	}
	size, _, err := cutSize(stored)
	return size, err
}

func isPlain(stored []byte) bool { return len(stored) == 0 || stored[0] == plain }

// cutSize returns the size in the header of a packed body, and the output of S2. It fails if the
// size is too large, so that no more is allocated.
func cutSize(stored []byte) (size int, packed []byte, err error) {
	switch packed = stored[1:]; stored[0] {
	case packed1:
		size, err = s2.DecodedLen(packed)
	case packed2:
		named, n := binary.Uvarint(packed)
		if n <= 0 {
			return 0, nil, tooLarge(0, s2.ErrCorrupt)
		}
		size, packed = int(min(named, MaxSize+1)), packed[n:]
	default:
		return 0, nil, ErrUnknown
	}
	if err != nil || size > MaxSize {
		return 0, nil, tooLarge(size, err)
	}
	return size, packed, nil
}

func tooLarge(size int, err error) error {
	return fmt.Errorf("unpack the body of an event: %d bytes: %w", size, cmp.Or(err, ErrUnknown))
}
