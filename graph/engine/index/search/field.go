package search

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// OfVariants begins the name of a custom field of variants in the terms of their products.
const OfVariants = "variant:"

// FieldTerms returns the terms of the stored value of a custom field, one for each entry of a list. No
// text contains them. Case, accents and surrounding space of texts make no difference.
func FieldTerms(name string, value json.RawMessage) (list []string) {
	for _, text := range textsOf(value) {
		sum := digest.Of([]byte(name + "\x00" + strings.TrimSpace(listings.Fold(text))))
		list = append(list, "\x02"+hex.EncodeToString(sum[:16]))
	}
	return list
}

// textsOf returns the entries of a list, or the one text of another value.
func textsOf(value json.RawMessage) []string {
	var list []string
	var text string
	if json.Unmarshal(value, &list) == nil {
		return list
	}
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	return []string{text}
}

// fieldsOf returns a function that adds the terms of custom fields to those of an item: of the
// filterable ones, and the words of texts among them. It reads the fields if a document has values.
func (r reader) fieldsOf(
	ctx context.Context, owner state.CustomFieldOwner,
) func(t terms, k Kind, personal bool, values document.CustomFields) error {
	var filterable map[string]state.CustomFieldType
	prefix := ""
	if owner == state.FieldsOfVariants {
		prefix = OfVariants
	}
	return func(t terms, k Kind, personal bool, values document.CustomFields) error {
		if len(values) == 0 {
			return nil
		}
		if filterable == nil {
			query := r.client.CustomField.Query().Where(customfield.OwnerEQ(owner), customfield.Filterable(true))
			query.Modify(ent.ForceIndex("customfield_store_id_owner_name"))
			rows, err := query.Load(ctx)
			if err != nil {
				return fmt.Errorf("read filterable fields: %w", err)
			}
			filterable = map[string]state.CustomFieldType{}
			for _, f := range rows {
				filterable[f.Name] = f.Type
			}
		}
		all, err := values.Map()
		if err != nil {
			return fmt.Errorf("custom fields: %w", err)
		}
		for name, kind := range filterable {
			if value := all[name]; value != nil {
				t.field(k, personal, prefix+name, kind, value)
			}
		}
		return nil
	}
}

// field adds the terms of a value. Like those of tags, the terms of whole values are not bounded.
func (t terms) field(k Kind, personal bool, name string, kind state.CustomFieldType, value json.RawMessage) {
	for _, term := range FieldTerms(name, value) {
		t[string(k)+term] = personal
	}
	if kind != state.FieldText && kind != state.FieldList {
		return
	}
	var words []string
	for _, text := range textsOf(value) {
		words = append(words, listings.Terms(text)...)
	}
	t.add(k, personal, words[:min(len(words), maxNames)]...)
}
