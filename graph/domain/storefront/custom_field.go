package storefront

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
)

// CustomValue is the value of a custom field that the shop shows.
type CustomValue struct {
	Name, Label string
	Type        state.CustomFieldType
	Value       json.RawMessage
}

// customValues returns the values of a product that visitors see, in the order in which their fields
// were defined. JSON is for programs and left out.
func (s Storefront) customValues(ctx context.Context, values document.CustomFields) ([]CustomValue, error) {
	all, err := values.Map()
	if err != nil {
		return nil, fmt.Errorf("custom fields of a product: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	fields, err := s.CustomFields(ctx, state.FieldsOfProducts)
	if err != nil {
		return nil, core.Explain("product", err)
	}
	var shown []*db.CustomField
	for name, f := range fields {
		if all[name] != nil && f.VisibleInShop && f.Type != state.FieldJSON {
			shown = append(shown, f)
		}
	}
	slices.SortFunc(shown, func(a, b *db.CustomField) int { return a.ID.Compare(b.ID) })
	return core.Map(shown, func(f *db.CustomField) CustomValue {
		return CustomValue{f.Name, f.Label, f.Type, all[f.Name]}
	}), nil
}
