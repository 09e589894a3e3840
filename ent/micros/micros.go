// Package micros is the time of this service: whole microseconds since the
// Unix epoch, UTC.
//
// Every column that orders, expires or sits in a cursor holds one as a BIGINT.
// Databases round their own time types differently, and a rounded time breaks
// cursors and ETags; a number does not.
package micros

import (
	"fmt"
	"io"
	"time"
)

// Time is microseconds since the Unix epoch.
type Time int64

// Now returns the present microsecond.
func Now() Time { return Of(time.Now()) }

// Of drops what is finer than a microsecond.
func Of(t time.Time) Time { return Time(t.UnixMicro()) }

// Time returns the standard library's form, in UTC.
func (t Time) Time() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns the time d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Sub returns the time from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Microsecond }

// layout is RFC 3339 in UTC with all six digits, so texts sort as times do.
const layout = "2006-01-02T15:04:05.000000Z"

// String writes RFC 3339, UTC, with six digits.
func (t Time) String() string { return string(t.Append(nil)) }

// Append appends the RFC 3339 form to b.
func (t Time) Append(b []byte) []byte { return t.Time().AppendFormat(b, layout) }

// MarshalJSON writes the RFC 3339 form as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(layout)+2), '"')
	return append(t.Append(b), '"'), nil
}

// MarshalGQL implements gqlgen's marshaler.
func (t Time) MarshalGQL(w io.Writer) {
	b, _ := t.MarshalJSON() // cannot fail
	w.Write(b)
}

// UnmarshalGQL implements gqlgen's unmarshaler.
func (t *Time) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a time is a string in RFC 3339")
	}
	u, err := Parse(s)
	*t = u
	return err
}

// Parse reads RFC 3339 with any offset. What is finer than a microsecond is
// dropped; years outside 1970 to 9999 are refused, since an id cannot carry
// them.
func Parse(s string) (Time, error) {
	u, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || !strict(s) {
		return 0, fmt.Errorf("parse time: not RFC 3339")
	}
	if u = u.UTC(); u.Year() < 1970 || u.Year() > 9999 {
		return 0, fmt.Errorf("parse time: year out of range")
	}
	return Of(u), nil
}

// strict finds in a text that [time.Parse] took what RFC 3339, section 5.6, does
// not allow and time.Parse does: an hour of one digit, a comma before the
// fraction, an offset of a day or of sixty minutes.
func strict(s string) bool {
	const hourEnd, secondEnd = len("2006-01-02T15"), len("2006-01-02T15:04:05")
	if s[hourEnd] != ':' || s[secondEnd] == ',' {
		return false
	}
	offset := s[len(s)-len("15:04"):]
	return s[len(s)-1] == 'Z' || offset[:2] < "24" && offset[3:] < "60"
}
