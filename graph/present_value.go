package graph

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/wire"
)

// addressNames are the members of a stored address, as [document.Address] has
// them.
var addressNames = []string{"name", "company", "line1", "line2", "city", "region", "postal_code", "country", "phone"}

// storedAddress is the JSON of each member of an address, in the order of
// addressNames. Its values are copied, never decoded.
type storedAddress [9][]byte

// scanAddress reads the address that raw begins with: an object of texts and
// nulls, written without white space by package document. It is not ok for any
// other form.
func scanAddress(raw []byte) (a storedAddress, rest []byte, ok bool) {
	if raw, ok = bytes.CutPrefix(raw, []byte{'{'}); !ok {
		return a, nil, false
	}
	for {
		end := bytes.Index(raw, []byte(`":`))
		if end < 1 || raw[0] != '"' {
			return a, nil, false
		}
		size := valueSize(raw[end+2:])
		at := slices.Index(addressNames, string(raw[1:end]))
		if size == 0 || at < 0 || len(raw) <= end+2+size {
			return a, nil, false
		}
		a[at] = raw[end+2 : end+2+size]
		raw = raw[end+2+size:]
		if raw[0] == '}' {
			return a, raw[1:], true
		}
		raw = raw[1:]
	}
}

// valueSize is the length of the text or null that raw begins with.
func valueSize(raw []byte) int {
	if bytes.HasPrefix(raw, []byte("null")) {
		return len("null")
	}
	if len(raw) == 0 || raw[0] != '"' {
		return 0
	}
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

var addressShape = &shape[*storedAddress]{name: "Address", leaves: func() map[string]func([]byte, *storedAddress) []byte {
	leaves := map[string]func([]byte, *storedAddress) []byte{}
	for i, name := range addressNames {
		leaves[camel(name)] = func(b []byte, a *storedAddress) []byte { return append(b, a[i]...) }
	}
	return leaves
}()}

// address is a stored address, or null.
func address[T any](get func(T) document.Address) func(ast.SelectionSet) writer[T] {
	return func(set ast.SelectionSet) writer[T] {
		write := addressShape.compile(set)
		if write == nil {
			return nil
		}
		return func(b []byte, v T) ([]byte, error) {
			raw := get(v)
			if len(raw) == 0 {
				return append(b, "null"...), nil
			}
			a, rest, ok := scanAddress(raw)
			if !ok || len(rest) > 0 {
				return b, errUnplanned
			}
			return write(b, &a)
		}
	}
}

// addresses is a stored list of them.
func addresses[T any](get func(T) document.Addresses) func(ast.SelectionSet) writer[T] {
	return func(set ast.SelectionSet) writer[T] {
		write := addressShape.compile(set)
		if write == nil {
			return nil
		}
		return func(b []byte, v T) (_ []byte, err error) {
			raw, first := get(v), true
			b = append(b, '[')
			for ; len(raw) > len("[]"); first = false {
				a, rest, ok := scanAddress(raw[1:]) // behind the bracket or a comma
				if !ok || len(rest) == 0 {
					return b, errUnplanned
				}
				if !first {
					b = append(b, ',')
				}
				if b, err = write(b, &a); err != nil {
					return b, err
				}
				raw = rest
			}
			return append(b, ']'), nil
		}
	}
}

func integer[T any](get func(T) int64) func([]byte, T) []byte {
	return func(b []byte, v T) []byte { return strconv.AppendInt(b, get(v), 10) }
}

func text[T any](get func(T) string) func([]byte, T) []byte {
	return func(b []byte, v T) []byte { return wire.AppendString(b, get(v)) }
}

func enum[T any](get func(T) string) func([]byte, T) []byte {
	return func(b []byte, v T) []byte { return append(append(append(b, '"'), strings.ToUpper(get(v))...), '"') }
}

func ident[T any](k xid.Kind, get func(T) xid.ID) func([]byte, T) []byte {
	return func(b []byte, v T) []byte { return append(k.Append(append(b, '"'), get(v)), '"') }
}

func moment[T any](get func(T) micros.Time) func([]byte, T) []byte {
	return func(b []byte, v T) []byte { return append(get(v).Append(append(b, '"')), '"') }
}

// tags are stored as they are shown.
func tags[T any](get func(T) document.Tags) func([]byte, T) []byte {
	return func(b []byte, v T) []byte {
		if raw := get(v); len(raw) > 0 {
			return append(b, raw...)
		}
		return append(b, "[]"...)
	}
}

// optional writes null for nil.
func optional[T, V any](get func(T) *V, write func(func(*V) V) func([]byte, *V) []byte) func([]byte, T) []byte {
	value := write(func(v *V) V { return *v })
	return func(b []byte, v T) []byte {
		if p := get(v); p != nil {
			return value(b, p)
		}
		return append(b, "null"...)
	}
}

func integerOpt[T any](get func(T) *int64) func([]byte, T) []byte {
	return optional(get, integer[*int64])
}

func textOpt[T any](get func(T) *string) func([]byte, T) []byte { return optional(get, text[*string]) }

func momentOpt[T any](get func(T) *micros.Time) func([]byte, T) []byte {
	return optional(get, moment[*micros.Time])
}

func identOpt[T any](k xid.Kind, get func(T) *xid.ID) func([]byte, T) []byte {
	return optional(get, func(value func(*xid.ID) xid.ID) func([]byte, *xid.ID) []byte { return ident(k, value) })
}
