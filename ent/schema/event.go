package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/xid"
)

// Event is an entry of the event log, written in the transaction of its change with the bytes that
// subscribers receive (contract, section 8). It is kept for 30 days.
type Event struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Event) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Event}}
}

// Fields implements ent.Interface.
func (Event) Fields() []ent.Field {
	return []ent.Field{
		field.String("type").GoType(event.Type("")).SchemaType(key(64)),
		field.String("resource_type").SchemaType(key(32)),
		field.UUID("resource_id", xid.ID{}).SchemaType(bytes16),
		// sequence counts the resource's events from 1 without gaps.
		field.Int64("sequence"),
		field.Bytes("body").GoType(eventbody.Body(nil)).SchemaType(longBlob),
	}
}

// Indexes implements ent.Interface.
func (Event) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "resource_id", "sequence").Unique(),
	}
}
