package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
)

// Allowance is the state of a rate limit that all processes share, such as the limit on password
// guesses. Its key is the SHA-256 of what is limited.
type Allowance struct{ ent.Schema }

// Fields implements ent.Interface.
func (Allowance) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", digest.Sum{}).SchemaType(bytes32).Immutable(),
		// full_at is when the whole allowance is available again; after that time the row has no
		// meaning.
		field.Int64("full_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Interface.
func (Allowance) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("full_at"), // for deleting expired rows
	}
}
