// Package selection reduces the object of an event to the fields that an endpoint selects in
// GraphQL (contract, section 15). It reads the stored body, so that every attempt and replay sends
// the same bytes, in the version of the event and without a query.
package selection

import (
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Selection is a compiled selection: the fields of each type of object, by its name.
type Selection struct{ types map[string][]field }

// field is a selected member of an object.
type field struct {
	key    string // in the answer: the alias or the name
	member string // in the body; "" for __typename
	object string // the type of the objects below, "" for a leaf
	fields []field
	enum   bool
	empty  string // written instead of null, if the schema has no null there
}

// Covers reports whether the selection has fields of the object of an event.
func (s *Selection) Covers(t event.Type) bool { return len(s.types[typeOf(t)]) > 0 }

// Event returns the body of an event with the selected fields of its object. The selection must
// cover the event.
func (s *Selection) Event(t event.Type, body []byte) ([]byte, error) {
	name := typeOf(t)
	return wire.ReplaceObject(body, func(object []byte) ([]byte, error) {
		v, err := wire.Parse(object)
		if err != nil {
			return nil, err
		}
		return appendObject(make([]byte, 0, len(object)), v, name, s.types[name]), nil
	})
}

func appendObject(b []byte, v wire.Value, name string, fields []field) []byte {
	b = append(b, '{')
	for i := range fields {
		f := &fields[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, f.key), ':')
		if f.member == "" {
			b = wire.AppendString(b, name)
			continue
		}
		value, _ := v.Get(f.member)
		if value.Kind() == wire.NullKind && f.empty != "" {
			b = append(b, f.empty...)
			continue
		}
		b = appendValue(b, value, f)
	}
	return append(b, '}')
}

func appendValue(b []byte, v wire.Value, f *field) []byte {
	switch {
	case v.Kind() == wire.ArrayKind && (f.enum || f.object != ""):
		b = append(b, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, e, f)
		}
		return append(b, ']')
	case v.Kind() == wire.ObjectKind && f.object != "":
		return appendObject(b, v, f.object, f.fields)
	case v.Kind() == wire.StringKind && f.enum:
		return wire.AppendString(b, strings.ToUpper(v.Text()))
	}
	return wire.AppendCanonical(b, v)
}

// Missing returns the events of a list that the selection does not cover, and the types of their
// objects.
func (s *Selection) Missing(events []string) (names, types []string) {
	for _, name := range events {
		if t := event.Type(name); !s.Covers(t) {
			names, types = append(names, name), append(types, typeOf(t))
		}
	}
	slices.Sort(types)
	return names, slices.Compact(types)
}
