package model

import (
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/micros"
)

// moment marshals a time in RFC 3339.
type moment micros.Time

// MarshalGQL implements graphql.Marshaler.
func (m moment) MarshalGQL(w io.Writer) {
	w.Write(append(micros.Time(m).Append(append(available(w), '"')), '"'))
}

// MarshalTime marshals a time.
func MarshalTime(t micros.Time) graphql.Marshaler { return moment(t) }

// UnmarshalTime parses a time as [micros.Parse] does. Callers see its errors.
func UnmarshalTime(v any) (micros.Time, error) {
	s, _ := v.(string)
	t, err := micros.Parse(s)
	switch {
	case errors.Is(err, micros.ErrRange):
		return 0, errors.New("out of range: a time is of the years 1970 to 9999")
	case err != nil:
		return 0, errors.New("a time is a string in RFC 3339")
	}
	return t, nil
}
