package shop

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// customFields returns the custom fields of a product as templates see them.
func customFields(o *storefront.Offer, t *phrase.Texts) []any {
	list := make([]any, len(o.Custom))
	for i, v := range o.Custom {
		text := customText(v, t)
		list[i] = map[string]any{"name": v.Name, "label": v.Label, "text": text, "href": nil}
		if v.Type == state.FieldURL {
			list[i].(map[string]any)["href"] = text
		}
	}
	return list
}

// customText returns a value in the language of the shop.
func customText(v storefront.CustomValue, t *phrase.Texts) string {
	var text string
	switch v.Type {
	case state.FieldBoolean:
		if string(v.Value) == "true" {
			return t.Say(phrase.Yes)
		}
		return t.Say(phrase.No)
	case state.FieldNumber:
		return strings.Replace(string(v.Value), ".", t.Point, 1)
	case state.FieldMoney:
		var a struct {
			Minor    int64  `json:"amount_minor"`
			Currency string `json:"currency"`
		}
		if json.Unmarshal(v.Value, &a) == nil {
			return t.Money(a.Minor, a.Currency)
		}
	case state.FieldList:
		var list []string
		if json.Unmarshal(v.Value, &list) == nil {
			return strings.Join(list, ", ")
		}
	}
	if json.Unmarshal(v.Value, &text) != nil {
		return ""
	}
	if day, err := time.Parse(time.DateOnly, text); v.Type == state.FieldDate && err == nil {
		return t.Date(day)
	}
	return text
}
