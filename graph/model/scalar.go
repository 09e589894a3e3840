// Package model holds the types that GraphQL shows and takes: the entities with
// what a page of them shares, the scalars and, generated, the inputs.
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

// UnmarshalMoney takes an amount in minor units; its range is the resolver's to
// judge, so that the answer can name the member.
func UnmarshalMoney(v any) (int64, error) { return UnmarshalLong(v) }

// MarshalLong writes a whole number.
func MarshalLong(v int64) graphql.Marshaler { return long(v) }

type long int64

// MarshalGQL implements graphql.Marshaler.
func (v long) MarshalGQL(w io.Writer) { w.Write(strconv.AppendInt(room(w), int64(v), 10)) }

// UnmarshalLong takes a JSON number by its value, as REST does: 1.0 and 1e3 are
// integers, 1.5 and "15" are not.
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

// Some is a member of an update input that was given.
func Some[T any](v T) graphql.Omittable[*T] { return graphql.OmittableOf(&v) }

// Given makes a member that is given as it stands: a list, or null.
func Given[T any](v T) graphql.Omittable[T] { return graphql.OmittableOf(v) }
