// Package cell scans database values into entities without reflection.
//
// database/sql converts through reflect unless the destination is a
// sql.Scanner; these are the scanners that the generated loaders use. Drivers
// hand out int64, []byte and string; anything else is an error.
package cell

import (
	"bytes"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
)

// Text scans a string or a type made of one. A value like the one before, as
// the states and currencies of a list's rows mostly are, is not copied again.
type Text[T ~string] string

// Scan implements sql.Scanner.
func (t *Text[T]) Scan(src any) error {
	switch v := src.(type) {
	case []byte:
		if string(*t) != string(v) {
			*t = Text[T](v)
		}
	case string:
		*t = Text[T](v)
	default:
		return mismatch(src, "a text")
	}
	return nil
}

// Bytes scans bytes; NULL gives nil. Rows with equal bytes share one copy, which
// nobody may write to; its capacity is clipped, so that appending copies.
type Bytes []byte

// Scan implements sql.Scanner. The driver owns v: it is copied.
func (b *Bytes) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*b = nil
	case []byte:
		if !b.holds(v) {
			*b = slices.Clip(bytes.Clone(v))
		}
	case string:
		*b = []byte(v)
	default:
		return mismatch(src, "bytes")
	}
	return nil
}

// Take is Scan of bytes that nobody else holds: they are not copied.
func (b *Bytes) Take(v []byte) {
	if !b.holds(v) {
		*b = slices.Clip(v)
	}
}

func (b *Bytes) holds(v []byte) bool { return v != nil && *b != nil && string(*b) == string(v) }

type integer interface{ ~int | ~int64 }

// Int64 scans a whole number, or a type made of one.
type Int64 int64

// Scan implements sql.Scanner.
func (n *Int64) Scan(src any) error {
	v, err := number(src)
	*n = Int64(v)
	return err
}

// Int scans a whole number.
type Int int

// Scan implements sql.Scanner.
func (n *Int) Scan(src any) error {
	v, err := number(src)
	*n = Int(v)
	return err
}

// Int8 scans a whole number of eight bits.
type Int8 int8

// Scan implements sql.Scanner.
func (n *Int8) Scan(src any) error {
	v, err := number(src)
	if err == nil && v != int64(int8(v)) {
		return fmt.Errorf("scan: %d is out of range", v)
	}
	*n = Int8(v)
	return err
}

// Flag scans a boolean, which MySQL and SQLite keep as a number.
type Flag bool

// Scan implements sql.Scanner.
func (f *Flag) Scan(src any) error {
	if b, ok := src.(bool); ok {
		*f = Flag(b)
		return nil
	}
	v, err := number(src)
	*f = v != 0
	return err
}

// OptText scans a text that may be NULL. Like [Text] it shares a value with the
// row before, behind one pointer: nobody may write through it.
type OptText[T ~string] struct{ dst **T }

// TextOf returns the scanner that fills dst.
func TextOf[T ~string](dst **T) *OptText[T] { return &OptText[T]{dst} }

// Scan implements sql.Scanner.
func (o *OptText[T]) Scan(src any) error {
	if src == nil {
		*o.dst = nil
		return nil
	}
	if v, ok := src.([]byte); ok && *o.dst != nil && string(**o.dst) == string(v) {
		return nil
	}
	var t Text[T]
	err := t.Scan(src)
	*o.dst = new(T(t))
	return err
}

// OptInteger scans a number that may be NULL.
type OptInteger[T integer] struct{ dst **T }

// NumberOf returns the scanner that fills dst.
func NumberOf[T integer](dst **T) *OptInteger[T] { return &OptInteger[T]{dst} }

// Scan implements sql.Scanner.
func (o *OptInteger[T]) Scan(src any) error {
	if src == nil {
		*o.dst = nil
		return nil
	}
	v, err := number(src)
	*o.dst = new(T(v))
	return err
}

// Opt scans any other type that may be NULL.
type Opt[T any, P interface {
	*T
	sql.Scanner
}] struct{ dst **T }

// PointerOf returns the scanner that fills dst.
func PointerOf[T any, P interface {
	*T
	sql.Scanner
}](dst **T) *Opt[T, P] {
	return &Opt[T, P]{dst}
}

// Scan implements sql.Scanner.
func (o *Opt[T, P]) Scan(src any) error {
	if src == nil {
		*o.dst = nil
		return nil
	}
	v := new(T)
	err := P(v).Scan(src)
	*o.dst = v
	return err
}

func number(src any) (int64, error) {
	switch v := src.(type) {
	case int64:
		return v, nil
	case uint64:
		return int64(v), nil
	case []byte:
		return strconv.ParseInt(string(v), 10, 64)
	}
	return 0, mismatch(src, "a number")
}

// mismatch names the types alone: a value may be personal data.
func mismatch(src any, want string) error { return fmt.Errorf("scan: %T is not %s", src, want) }
