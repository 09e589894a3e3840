package model

import "github.com/storefront-go/storefront/ent/fault"

// Decoded is the part of an input with the faults that a facade found while it decoded the rest.
// The check of the input starts with them, so that one answer reports both. It is empty for
// GraphQL, whose inputs already have the right types.
type Decoded struct{ faults []fault.Field }

// NewDecoded returns the part with the faults.
func NewDecoded(faults []fault.Field) Decoded { return Decoded{faults} }

// Faults returns the faults. Callers must not modify them.
func (d Decoded) Faults() []fault.Field { return d.faults }
