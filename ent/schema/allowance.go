package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
)

// Allowance is how much is left of a rate that all processes keep together, such as
// that of guesses at a password. Its key is the SHA-256 of what is bounded.
type Allowance struct{ ent.Schema }

// Fields implements ent.Interface.
func (Allowance) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", digest.Sum{}).SchemaType(bytes32).Immutable(),
		// full_at is when all of it is back: a row whose time has passed says nothing.
		field.Int64("full_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Interface.
func (Allowance) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("full_at"), // to forget what is full again
	}
}
