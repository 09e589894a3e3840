package model

import (
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/graph/lib/wire"
)

// text writes a string as REST does. The library's own marshaler looks at each
// character by itself; most of an answer is text.
type text string

// MarshalGQL implements graphql.Marshaler.
func (t text) MarshalGQL(w io.Writer) { w.Write(AppendText(room(w), string(t))) }

// AppendText appends a string.
func AppendText(b []byte, v string) []byte { return wire.AppendString(b, v) }

// MarshalText writes a string.
func MarshalText(v string) graphql.Marshaler { return text(v) }

// UnmarshalText takes a string.
func UnmarshalText(v any) (string, error) { return graphql.UnmarshalString(v) }

// MarshalID writes an id.
func MarshalID(v string) graphql.Marshaler { return text(v) }

// UnmarshalID takes an id: a string, or a number as the specification wants it,
// which is then the id of nothing.
func UnmarshalID(v any) (string, error) { return graphql.UnmarshalID(v) }

// room is the free room of the buffer that answers are written into: what is
// appended to it and then written is not copied and needs no allocation.
func room(w io.Writer) []byte {
	if b, ok := w.(interface{ AvailableBuffer() []byte }); ok {
		return b.AvailableBuffer()
	}
	return nil
}
