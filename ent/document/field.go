package document

import (
	"encoding/json"
	"maps"
	"slices"
)

// CustomFields is a JSON object of the values of a record's custom fields, by name. It is absent if
// there are none.
type CustomFields []byte

// NewCustomFields encodes values, which are JSON, sorted by name; none gives an absent document.
func NewCustomFields(values map[string]json.RawMessage) CustomFields {
	if len(values) == 0 {
		return nil
	}
	b := CustomFields{'{'}
	for i, name := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, encode(name)...), ':')
		b = append(b, values[name]...)
	}
	return append(b, '}')
}

// Map decodes the values; an absent document has none.
func (f CustomFields) Map() (map[string]json.RawMessage, error) {
	return decode[map[string]json.RawMessage](f)
}
