package csvcell

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
)

// Prefixes of the columns of custom fields. The name of the field follows.
const (
	FieldPrefix        = "custom_fields."
	VariantFieldPrefix = "variant_custom_fields."
)

// Heading returns the heading of the column of a custom field.
func Heading(owner state.CustomFieldOwner, name string) string {
	if owner == state.FieldsOfVariants {
		return VariantFieldPrefix + name
	}
	return FieldPrefix + name
}

type money struct {
	AmountMinor int64  `json:"amount_minor"`
	Currency    string `json:"currency"`
}

// Field returns the cell of the stored value of a custom field: a text as it is, an amount of money as
// 1999 EUR, and other values as JSON. The cell of an absent value is empty.
func Field(t state.CustomFieldType, value json.RawMessage) string {
	var text string
	var amount money
	switch {
	case len(value) == 0:
		return ""
	case t == state.FieldMoney && json.Unmarshal(value, &amount) == nil:
		return strconv.FormatInt(amount.AmountMinor, 10) + " " + amount.Currency
	case json.Unmarshal(value, &text) == nil && value[0] == '"':
		return text
	}
	return string(value)
}

// Value returns the value of a custom field that a cell which is not empty holds. Lists may also be
// texts that commas separate. The value of a cell that its type does not fit is a text, which the check of
// the field refuses.
func Value(t state.CustomFieldType, cell string) json.RawMessage {
	trimmed := strings.TrimSpace(cell)
	switch t {
	case state.FieldText:
		trimmed = cell
	case state.FieldNumber, state.FieldJSON:
		if json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	case state.FieldBoolean:
		if lower := strings.ToLower(trimmed); lower == "true" || lower == "false" {
			return json.RawMessage(lower)
		}
	case state.FieldMoney:
		amount, code, _ := strings.Cut(trimmed, " ")
		if minor, err := strconv.ParseInt(amount, 10, 64); err == nil {
			return fmt.Appendf(nil, `{"amount_minor":%d,"currency":%s}`, minor, quoted(code))
		}
	case state.FieldList:
		return list(trimmed)
	}
	return quoted(trimmed)
}

func list(text string) json.RawMessage {
	if strings.HasPrefix(text, "[") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	doc, _ := json.Marshal(parts) //nolint:errchkjson // strings always encode
	return doc
}

func quoted(text string) json.RawMessage {
	doc, _ := json.Marshal(text) //nolint:errchkjson // strings always encode
	return doc
}

// Fields returns the cell of the values of a product's variants, in their order: a list in JSON, in which
// an absent value is null. It is empty if all are absent.
func Fields(values []json.RawMessage) string {
	b, some := []byte{'['}, false
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if len(v) == 0 {
			b = append(b, "null"...)
			continue
		}
		b, some = append(b, v...), true
	}
	if !some {
		return ""
	}
	return string(append(b, ']'))
}
