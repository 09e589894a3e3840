package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Session is a person's session in a browser. Its id is the SHA-256 of the cookie's token. It
// belongs to no store, since the person may belong to several.
type Session struct{ ent.Schema }

// Fields implements ent.Interface.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", digest.Sum{}).StorageKey("hash").SchemaType(bytes32).Immutable(),
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		// agent is the user agent, for the person's list of sessions.
		field.String("agent").MaxRuneLen(255),
		// address is the IP address of the last use.
		field.String("address").SchemaType(key(45)).Optional().Nillable(),
		// proved_at is when the person last confirmed their identity: within the session, or by
		// signing in. Null is older than any bound.
		field.Int64("proved_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("created_at").GoType(micros.Time(0)).Immutable(),
		// seen_at is updated at most once a minute; a session that is unused for too long ends.
		field.Int64("seen_at").GoType(micros.Time(0)),
		field.Int64("expires_at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Session) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("user_id"),
		index.Fields("expires_at"),
	}
}
