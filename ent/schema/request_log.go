package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/xid"
)

// RequestLog is a request of the REST API that a key or an app made; its id is the
// request's own. It holds nothing of the query, the bodies or the client's address.
// Kept 72 hours, and not every request has a row.
//
// What an app does in a store stands in that store and, with caller_store_id, in the
// one that registered the app.
type RequestLog struct{ ent.Schema }

// Mixin implements ent.Interface.
func (RequestLog) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Request}}
}

// Fields implements ent.Interface.
func (RequestLog) Fields() []ent.Field {
	return []ent.Field{
		// subject_id is the key, or the app where app_store_id names who registered it.
		field.UUID("subject_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("app_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		// caller_store_id is the other store in which the store's own app did this.
		field.UUID("caller_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.String("method").SchemaType(key(16)).Immutable(),
		// route is the path with {id} in place of an id, resource that id where it has the
		// form of one.
		field.String("route").SchemaType(key(64)).Immutable(),
		field.String("resource").SchemaType(key(32)).Optional().Nillable().Immutable(),
		field.Int("status").Immutable(),
		// code is the problem's.
		field.String("code").SchemaType(key(64)).Optional().Nillable().Immutable(),
		// duration is in microseconds.
		field.Int64("duration").Immutable(),
		// omitted counts the requests of the subject with the same outcome that were left
		// out after this one, within the minute.
		field.Int64("omitted").Default(0),
	}
}

// Indexes implements ent.Interface.
func (RequestLog) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "subject_id", "id"),
	}
}
