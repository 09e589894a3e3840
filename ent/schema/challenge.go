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

// Challenge is what a person answers once, by the SHA-256 of its token: a mailed
// link, or a step on the way into their account. Answering deletes it.
type Challenge struct{ ent.Schema }

// Fields implements ent.Interface.
func (Challenge) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32).Immutable(),
		// user_id is nil where it is not known yet who answers.
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("purpose").GoType(state.ChallengePurpose("")).SchemaType(key(16)).Immutable(),
		// email is the address that the answer proves, in lower case.
		field.String("email").SchemaType(key(1020)).Optional().Nillable().Immutable(),
		// data is what the one who asked wants to know again.
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
