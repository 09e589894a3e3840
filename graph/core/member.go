package core

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
)

// given is a member of an update input: omitted, null or a value.
type given[T any] interface{ ValueOK() (T, bool) }

// Given returns a member that is not omitted.
func Given[T any](v *T) graphql.Omittable[*T] { return graphql.OmittableOf(v) }

// MemberOf changes one member that cannot be null, if it is given and differs: in the loaded
// entity, in the update, and in the list of changed members.
func MemberOf[T comparable, U any](changed *[]string, v given[*T], name string, dst *T, write func(T) U) {
	if next, ok := v.ValueOK(); ok {
		Replace(changed, next, name, dst, write)
	}
}

// MemberOpt is [MemberOf] for a nullable member.
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

// MemberDoc is [MemberOf] for a document; null becomes empty.
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

// NotNull checks a member that may be omitted but not null.
func NotNull[T any](c *Check, name string, v given[*T], f func(T)) {
	switch value, ok := v.ValueOK(); {
	case !ok:
	case value == nil:
		c.Add(name, fault.Required, "This member cannot be null.")
	default:
		f(*value)
	}
}

// Replace changes one member if next is given and differs.
func Replace[T comparable, U any](changed *[]string, next *T, name string, dst *T, write func(T) U) {
	if next != nil && *next != *dst {
		*dst = *next
		write(*next)
		*changed = append(*changed, name)
	}
}
