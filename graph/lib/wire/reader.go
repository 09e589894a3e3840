package wire

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
)

// maxFields is how many errors one answer lists.
const maxFields = 100

// maxName is the longest unknown name, in bytes, that an answer repeats. For a longer name, the
// pointer ends at the surrounding object.
const maxName = 255

// Reader reads the members of a request object by name and type and collects the errors. A getter
// returns nil if the member is absent, null or of the wrong type; only the last is an error. The
// resolver checks whether a member is required, and its length and size.
//
// Ask for every member once, then call [Reader.Fields].
type Reader struct {
	value Value
	at    string // pointer to the object
	asked []string
	inner []*Reader
	found *found
}

// found is shared by a reader and the readers of nested objects.
type found struct {
	root *Reader
	list []finding
}

type finding struct {
	at uint32 // in the source, to sort the errors
	fault.Field
}

// NewReader returns a reader of a body's members. A body that is not an object is a
// ValidationFailed error with the pointer "#".
func NewReader(v Value) (*Reader, error) {
	if v.Kind() != ObjectKind {
		return nil, fault.Invalid(fault.Field{
			Pointer: Pointer(), Code: fault.InvalidType, Detail: "The body must be a JSON object.",
		})
	}
	r := &Reader{value: v, at: Pointer(), found: &found{}}
	r.found.root = r
	return r, nil
}

// Skip marks all members as known.
func (r *Reader) Skip() {
	for name := range r.value.Members() {
		r.asked = append(r.asked, name)
	}
}

// Given reports whether a member is there, even if it is null.
func (r *Reader) Given(name string) bool {
	_, ok := r.value.Get(name)
	return ok
}

// take marks a member as known and returns it, false if absent or null.
func (r *Reader) take(name string) (Value, bool) {
	r.asked = append(r.asked, name)
	v, ok := r.value.Get(name)
	return v, ok && v.Kind() != NullKind
}

// typed is take for a member of one kind. It records an error for any other kind.
func (r *Reader) typed(name string, k Kind, detail string) (Value, bool) {
	v, ok := r.take(name)
	if ok && v.Kind() != k {
		r.add(v.i, join(r.at, name), fault.InvalidType, detail)
		return Value{}, false
	}
	return v, ok
}

// add records an error at the node i.
func (r *Reader) add(i uint32, pointer, code, detail string) {
	if len(r.found.list) < maxFields {
		r.found.list = append(r.found.list, finding{
			r.value.doc.nodes[i].at, fault.Field{Pointer: pointer, Code: code, Detail: detail},
		})
	}
}

// String returns a string member.
func (r *Reader) String(name string) *string {
	v, ok := r.typed(name, StringKind, "Must be a string.")
	if !ok {
		return nil
	}
	return new(v.Text())
}

// Int returns an integer member; see [Value.Int].
func (r *Reader) Int(name string) *int64 {
	v, ok := r.take(name)
	if !ok {
		return nil
	}
	n, code := v.Int()
	switch code {
	case "":
		return &n
	case fault.OutOfRange:
		r.add(v.i, join(r.at, name), code, "Must be between -9007199254740991 and 9007199254740991.")
	default:
		r.add(v.i, join(r.at, name), code, "Must be an integer.")
	}
	return nil
}

// Bool returns a boolean member.
func (r *Reader) Bool(name string) *bool {
	v, ok := r.typed(name, BoolKind, "Must be true or false.")
	if !ok {
		return nil
	}
	return new(v.Bool())
}

// Time returns a member that holds an RFC 3339 time, to the microsecond.
func (r *Reader) Time(name string) *micros.Time {
	v, ok := r.typed(name, StringKind, "Must be a string that holds an RFC 3339 time.")
	if !ok {
		return nil
	}
	t, err := micros.Parse(v.Text())
	if errors.Is(err, micros.ErrRange) {
		r.add(v.i, join(r.at, name), fault.OutOfRange, "Must be a time of the years 1970 to 9999.")
		return nil
	}
	if err != nil {
		r.add(v.i, join(r.at, name), fault.InvalidFormat, "Must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.")
		return nil
	}
	return &t
}

