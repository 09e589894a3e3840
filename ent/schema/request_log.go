package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/xid"
)

// RequestLog is a REST API request of a key or an app; its id is the request's. It contains nothing
// of the query, the bodies or the client's address. It is kept for 72 hours, and not every request
// has a row.
//
// A request of an app is logged in the store it concerns and, with caller_store_id, in the store
// that registered the app.
type RequestLog struct{ ent.Schema }

// Mixin implements ent.Interface.
func (RequestLog) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Request}}
}

// Fields implements ent.Interface.
func (RequestLog) Fields() []ent.Field {
	return []ent.Field{
		// subject_id is the key, or the app if app_store_id names the store that registered it.
		field.UUID("subject_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("app_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		// caller_store_id is the other store in which the store's own app made the request.
		field.UUID("caller_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.String("method").SchemaType(key(16)).Immutable(),
		// route is the path with {id} in place of an id; resource is that id if it is well-formed.
		field.String("route").SchemaType(key(64)).Immutable(),
		field.String("resource").SchemaType(key(32)).Optional().Nillable().Immutable(),
		field.Int("status").Immutable(),
		// code is the problem's code.
		field.String("code").SchemaType(key(64)).Optional().Nillable().Immutable(),
		// duration is in microseconds.
		field.Int64("duration").Immutable(),
		// omitted counts the requests of the subject with the same outcome that were not logged
		// after this one, within the minute.
		field.Int64("omitted").Default(0),
	}
}

// Indexes implements ent.Interface.
func (RequestLog) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "subject_id", "id"),
	}
}
