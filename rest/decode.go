package rest

import (
	"slices"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// decode reads the body as an object of named members.
func (c *call) decode() (*wire.Reader, error) {
	v, err := c.body.Value()
	if err != nil {
		return nil, err
	}
	return wire.NewReader(v)
}

func (c *call) noMembers() error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	return r.Err()
}

// present adds a fault if a required member is missing. A member that was given but could not be
// read has its own fault already.
func present(faults []fault.Field, name string, there bool) []fault.Field {
	pointer := wire.Pointer(name)
	if there || slices.ContainsFunc(faults, func(f fault.Field) bool { return f.Pointer == pointer }) {
		return faults
	}
	return append(faults, fault.Field{Pointer: pointer, Code: fault.Required, Detail: "This member is required."})
}

func required[T any](faults []fault.Field, name string, value, into *T) []fault.Field {
	if value != nil {
		*into = *value
	}
	return present(faults, name, value != nil)
}

// choice reads a member that is one of the values of an enumeration. If it is absent, the current
// value stays.
func choice[T interface {
	~string
	Known() bool
}](faults []fault.Field, name string, text *string, into *T, detail string) []fault.Field {
	if text == nil {
		return faults
	}
	*into = T(*text)
	if (*into).Known() {
		return faults
	}
	return append(faults, fault.Field{Pointer: wire.Pointer(name), Code: fault.UnknownValue, Detail: detail})
}
