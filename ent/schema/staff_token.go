package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// StaffToken is a bearer token of a person in one store, for dashboards and scripts.
type StaffToken struct{ ent.Schema }

// Mixin implements ent.Interface.
func (StaffToken) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Token}}
}

// Fields implements ent.Interface.
func (StaffToken) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.User}),
		field.String("name").MaxRuneLen(255),
		field.String("hint").SchemaType(key(16)),
		field.Int64("expires_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("revoked_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("last_used_at").GoType(micros.Time(0)).Optional().Nillable(),
		// sensitive tokens may do what otherwise needs a browser and a recent confirmation of
		// identity.
		field.Bool("sensitive").Optional().Immutable(),
		// reminded_at is when the holder was notified of the approaching expiry. It is set without
		// a notification if the token's whole life is no longer than the notice period.
		field.Int64("reminded_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (StaffToken) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "user_id"),
	}
}
