package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unsafe"
)

// members are the names of an address's members as written by [NewAddress].
var members = [...][]byte{
	[]byte(`{"name":`), []byte(`,"company":`), []byte(`,"line1":`), []byte(`,"line2":`), []byte(`,"city":`),
	[]byte(`,"region":`), []byte(`,"postal_code":`), []byte(`,"country":`), []byte(`,"phone":`),
}

var null, comma = []byte("null"), []byte(",")

// Members calls visit with the values of an address, in the order of [AddressFields]; absent values
// are nil. It reads the form that [NewAddress] writes, without decoding, and fails on any other. If
// possible, a value is a subslice of the document.
func (a Address) Members(visit func(value []byte)) error {
	rest := []byte(a)
	for _, name := range members {
		var ok bool
		if rest, ok = bytes.CutPrefix(rest, name); !ok {
			return fmt.Errorf("address: %s is in the wrong place", name)
		}
		var value []byte
		var err error
		if value, rest, err = member(rest); err != nil {
			return err
		}
		visit(value)
	}
	if len(rest) != 1 || rest[0] != '}' {
		return fmt.Errorf("address: %d bytes are left", len(rest))
	}
	return nil
}

// AddressTexts are the members of an address in the order of [AddressFields].
type AddressTexts struct {
	texts [len(members)]string
	given [len(members)]bool
}

// At returns member i, or nil.
func (t *AddressTexts) At(i int) *string {
	if t.given[i] {
		return &t.texts[i]
	}
	return nil
}

// Read reads the form that [NewAddress] writes, at a fraction of the cost of decoding. It reports
// whether the address has that form and all required members.
func (t *AddressTexts) Read(a Address) bool {
	i := 0
	err := a.Members(func(value []byte) {
		if t.given[i] = value != nil; t.given[i] {
			t.texts[i] = textOf(value)
		}
		i++
	})
	return err == nil && t.given[2] && t.given[4] && t.given[7]
}

// fields returns the result of [AddressTexts.Read]; nil for any other form.
func (a Address) fields() *AddressFields {
	// One allocation for the members and the texts that they point to.
	var in struct {
		AddressFields
		AddressTexts
	}
	if !in.Read(a) {
		return nil
	}
	in.AddressFields = AddressFields{in.At(0), in.At(1), in.texts[2], in.At(3), in.texts[4], in.At(5), in.At(6),
		in.texts[7], in.At(8)}
	return &in.AddressFields
}

// texts reads a list of strings in the form that [NewTags] writes; nil for any other form.
func texts(list []byte) []string {
	if len(list) < 2 || list[0] != '[' {
		return nil
	}
	all := make([]string, 0, 1+bytes.Count(list, comma))
	for rest := list; ; {
		value, next, err := member(rest[1:])
		if err != nil || value == nil || len(next) == 0 {
			return nil
		}
		all = append(all, textOf(value))
		switch rest = next; {
		case rest[0] == ',':
		case rest[0] == ']' && len(rest) == 1:
			return all
		default:
			return nil
		}
	}
}

// textOf returns a part of a document as a string that shares its bytes.
func textOf(part []byte) string {
	return unsafe.String(unsafe.SliceData(part), len(part)) //nolint:gosec // documents are never modified
}

// member reads a string or null.
func member(b []byte) (value, rest []byte, err error) {
	if rest, ok := bytes.CutPrefix(b, null); ok {
		return nil, rest, nil
	}
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, fmt.Errorf("address: a value is not a text")
	}
	escaped := false
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			if !escaped {
				return b[1:i], b[i+1:], nil
			}
			var s string
			if err := json.Unmarshal(b[:i+1], &s); err != nil {
				return nil, nil, fmt.Errorf("address: %w", err)
			}
			return []byte(s), b[i+1:], nil
		}
	}
	return nil, nil, fmt.Errorf("address: a text does not end")
}
