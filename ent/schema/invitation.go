package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Invitation asks a person to join a store (contract, section 12). Only the hash of its link is
// stored, in the directory of credentials.
type Invitation struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Invitation) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Invitation}}
}

// Fields implements ent.Interface.
func (Invitation) Fields() []ent.Field {
	return []ent.Field{
		// email is in lower case; pending repeats it until the invitation ends, so that a store has
		// at most one pending invitation for each address.
		field.String("email").SchemaType(key(1020)).Immutable(),
		field.String("pending").SchemaType(key(1020)).Optional().Nillable(),
		field.String("role").GoType(viewer.Role("")).SchemaType(key(16)).Immutable(),
		// inviter_id is the inviting person; null for the operator.
		field.UUID("inviter_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable().
			Annotations(Kind{xid.User}),
		field.String("inviter_name").MaxRuneLen(255).Immutable(),
		// mailed says that the link was sent only by email, so it proves the address.
		field.Bool("mailed").Default(false),
		field.Int64("expires_at").GoType(micros.Time(0)),
		field.String("outcome").GoType(state.InvitationOutcome("")).SchemaType(key(16)).Optional().Nillable(),
		field.Int64("ended_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Invitation) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "pending").Unique(),
	}
}
