// Package model holds the types of the GraphQL schema: entities with the data that a page of them
// shares, scalars and, generated, the inputs.
package model

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/graph/lib/wire"
)

// MarshalMoney writes an amount in minor units.
func MarshalMoney(v int64) graphql.Marshaler { return MarshalLong(v) }

// UnmarshalMoney parses an amount in minor units. Resolvers check its range, so that the answer can
// name the member.
func UnmarshalMoney(v any) (int64, error) { return UnmarshalLong(v) }

// MarshalLong writes a whole number.
func MarshalLong(v int64) graphql.Marshaler { return long(v) }

type long int64

// MarshalGQL implements graphql.Marshaler.
func (v long) MarshalGQL(w io.Writer) { w.Write(strconv.AppendInt(available(w), int64(v), 10)) }

// UnmarshalLong parses a JSON number by its value, as REST does: 1.0 and 1e3 are integers, 1.5 and
// "15" are not.
func UnmarshalLong(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case int:
		return int64(v), nil
	case float64: // a literal such as 1.0 or 1e3
		if v == math.Trunc(v) && math.Abs(v) <= wire.MaxInt {
			return int64(v), nil
		}
		return 0, fmt.Errorf("not a whole number of up to 53 bits")
	case json.Number:
		if number, err := wire.Parse([]byte(v)); err == nil {
			if n, code := number.Int(); code == "" {
				return n, nil
			}
		}
		return 0, fmt.Errorf("not a whole number of up to 53 bits")
	}
	return 0, fmt.Errorf("not a number")
}

// Some returns a member of an update input with the value v.
func Some[T any](v T) graphql.Omittable[*T] { return graphql.OmittableOf(&v) }

// GivenIf returns a value, or an omitted one.
func GivenIf[T any](given bool, v T) graphql.Omittable[T] {
	if !given {
		return graphql.Omittable[T]{}
	}
	return graphql.OmittableOf(v)
}

// Given returns a nullable or list member of an update input that is not omitted.
func Given[T any](v T) graphql.Omittable[T] { return graphql.OmittableOf(v) }
