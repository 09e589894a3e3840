package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// AccountEvent is an entry of a person's own log: what happened to their account, with the IP
// address and the user agent.
type AccountEvent struct{ ent.Schema }

// Fields implements ent.Interface.
func (AccountEvent) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		field.String("action").GoType(state.AccountAction("")).SchemaType(key(32)).Immutable(),
		field.String("address").SchemaType(key(45)).Optional().Nillable().Immutable(),
		field.String("agent").MaxRuneLen(255).Optional().Nillable().Immutable(),
		// detail is a short text, such as the name of a factor.
		field.String("detail").MaxRuneLen(255).Optional().Nillable().Immutable(),
	}
}

// Indexes implements ent.Interface.
func (AccountEvent) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("user_id", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("id"), // for deleting old rows
	}
}
