package model

import (
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/micros"
)

// moment writes a time in RFC 3339.
type moment micros.Time

// MarshalGQL implements graphql.Marshaler.
func (m moment) MarshalGQL(w io.Writer) {
	w.Write(append(micros.Time(m).Append(append(room(w), '"')), '"'))
}

// MarshalTime writes a time.
func MarshalTime(t micros.Time) graphql.Marshaler { return moment(t) }

// UnmarshalTime takes a time as [micros.Parse] does.
func UnmarshalTime(v any) (micros.Time, error) {
	s, ok := v.(string)
	if !ok {
		return 0, errors.New("a time is a string in RFC 3339")
	}
	return micros.Parse(s)
}
