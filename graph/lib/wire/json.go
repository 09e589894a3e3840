package wire

import (
	"strconv"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Object appends the members of one JSON object. Member names are constants of this package and
// need no escapes.
type Object struct {
	B     []byte
	first bool
}

// Open begins an object after b.
func Open(b []byte) Object { return Object{append(b, '{'), true} }

// Close ends the object and returns the bytes.
func (o *Object) Close() []byte { return append(o.B, '}') }

// Name begins a member. Append its value to B next.
func (o *Object) Name(name string) {
	b := o.B // stored once, not four times: that saves a tenth of an object's cost
	if !o.first {
		b = append(b, ',')
	}
	o.first = false
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	o.B = b
}

// Str writes a string.
func (o *Object) Str(name, v string) { o.Name(name); o.B = AppendString(o.B, v) }

// Plain writes a string without characters that need escapes: values of enumerations, codes, times.
func (o *Object) Plain(name, v string) {
	o.Name(name)
	b := o.B
	b = append(b, '"')
	b = append(b, v...)
	b = append(b, '"')
	o.B = b
}

// StrOpt writes a string, or null.
func (o *Object) StrOpt(name string, v *string) {
	if v == nil {
		o.Null(name)
		return
	}
	o.Str(name, *v)
}

// Int writes an integer.
func (o *Object) Int(name string, v int64) { o.Name(name); o.B = strconv.AppendInt(o.B, v, 10) }

// IntOpt writes an integer, or null.
func (o *Object) IntOpt(name string, v *int64) {
	if v == nil {
		o.Null(name)
		return
	}
	o.Int(name, *v)
}

// Bool writes true or false.
func (o *Object) Bool(name string, v bool) { o.Name(name); o.B = strconv.AppendBool(o.B, v) }

// Null writes null.
func (o *Object) Null(name string) { o.Name(name); o.B = append(o.B, "null"...) }

// Raw writes JSON unchanged, or null if it is empty.
func (o *Object) Raw(name string, json []byte) {
	if len(json) == 0 {
		o.Null(name)
		return
	}
	o.Name(name)
	o.B = append(o.B, json...)
}

// List writes a JSON array unchanged, or [] if it is empty.
func (o *Object) List(name string, json []byte) {
	if len(json) == 0 {
		json = []byte("[]")
	}
	o.Raw(name, json)
}

// Time writes a time in RFC 3339.
func (o *Object) Time(name string, t micros.Time) { o.Name(name); o.B = appendTime(o.B, t) }

// TimeOpt writes a time in RFC 3339, or null.
func (o *Object) TimeOpt(name string, t *micros.Time) {
	if t == nil {
		o.Null(name)
		return
	}
	o.Time(name, *t)
}

// ID writes the public form of an id.
func (o *Object) ID(name string, k xid.Kind, id xid.ID) {
	o.Name(name)
	o.B = append(k.Append(append(o.B, '"'), id), '"')
}

// IDOpt writes the public form of an id, or null.
func (o *Object) IDOpt(name string, k xid.Kind, id *xid.ID) {
	if id == nil {
		o.Null(name)
		return
	}
	o.ID(name, k, *id)
}

// Strings writes an array of strings.
func (o *Object) Strings(name string, v []string) { o.Name(name); o.B = AppendStrings(o.B, v) }

// AppendStrings appends an array of strings.
func AppendStrings(b []byte, v []string) []byte {
	b = append(b, '[')
	for i, s := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, s)
	}
	return append(b, ']')
}

func appendTime(b []byte, t micros.Time) []byte {
	b = append(b, '"')
	return append(t.Append(b), '"')
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string (RFC 8259, section 7). Invalid UTF-8 becomes U+FFFD.
// U+2028 and U+2029 are escaped, since JavaScript treats them as line breaks.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			b = appendEscape(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			b = append(b, s[start:i]...)
			b = append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
			start = i + size
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
