package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// User is a person. [Staff] has the stores that they belong to.
type User struct{ ent.Schema }

// Fields implements ent.Interface.
func (User) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		field.String("email").SchemaType(key(1020)),
		field.String("name").MaxRuneLen(255),
		// password_hash is argon2id in PHC string format; null means no password.
		field.String("password_hash").SchemaType(key(255)).Optional().Nillable().Sensitive(),
		// verified_at is when an emailed link proved that the address is theirs.
		field.Int64("verified_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Bool("demo").Default(false),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}

// Annotations implements ent.Interface.
func (User) Annotations() []schema.Annotation {
	return []schema.Annotation{Kind{xid.User}}
}
