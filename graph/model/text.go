package model

import (
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/graph/lib/wire"
)

// text marshals a string as REST does. The library's marshaler handles each character separately,
// which is slow, and most of an answer is text.
type text string

// MarshalGQL implements graphql.Marshaler.
func (t text) MarshalGQL(w io.Writer) { w.Write(AppendText(available(w), string(t))) }

// AppendText appends a string as JSON.
func AppendText(b []byte, v string) []byte { return wire.AppendString(b, v) }

// MarshalText marshals a string.
func MarshalText(v string) graphql.Marshaler { return text(v) }

// UnmarshalText parses a string.
func UnmarshalText(v any) (string, error) { return graphql.UnmarshalString(v) }

// MarshalID marshals an id.
func MarshalID(v string) graphql.Marshaler { return text(v) }

// UnmarshalID parses an id: a string, or a number as the specification requires, which no resource
// has as its id.
func UnmarshalID(v any) (string, error) { return graphql.UnmarshalID(v) }

// available returns the unused capacity of the buffer for answers. Bytes that are appended to it
// and then written are neither copied nor allocated.
func available(w io.Writer) []byte {
	if b, ok := w.(interface{ AvailableBuffer() []byte }); ok {
		return b.AvailableBuffer()
	}
	return nil
}
