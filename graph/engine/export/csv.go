package export

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// A row of a CSV file is appended cell by cell, each followed by a comma; end replaces the last
// comma by the end of the line (RFC 4180, section 2).

// end ends a row.
func end(b []byte) []byte { return append(b[:len(b)-1], '\r', '\n') }

// header returns the first row.
func header(columns []string) []byte {
	var b []byte
	for _, name := range columns {
		b = plain(b, name)
	}
	return end(b)
}

// plain appends a cell that needs no quoting, such as letters, digits and underscores.
func plain(b []byte, s string) []byte { return append(append(b, s...), ',') }

func integer(b []byte, n int64) []byte { return append(strconv.AppendInt(b, n, 10), ',') }

func integerOpt(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, ',')
	}
	return integer(b, *n)
}

func truth(b []byte, v bool) []byte { return append(strconv.AppendBool(b, v), ',') }

func id(b []byte, k xid.Kind, u xid.ID) []byte { return append(k.Append(b, u), ',') }

func idOpt(b []byte, k xid.Kind, u *xid.ID) []byte {
	if u == nil {
		return append(b, ',')
	}
	return id(b, k, *u)
}

func moment(b []byte, t micros.Time) []byte { return append(t.Append(b), ',') }

func momentOpt(b []byte, t *micros.Time) []byte {
	if t == nil {
		return append(b, ',')
	}
	return moment(b, *t)
}

func textOpt(b []byte, s *string) []byte {
	if s == nil {
		return append(b, ',')
	}
	return text(b, *s)
}

// text appends a text that people wrote. A spreadsheet would run a text that begins with = + - @, a
// tab or a carriage return as a formula, so an apostrophe is put in front, unless it is a number or
// a telephone number, which programs read. A text that begins with apostrophes followed by one of
// these gets another apostrophe as well. Readers restore every text by removing one apostrophe
// wherever one or more of them precede such a character.
func text[T ~string | ~[]byte](b []byte, s T) []byte { return textBefore(b, s, ',') }

// textBefore is [text] with another separator than the comma.
func textBefore[T ~string | ~[]byte](b []byte, s T, separator byte) []byte {
	quoted := false
	for i := range len(s) {
		if c := s[i]; c == '"' || c == separator || c == '\n' || c == '\r' {
			quoted = true
			break
		}
	}
	if quoted {
		b = append(b, '"')
	}
	if formula(s) {
		b = append(b, '\'')
	}
	if !quoted {
		return append(append(b, s...), separator)
	}
	from := 0
	for i := range len(s) {
		if s[i] == '"' {
			b = append(append(b, s[from:i+1]...), '"')
			from = i + 1
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"', separator)
}

// formula reports whether a text needs an apostrophe in front.
func formula[T ~string | ~[]byte](s T) bool {
	for i := range len(s) {
		switch s[i] {
		case '\'':
			continue
		case '+', '-':
			return i > 0 || !number(s[1:])
		case '=', '@', '\t', '\r':
			return true
		}
		return false
	}
	return false
}

// number reports whether the text after a sign is a number or a telephone number: a spreadsheet may
// compute it, but it can do no harm.
func number[T ~string | ~[]byte](s T) bool {
	for i := range len(s) {
		if strings.IndexByte("0123456789 ()./-", s[i]) < 0 {
			return false
		}
	}
	return true
}

// documented appends a JSON document as it is stored.
func documented[T ~[]byte](b []byte, doc T) []byte {
	if bytes.Equal(doc, emptyList) {
		return append(b, "[],"...)
	}
	return text(b, doc)
}

// listed is [documented] for a list, which is stored as nothing if it is empty.
func listed[T ~[]byte](b []byte, doc T) []byte {
	if len(doc) == 0 {
		return documented(b, emptyList)
	}
	return documented(b, doc)
}

var emptyList = []byte("[]")

// address appends the nine cells of an address. They are empty if there is none.
func address(b []byte, a document.Address) ([]byte, error) {
	if len(a) == 0 {
		return append(b, ",,,,,,,,,"...), nil
	}
	err := a.Members(func(value []byte) { b = text(b, value) })
	return b, err
}
