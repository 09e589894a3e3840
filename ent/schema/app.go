package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// App is an OAuth client, registered by the store whose staff develop it. Other stores know it
// through their grants.
type App struct{ ent.Schema }

// Mixin implements ent.Interface.
func (App) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.App}, Versioned{}}
}

// Fields implements ent.Interface.
func (App) Fields() []ent.Field {
	return []ent.Field{
		field.String("client_id").SchemaType(key(64)).Immutable(),
		// metadata_url is the URL of the Client ID Metadata Document of an unregistered app, which
		// sends this URL as its client id. client_id is derived from it and from the first store
		// that consented.
		field.String("metadata_url").MaxRuneLen(2048).Optional().Nillable().Immutable(),
		field.String("name").MaxRuneLen(255),
		// developer is the name of the developer, as shown on the consent screen.
		field.String("developer").MaxRuneLen(255),
		field.String("website").MaxRuneLen(2048).Optional().Nillable(),
		// redirect_uris are separated by spaces, which no URI contains.
		field.String("redirect_uris").SchemaType(text),
		// scopes are the names that the app may request, separated by spaces.
		field.String("scopes").SchemaType(key(1024)),
		field.UUID("created_by", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Bool("legacy").Default(false),
		// verified_at is when the operator verified the app's identity; renaming the app resets it.
		field.Int64("verified_at").GoType(micros.Time(0)).Optional().Nillable(),
		// disabled_at disables the app everywhere: its tokens are rejected.
		field.Int64("disabled_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}
