// Package micros is the time of this service: whole microseconds since the Unix epoch, UTC.
//
// Every time in a column that orders, expires or is part of a cursor is stored as a BIGINT.
// Databases round their own time types differently, and a rounded time breaks cursors and ETags.
package micros

import (
	"errors"
	"strings"
	"time"
)

// Time is microseconds since the Unix epoch.
type Time int64

// Max is later than any other time.
const Max Time = 1<<63 - 1

// Now returns the current time.
func Now() Time { return Of(time.Now()) }

// Of returns t without fractions of a microsecond.
func Of(t time.Time) Time { return Time(t.UnixMicro()) }

// Time returns t as a time.Time, in UTC.
func (t Time) Time() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns the time d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Microsecond }

// layout is RFC 3339 in UTC with all six digits, so that texts sort by time.
const layout = "2006-01-02T15:04:05.000000Z"

// String returns t in RFC 3339, UTC, with six digits.
func (t Time) String() string { return string(t.Append(nil)) }

// Append appends the RFC 3339 form to b.
//
// Lists format some hundred times per page; formatting by hand takes a quarter of the time of
// time.AppendFormat.
func (t Time) Append(b []byte) []byte {
	if t < 0 || t >= year10000 {
		return t.Time().AppendFormat(b, layout)
	}
	us, s := int(t%1e6), int(t/1e6)
	day, s := s/86400, s%86400
	year, month, dom := civil(day)
	b = append(two(two(b, year/100), year%100), '-')
	b = append(two(b, month), '-')
	b = append(two(b, dom), 'T')
	b = append(two(b, s/3600), ':')
	b = append(two(b, s/60%60), ':')
	b = append(two(b, s%60), '.')
	return append(two(two(two(b, us/10000), us/100%100), us%100), 'Z')
}

// year10000 is the first time whose year needs five digits.
const year10000 Time = 253402300800e6

// two appends a number below 100 as two digits.
func two(b []byte, n int) []byte {
	return append(b, byte('0'+n/10), byte('0'+n%10))
}

// civil returns the date of a day, counted from 1970-01-01, in the Gregorian calendar. Its years
// begin in March, so that the leap day comes last, and it counts in eras of 400 years, which all
// have the same length.
func civil(day int) (year, month, dom int) {
	day += 719468 // the days from 0000-03-01 to 1970-01-01
	era := day / 146097
	day %= 146097
	yoe := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*yoe + yoe/4 - yoe/100
	m := (5*day + 2) / 153 // months since March
	year, month, dom = era*400+yoe, m+3, day-(153*m+2)/5+1
	if month > 12 {
		return year + 1, month - 12, dom
	}
	return year, month, dom
}

// MarshalJSON returns the RFC 3339 form as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(layout)+2), '"')
	return append(t.Append(b), '"'), nil
}

// UnmarshalJSON reads what [Time.MarshalJSON] writes.
func (t *Time) UnmarshalJSON(b []byte) (err error) {
	*t, err = Parse(strings.Trim(string(b), `"`))
	return err
}

// ErrRange is the error for an RFC 3339 time outside 1970 to 9999, which an id cannot represent.
var ErrRange = errors.New("parse time: year out of range")

// Parse parses RFC 3339 with any offset. Fractions of a microsecond are dropped; years outside 1970
// to 9999 are [ErrRange].
func Parse(s string) (Time, error) {
	t, err := parse(s)
	if err != nil {
		return 0, err
	}
	if t < 0 || t >= year10000 {
		return 0, ErrRange
	}
	return t, nil
}

// ParseBound parses one end of a time range. If it is outside the years that [Parse] accepts, it
// returns the nearest time within: the range contains the same times.
func ParseBound(s string) (Time, error) {
	t, err := parse(s)
	return min(max(t, 0), year10000-1), err
}

func parse(s string) (Time, error) {
	s = strings.ToUpper(s) // RFC 3339, section 5.6: T and Z may be lower case
	second, leap := cutLeap(s)
	u, err := time.Parse(time.RFC3339Nano, second)
	if err != nil || !strict(second) {
		return 0, errors.New("parse time: not RFC 3339")
	}
	if leap {
		if u = u.UTC().Add(time.Second); u.Day() != 1 || u.Hour() != 0 || u.Minute() != 0 {
			return 0, errors.New("parse time: no leap second is due then")
		}
	}
	return Of(u), nil
}

// cutLeap replaces a leap second by the previous second: package time does not support leap
// seconds, and the Unix time of one is that of the following second. They occur at the end of
// months in UTC (RFC 3339, section 5.7).
func cutLeap(s string) (second string, leap bool) {
	const from, to = len("2006-01-02T15:04:"), len("2006-01-02T15:04:05")
	if len(s) < to || s[from:to] != "60" {
		return s, false
	}
	return s[:from] + "59" + s[to:], true
}

// strict reports whether s, which [time.Parse] accepted, is valid by RFC 3339, section 5.6.
// time.Parse also accepts a one-digit hour, a comma before the fraction, and an offset of a day or
// of sixty minutes.
func strict(s string) bool {
	const hourEnd, secondEnd = len("2006-01-02T15"), len("2006-01-02T15:04:05")
	if s[hourEnd] != ':' || s[secondEnd] == ',' {
		return false
	}
	offset := s[len(s)-len("15:04"):]
	return s[len(s)-1] == 'Z' || offset[:2] < "24" && offset[3:] < "60"
}
