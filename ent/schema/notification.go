package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Notification informs the staff of a store. It is written in the transaction of what happened.
type Notification struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Notification) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Notification}}
}

// Fields implements ent.Interface.
func (Notification) Fields() []ent.Field {
	return []ent.Field{
		field.String("level").GoType(state.NotificationLevel("")).SchemaType(key(16)).Immutable(),
		// topic is what people choose whether to be notified of; null for what everyone is shown.
		field.String("topic").GoType(state.AlertTopic("")).SchemaType(key(16)).Optional().Nillable().Immutable(),
		field.String("title").MaxRuneLen(255).Immutable(),
		field.String("body").MaxRuneLen(2000).SchemaType(text).Immutable(),
		// resource_type and resource_id name the subject.
		field.String("resource_type").SchemaType(key(32)).Optional().Nillable().Immutable(),
		field.UUID("resource_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Int64("read_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Notification) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "read_at", "id"),
	}
}
