package document

import "github.com/storefront-go/storefront/ent/state"

// CollectionRule is a JSON object of [CollectionRuleFields].
type CollectionRule []byte

// CollectionRuleFields select the products of a collection: active products that meet the
// conditions.
type CollectionRuleFields struct {
	// Any says that one of the conditions suffices.
	Any        bool                  `json:"any"`
	Conditions []CollectionCondition `json:"conditions"`
	// InStock excludes products that are sold out at the moment.
	InStock bool `json:"in_stock"`
}

// CollectionCondition matches products by a text, ignoring case and accents, or by a price range
// with inclusive bounds.
type CollectionCondition struct {
	Field state.CollectionField `json:"field"`
	Text  *string               `json:"text,omitempty"`
	// LeastMinor and MostMinor bound a price; nil means no bound.
	LeastMinor *int64 `json:"least_minor,omitempty"`
	MostMinor  *int64 `json:"most_minor,omitempty"`
}

// NewCollectionRule encodes a rule.
func NewCollectionRule(r CollectionRuleFields) CollectionRule { return encode(r) }

// Fields decodes the rule; an absent document has no condition.
func (r CollectionRule) Fields() (CollectionRuleFields, error) {
	return decode[CollectionRuleFields](r)
}
