package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// AccessToken is an OAuth access token, valid only with its grant.
type AccessToken struct{ ent.Schema }

// Mixin implements ent.Interface.
func (AccessToken) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Token}}
}

// Fields implements ent.Interface.
func (AccessToken) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("grant_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Grant}),
		field.String("hint").SchemaType(key(16)).Immutable(),
		// scopes are the scopes requested by a refresh; null means the grant's.
		field.String("scopes").SchemaType(key(1024)).Optional().Nillable().Immutable(),
		field.Int64("expires_at").GoType(micros.Time(0)).Immutable(),
		field.Int64("revoked_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}
