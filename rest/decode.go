package rest

import (
	"errors"
	"net/http"
	"slices"
	"strings"

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
	c.keep(r.Fields())
	return nil
}

// keep notes what is wrong with the form of the body. The handler goes on, so that the operation
// finds the other faults; [call.judged] then refuses the request in any case.
func (c *call) keep(faults []fault.Field) { c.faults = append(c.faults, faults...) }

// judged returns all faults of a body in one error: those of its form, and then those that the
// operation found in the members that could be read. The transaction rolls back what it wrote. A
// refusal of another kind comes after them (contract, section 2).
func (c *call) judged(err error) error {
	f, known := errors.AsType[*fault.Error](err)
	if len(c.faults) == 0 || err != nil && (!known || wire.StatusOf(f) >= http.StatusInternalServerError) {
		return err
	}
	all := slices.Clone(c.faults)
	if known && f.Kind == fault.ValidationFailed {
		for _, found := range f.Fields {
			if !slices.ContainsFunc(c.faults, func(form fault.Field) bool { return explains(form, found) }) {
				all = append(all, found)
			}
		}
	}
	return fault.Invalid(all...)
}

// explains reports whether a fault of the form may be the cause of one that an operation found. The
// operation saw a member that could not be read as absent, and may have missed it beside it in an
// element of a list. If an element is not an object, it counted the other objects wrongly.
func explains(form, found fault.Field) bool {
	if form.Pointer == found.Pointer || form.Code == fault.UnknownMember {
		return form.Pointer == found.Pointer
	}
	if strings.HasPrefix(form.Pointer, "#/options") && strings.HasPrefix(found.Pointer, "#/variants") {
		return true // variants have a value for each option of their product
	}
	around, last := cut(form.Pointer)
	_, element := cut(around)
	return strings.HasPrefix(found.Pointer, form.Pointer+"/") ||
		isIndex(last) && strings.Contains(strings.TrimPrefix(found.Pointer, around+"/"), "/") &&
			strings.HasPrefix(found.Pointer, around+"/") ||
		isIndex(element) && found.Code == fault.Required && strings.HasPrefix(found.Pointer, around+"/")
}

// cut returns the pointer to the object or list around a member, and the member's name.
func cut(pointer string) (around, name string) {
	i := max(strings.LastIndexByte(pointer, '/'), 0)
	return pointer[:i], strings.TrimPrefix(pointer[i:], "/")
}

func isIndex(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

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
