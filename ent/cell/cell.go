// Package cell scans database values into entities without reflection.
//
// database/sql converts through reflect unless the destination is a sql.Scanner; these are the
// scanners that the generated loaders use. Drivers return int64, []byte and string; anything else
// is an error. Values of SQLite's rows are read directly, as a [Value].
package cell

import (
	"bytes"
	"database/sql"
	"encoding"
	"fmt"
	"slices"
	"strconv"
)

// Kind is the kind of a [Value].
type Kind int8

// The kinds of values. Texts and blobs are both bytes.
const (
	KindNull Kind = iota
	KindNumber
	KindBytes
)

// Value is one column of a row. Its bytes belong to the driver, and are valid until the next row.
type Value struct {
	Kind   Kind
	Number int64
	Bytes  []byte
}

func valueOf(src any) (Value, bool) {
	switch v := src.(type) {
	case nil:
		return Value{}, true
	case int64:
		return Value{Kind: KindNumber, Number: v}, true
	case uint64:
		return Value{Kind: KindNumber, Number: int64(v)}, true
	case []byte:
		return Value{Kind: KindBytes, Bytes: v}, true
	case string:
		return Value{Kind: KindBytes, Bytes: []byte(v)}, true
	}
	return Value{}, false
}

// box returns v as a driver would.
func (v Value) box() any {
	switch v.Kind {
	case KindNumber:
		return v.Number
	case KindBytes:
		return v.Bytes
	}
	return nil
}

// taker is a scanner that accepts an unboxed value.
type taker interface{ Take(v Value) error }

func scan[T taker](to T, src any) error {
	v, ok := valueOf(src)
	if !ok {
		return fmt.Errorf("scan: %T is not a driver value", src)
	}
	return to.Take(v)
}

// Text scans a string or a string type. A value equal to the previous one, which is common for
// states and currencies in a list, is not copied again.
type Text[T ~string] string

// Scan implements sql.Scanner.
func (t *Text[T]) Scan(src any) error { return scan(t, src) }

// Take sets the text.
func (t *Text[T]) Take(v Value) error {
	if v.Kind != KindBytes {
		return mismatch(v, "a text")
	}
	if string(*t) != string(v.Bytes) {
		*t = Text[T](v.Bytes)
	}
	return nil
}

// Bytes scans bytes; NULL becomes nil. Rows with equal bytes share one copy, which must not be
// modified; its capacity is clipped, so that appending copies.
type Bytes []byte

// Scan implements sql.Scanner.
func (b *Bytes) Scan(src any) error { return scan(b, src) }

// Take sets the bytes.
func (b *Bytes) Take(v Value) error {
	switch {
	case v.Kind == KindNull:
		*b = nil
	case v.Kind != KindBytes:
		return mismatch(v, "bytes")
	case *b == nil || v.Bytes == nil || string(*b) != string(v.Bytes): // SQLite returns nil for empty bytes
		*b = slices.Clip(bytes.Clone(v.Bytes))
	}
	return nil
}

type integer interface{ ~int | ~int64 }

// Int64 scans an integer.
type Int64 int64

// Scan implements sql.Scanner.
func (n *Int64) Scan(src any) error { return scan(n, src) }

// Take sets the number.
func (n *Int64) Take(v Value) error {
	i, err := number(v)
	*n = Int64(i)
	return err
}

// Int scans an integer.
type Int int

// Scan implements sql.Scanner.
func (n *Int) Scan(src any) error { return scan(n, src) }

// Take sets the number.
func (n *Int) Take(v Value) error {
	i, err := number(v)
	*n = Int(i)
	return err
}

// Int8 scans an 8-bit integer. A number out of range is an error.
type Int8 int8

// Scan implements sql.Scanner.
func (n *Int8) Scan(src any) error { return scan(n, src) }

// Take sets the number.
func (n *Int8) Take(v Value) error {
	i, err := number(v)
	if err == nil && i != int64(int8(i)) {
		return fmt.Errorf("scan: %d is out of range", i)
	}
	*n = Int8(i)
	return err
}

