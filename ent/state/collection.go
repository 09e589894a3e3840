package state

import "slices"

// ConditionKind is what a condition of a collection's rule is about.
type ConditionKind string

// The values of [ConditionKind].
const (
	ConditionTag    ConditionKind = "tag"
	ConditionType   ConditionKind = "type"
	ConditionVendor ConditionKind = "vendor"
	ConditionPrice  ConditionKind = "price"
)

var allConditionKind = []ConditionKind{ConditionTag, ConditionType, ConditionVendor, ConditionPrice}

// Known reports whether v is a value of the enumeration.
func (v ConditionKind) Known() bool { return slices.Contains(allConditionKind, v) }
