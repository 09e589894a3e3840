package model

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/document"
)

// MarshalCustomFieldValues writes the values of custom fields.
func MarshalCustomFieldValues(v document.CustomFields) graphql.Marshaler { return customFields(v) }

type customFields document.CustomFields

// MarshalGQL implements graphql.Marshaler.
func (v customFields) MarshalGQL(w io.Writer) { w.Write(v) }

// UnmarshalCustomFieldValues returns an object as JSON. Its values are checked where they are merged
// into those of a record.
func UnmarshalCustomFieldValues(v any) (document.CustomFields, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	return json.Marshal(object)
}
