package document

import "github.com/storefront-go/storefront/ent/state"

// Rule is a JSON object of [RuleFields].
type Rule []byte

// RuleFields say which products are in a collection.
type RuleFields struct {
	// Any says that one of the conditions is enough; else all have to hold.
	Any        bool        `json:"any"`
	Conditions []Condition `json:"conditions"`
	// InStock leaves out what is sold out, whatever the conditions say.
	InStock bool `json:"in_stock"`
}

// Condition is a condition on a product: a text of it, or bounds of its price, which
// are inclusive.
type Condition struct {
	Kind state.ConditionKind `json:"kind"`
	Text string              `json:"text,omitempty"`
	// LeastMinor and MostMinor bound the price; nil binds nothing.
	LeastMinor *int64 `json:"least_minor,omitempty"`
	MostMinor  *int64 `json:"most_minor,omitempty"`
}

// NewRule encodes a rule; nil gives an absent document.
func NewRule(r *RuleFields) Rule {
	if r == nil {
		return nil
	}
	return encode(r)
}

// Fields decodes the rule; an absent document is a rule without conditions.
func (r Rule) Fields() (RuleFields, error) { return decode[RuleFields](r) }
