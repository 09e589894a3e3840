package core

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
)

// given is a member of an update input: left out, null or a value.
type given[T any] interface{ ValueOK() (T, bool) }

// Given is a member that is not left out.
func Given[T any](v *T) graphql.Omittable[*T] { return graphql.OmittableOf(v) }

// MemberOf changes one member of an entity that cannot be null, when it is given
// and differs: in the entity in hand, in the update, and in the list of what
// changed.
func MemberOf[T comparable, U any](changed *[]string, v given[*T], name string, dst *T, write func(T) U) {
	if next, ok := v.ValueOK(); ok && next != nil && *next != *dst {
		*dst = *next
		write(*next)
		*changed = append(*changed, name)
	}
}

// MemberOpt is [MemberOf] for one that may be null.
func MemberOpt[T comparable, U any](
	changed *[]string, v given[*T], name string, dst **T, write func(T) U, empty func() U,
) {
	next, ok := v.ValueOK()
	switch {
	case !ok || next == nil && *dst == nil || next != nil && *dst != nil && *next == **dst:
		return
	case next == nil:
		empty()
	default:
		write(*next)
	}
	*dst = next
	*changed = append(*changed, name)
}

// MemberDoc is [MemberOf] for a document; an absent one is empty.
func MemberDoc[D ~[]byte, U any](
	changed *[]string, next D, given bool, name string, dst *D, write func(D) U, empty func() U,
) {
	switch {
	case !given || string(next) == string(*dst):
		return
	case len(next) == 0:
		empty()
	default:
		write(next)
	}
	*dst = next
	*changed = append(*changed, name)
}

// NotNull checks a member that may be left out but not null.
func NotNull[T any](c *Check, name string, v given[*T], f func(T)) {
	switch value, ok := v.ValueOK(); {
	case !ok:
	case value == nil:
		c.Add(name, fault.Required, "This member cannot be null.")
	default:
		f(*value)
	}
}

// Replace changes one member that is given and differs.
func Replace[T comparable, U any](changed *[]string, next *T, name string, dst *T, write func(T) U) {
	if next != nil && *next != *dst {
		*dst = *next
		write(*next)
		*changed = append(*changed, name)
	}
}
