package document

import "github.com/storefront-go/storefront/ent/state"

// CollectionRule is a JSON object of [CollectionRuleFields].
type CollectionRule []byte

// CollectionRuleFields say which products are in a collection: active ones that meet the
// conditions.
type CollectionRuleFields struct {
	// Any says that one of the conditions is enough.
	Any        bool                  `json:"any"`
	Conditions []CollectionCondition `json:"conditions"`
	// InStock leaves out what is sold out at the moment.
	InStock bool `json:"in_stock"`
}

// CollectionCondition is met by products that have a text, whatever its case and accents,
// or a price between two, both inclusive.
type CollectionCondition struct {
	Field state.CollectionField `json:"field"`
	Text  *string               `json:"text,omitempty"`
	// LeastMinor and MostMinor are those of a price; nil binds nothing.
	LeastMinor *int64 `json:"least_minor,omitempty"`
	MostMinor  *int64 `json:"most_minor,omitempty"`
}

// NewCollectionRule encodes a rule.
func NewCollectionRule(r CollectionRuleFields) CollectionRule { return encode(r) }

// Fields decodes the rule; an absent document has no condition.
func (r CollectionRule) Fields() (CollectionRuleFields, error) {
	return decode[CollectionRuleFields](r)
}