// HasStrings reports whether a member is an array that begins with a string.
func (r *Reader) HasStrings(name string) bool {
	v, ok := r.value.Get(name)
	if !ok || v.Kind() != ArrayKind {
		return false
	}
	for _, e := range v.Elements() {
		return e.Kind() == StringKind
	}
	return false
}

// Strings returns a member that is an array of strings, nil only if it is absent or not an array.
// For an element of another type it records an error and returns "", so that the others keep their
// index.
func (r *Reader) Strings(name string) []string {
	v, ok := r.typed(name, ArrayKind, "Must be an array of strings.")
	if !ok {
		return nil
	}
	list := make([]string, 0, v.Len())
	for i, e := range v.Elements() {
		if e.Kind() != StringKind && len(r.found.list) < maxFields {
			r.add(e.i, join(join(r.at, name), strconv.Itoa(i)), fault.InvalidType, "Must be a string.")
		}
		text := ""
		if e.Kind() == StringKind {
			text = e.Text()
		}
		list = append(list, text)
	}
	return list
}

// Object returns the reader of a nested object. Its errors are part of the same answer.
func (r *Reader) Object(name string) *Reader {
	v, ok := r.typed(name, ObjectKind, "Must be an object.")
	if !ok {
		return nil
	}
	inner := &Reader{value: v, at: join(r.at, name), found: r.found}
	r.inner = append(r.inner, inner)
	return inner
}

// JSON returns the canonical text of a member that is an object, whatever its members are.
func (r *Reader) JSON(name string) []byte {
	v, ok := r.typed(name, ObjectKind, "Must be an object.")
	if !ok {
		return nil
	}
	return AppendCanonical(nil, v)
}

// Array returns a member that is an array of objects, each with its index; ok reports whether it
// exists. For an element that is not an object it records an error and leaves it out. The reader of
// an element is valid during its iteration. At the end of that, members that were not asked for are
// recorded.
func (r *Reader) Array(name string) (objects iter.Seq2[int, *Reader], ok bool) {
	v, ok := r.typed(name, ArrayKind, "Must be an array of objects.")
	if !ok {
		return func(func(int, *Reader) bool) {}, false
	}
	return func(yield func(int, *Reader) bool) {
		for i, e := range v.Elements() {
			at := join(join(r.at, name), strconv.Itoa(i))
			if e.Kind() != ObjectKind {
				r.add(e.i, at, fault.InvalidType, "Must be an object.")
				continue
			}
			element := &Reader{value: e, at: at, found: r.found}
			more := yield(i, element)
			element.unknown()
			if !more {
				return
			}
		}
	}, true
}

// unknown records the members that were not asked for, here and in nested objects.
func (r *Reader) unknown() {
	for i := range r.value.names() {
		if len(r.found.list) >= maxFields {
			return
		}
		name := r.value.doc.bytes(i)
		if slices.Contains(r.asked, string(name)) {
			continue
		}
		if len(name) > maxName {
			r.add(i, r.at, fault.UnknownMember, "Has an unknown member with a long name.")
			continue
		}
		r.add(i, join(r.at, string(name)), fault.UnknownMember, "Is not known here.")
	}
	for _, inner := range r.inner {
		inner.unknown()
	}
}

// Err returns the errors of [Reader.Fields] as one, or nil.
func (r *Reader) Err() error {
	if faults := r.Fields(); len(faults) > 0 {
		return fault.Invalid(faults...)
	}
	return nil
}

// Fields returns all errors in the body, in the order of its text, including members that were not
// asked for, at most 100. It ends the reading; further calls return the same.
func (r *Reader) Fields() []fault.Field {
	if root := r.found.root; root != nil {
		root.unknown()
		r.found.root = nil
		slices.SortStableFunc(r.found.list, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
	}
	fields := make([]fault.Field, 0, len(r.found.list))
	for _, f := range r.found.list {
		fields = append(fields, f.Field)
	}
	return fields
}
