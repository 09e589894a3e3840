package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// App is an OAuth client, registered by the store whose people build it. Other
// stores meet it through their grants.
type App struct{ ent.Schema }

// Mixin implements ent.Interface.
func (App) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.App}, Versioned{}}
}

// Fields implements ent.Interface.
func (App) Fields() []ent.Field {
	return []ent.Field{
		field.String("client_id").SchemaType(key(64)).Immutable(),
		// metadata_url is the Client ID Metadata Document of an app that nobody registered: the
		// URL is what the app sends as its client id, and client_id is derived from it and the
		// store that consented first.
		field.String("metadata_url").MaxRuneLen(2048).Optional().Nillable().Immutable(),
		field.String("name").MaxRuneLen(255),
		// developer is who makes the app, as a consent screen names them.
		field.String("developer").MaxRuneLen(255),
		field.String("website").MaxRuneLen(2048).Optional().Nillable(),
		// redirect_uris are parted by spaces, which no URI holds.
		field.String("redirect_uris").SchemaType(text),
		// scopes are the names that the app may ask for, parted by spaces.
		field.String("scopes").SchemaType(key(1024)),
		field.UUID("created_by", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Bool("legacy").Default(false),
		// verified_at is when the operator found the app to be whose it says; a new name
		// ends that.
		field.Int64("verified_at").GoType(micros.Time(0)).Optional().Nillable(),
		// disabled_at stops the app everywhere: its tokens open nothing.
		field.Int64("disabled_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}
