// Package short writes the ids and times in JSON as binary. Both are practically random, so
// compression hardly shortens them: the 27 characters of an id become 17 bytes, and the 27 of a
// time 8.
package short

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// The bytes that mark a replacement. RFC 8259, section 7, does not allow them unescaped in JSON.
const (
	markID   = 1 // followed by 16 bytes: the separator and the digits of an id
	markTime = 2 // followed by 7 bytes: microseconds since 1970
)

const (
	idText   = 1 + 26 // characters of an id including its separator
	idSize   = 1 + len(xid.ID{})
	timeText = len("2006-01-02T15:04:05.000000Z")
	timeSize = 1 + 7
)

// ErrCorrupt is the error for bytes that [Append] did not write.
var ErrCorrupt = errors.New("unknown form of a text's ids and times")

// Append appends the short form of a text to b and reports whether [Restore] can restore the text
// from it, which is impossible if the text contains a marking byte.
func Append(b, text []byte) ([]byte, bool) {
	if bytes.IndexByte(text, markID) >= 0 || bytes.IndexByte(text, markTime) >= 0 {
		return b, false
	}
	// IndexByte is fast, and a text has few ids and times.
	done, id, zone := 0, next(text, 0, '_'), next(text, 0, 'Z')
	for id < len(text) || zone < len(text) {
		if id < zone {
			if end := id + idText; end <= len(text) {
				if u, err := xid.Parse(string(text[id+1 : end])); err == nil {
					b = append(append(append(b, text[done:id]...), markID), u[:]...)
					done = end
				}
			}
			id = next(text, max(id+1, done), '_')
			continue
		}
		if from := zone + 1 - timeText; from >= done {
			if at, ok := parseTime(text[from : zone+1]); ok {
				b = append(b, text[done:from]...)
				b = binary.BigEndian.AppendUint64(b, markTime<<56|uint64(at))
				done = zone + 1
			}
		}
		zone = next(text, zone+1, 'Z')
	}
	return append(b, text[done:]...), true
}

// next returns the index of c in text from i on, or len(text).
func next(text []byte, i int, c byte) int {
	if n := bytes.IndexByte(text[i:], c); n >= 0 {
		return i + n
	}
	return len(text)
}

// parseTime parses a time as written by [micros.Time.Append].
func parseTime(text []byte) (micros.Time, bool) {
	number := func(from, to int) (n int) {
		for _, c := range text[from:to] {
			n = n*10 + int(c-'0')
		}
		return n
	}
	at := micros.Of(time.Date(number(0, 4), time.Month(number(5, 7)), number(8, 10), number(11, 13), number(14, 16),
		number(17, 19), number(20, 26)*int(time.Microsecond), time.UTC))
	var again [timeText]byte
	return at, at>>56 == 0 && bytes.Equal(at.Append(again[:0]), text)
}

// Restore appends to b the text of a short form, which has size bytes. It fails with [ErrCorrupt].
func Restore(b, short []byte, size int) ([]byte, error) {
	end := len(b) + size
	for len(short) > 0 {
		n := 0
		for n < len(short) && short[n] != markID && short[n] != markTime {
			n++
		}
		if len(b)+n > end {
			return nil, ErrCorrupt
		}
		b, short = append(b, short[:n]...), short[n:]
		switch {
		case len(short) == 0:
		case short[0] == markID && len(short) >= idSize && len(b)+idText <= end:
			b = xid.Kind("").Append(b, xid.ID(short[1:idSize]))
			short = short[idSize:]
		case short[0] == markTime && len(short) >= timeSize && len(b)+timeText <= end:
			at := micros.Time(binary.BigEndian.Uint64(short) &^ (0xff << 56))
			b = at.Append(b)
			short = short[timeSize:]
		default:
			return nil, ErrCorrupt
		}
	}
	if len(b) != end {
		return nil, ErrCorrupt
	}
	return b, nil
}
