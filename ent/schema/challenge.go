package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Challenge is a question that a person answers once: an emailed link, or a step of signing in. Its
// id is the SHA-256 of its token. Answering deletes it.
type Challenge struct{ ent.Schema }

// Fields implements ent.Interface.
func (Challenge) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32).Immutable(),
		// user_id is nil while the person is unknown.
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("purpose").GoType(state.ChallengePurpose("")).SchemaType(key(16)).Immutable(),
		// email is the address that the answer proves, in lower case.
		field.String("email").SchemaType(key(1020)).Optional().Nillable().Immutable(),
		// data is returned to the code that created the challenge.
		field.Bytes("data").SchemaType(blob).Optional().Immutable(),
		field.Int64("expires_at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Challenge) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("user_id", "purpose"),
		index.Fields("expires_at"),
	}
}