// Flag scans a boolean, which MySQL and SQLite store as a number. NULL is false: the column is
// newer than the row.
type Flag bool

// Scan implements sql.Scanner.
func (f *Flag) Scan(src any) error {
	if b, ok := src.(bool); ok {
		*f = Flag(b)
		return nil
	}
	return scan(f, src)
}

// Take sets the flag.
func (f *Flag) Take(v Value) error {
	if v.Kind == KindNull {
		*f = false
		return nil
	}
	i, err := number(v)
	*f = i != 0
	return err
}

// OptText scans a text that may be NULL. Like [Text] it shares an equal value with the previous
// row, through the same pointer: do not modify it.
type OptText[T ~string] struct{ dst **T }

// TextOf returns a scanner that sets dst.
func TextOf[T ~string](dst **T) *OptText[T] { return &OptText[T]{dst} }

// Scan implements sql.Scanner.
func (o *OptText[T]) Scan(src any) error { return scan(o, src) }

// Take sets the text, or nil for NULL.
func (o *OptText[T]) Take(v Value) error {
	switch {
	case v.Kind == KindNull:
		*o.dst = nil
	case v.Kind != KindBytes:
		return mismatch(v, "a text")
	case *o.dst == nil || string(**o.dst) != string(v.Bytes):
		*o.dst = new(T(v.Bytes))
	}
	return nil
}

// OptInteger scans a number that may be NULL.
type OptInteger[T integer] struct{ dst **T }

// NumberOf returns a scanner that sets dst.
func NumberOf[T integer](dst **T) *OptInteger[T] { return &OptInteger[T]{dst} }

// Scan implements sql.Scanner.
func (o *OptInteger[T]) Scan(src any) error { return scan(o, src) }

// Take sets the number, or nil for NULL.
func (o *OptInteger[T]) Take(v Value) error {
	if v.Kind == KindNull {
		*o.dst = nil
		return nil
	}
	i, err := number(v)
	*o.dst = new(T(i))
	return err
}

// Opt scans any other type that may be NULL.
type Opt[T any, P interface {
	*T
	sql.Scanner
}] struct{ dst **T }

// PointerOf returns a scanner that sets dst.
func PointerOf[T any, P interface {
	*T
	sql.Scanner
}](dst **T) *Opt[T, P] {
	return &Opt[T, P]{dst}
}

// Scan implements sql.Scanner.
func (o *Opt[T, P]) Scan(src any) error { return scan(o, src) }

// Take sets a value of T, or nil for NULL.
func (o *Opt[T, P]) Take(v Value) error {
	if v.Kind == KindNull {
		*o.dst = nil
		return nil
	}
	to := new(T)
	err := unboxed(P(to)).Take(v)
	*o.dst = to
	return err
}

// unboxed returns s if it is a taker, or a taker that wraps it.
func unboxed(s sql.Scanner) taker {
	switch s := s.(type) {
	case taker:
		return s
	case encoding.BinaryUnmarshaler:
		return binary{s}
	}
	return boxing{s}
}

type binary struct{ to encoding.BinaryUnmarshaler }

func (b binary) Take(v Value) error {
	if v.Kind != KindBytes {
		return mismatch(v, "bytes")
	}
	return b.to.UnmarshalBinary(v.Bytes)
}

// boxing wraps a scanner that accepts only boxed values.
type boxing struct{ to sql.Scanner }

func (b boxing) Take(v Value) error { return b.to.Scan(v.box()) }

func number(v Value) (int64, error) {
	switch v.Kind {
	case KindNumber:
		return v.Number, nil
	case KindBytes:
		return strconv.ParseInt(string(v.Bytes), 10, 64)
	}
	return 0, mismatch(v, "a number")
}

// mismatch names only the kinds, since a value may be personal data.
func mismatch(v Value, want string) error {
	return fmt.Errorf("scan: %s is not %s", [...]string{"NULL", "a number", "a text or a blob"}[v.Kind], want)
}
