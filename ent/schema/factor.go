package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Factor is a second factor of a person: a passkey or an authenticator app.
type Factor struct{ ent.Schema }

// Fields implements ent.Interface.
func (Factor) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		field.String("kind").GoType(state.FactorKind("")).SchemaType(key(16)).Immutable(),
		field.String("name").MaxRuneLen(255),
		// data is encrypted: the secret of an authenticator app (RFC 6238), or the credential
		// record of a passkey (Web Authentication, section 4).
		field.Bytes("data").SchemaType(blob).Sensitive(),
		// step is the time step of the last accepted code, so that no code is accepted twice.
		field.Int64("step").Default(0),
		field.Int64("last_used_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Factor) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("user_id", "id").Unique().StorageKey(PrimaryKey),
	}
}

// Annotations implements ent.Interface.
func (Factor) Annotations() []schema.Annotation {
	return []schema.Annotation{Kind{xid.Factor}}
}
