package model

import "github.com/storefront-go/storefront/ent/fault"

// Decoded is the part of an input that says what a facade found wrong while it
// decoded the rest. The check of the input begins with it, so that one answer
// names both kinds of errors. GraphQL, whose inputs fit their types when they get
// here, leaves it empty.
type Decoded struct{ faults []fault.Field }

// NewDecoded is the part of an input with these faults.
func NewDecoded(faults []fault.Field) Decoded { return Decoded{faults} }

// Faults returns what was found wrong; they are not to be written to.
func (d Decoded) Faults() []fault.Field { return d.faults }
