package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Collection is a list of products with a page of its own: by hand, in an order, or by a
// rule.
type Collection struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Collection) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{Prefix: xid.Collection}} }

// Fields implements ent.Interface. A collection makes no events, so it has no sequence
// of them.
func (Collection) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("version").Default(1),
		field.Int64("updated_at").GoType(micros.Time(0)),
		field.String("title").MaxRuneLen(255),
		field.String("handle").SchemaType(key(limit.Handle)),
		field.String("status").GoType(state.PageStatus("")).SchemaType(key(16)),
		// description is Markdown.
		field.String("description").SchemaType(text).Optional().Nillable(),
		// rule is null for a collection by hand.
		field.Bytes("rule").GoType(document.Rule(nil)).SchemaType(longBlob).Optional(),
		field.Int64("published_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Collection) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "handle").Unique(),
		index.Fields("store_id", "status", "id"),
	}
}

// CollectionProduct is the place of a product in a collection by hand, whatever its
// status. The id is the product's; the primary key is (store_id, collection_id, id).
type CollectionProduct struct{ ent.Schema }

// Mixin implements ent.Interface.
func (CollectionProduct) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (CollectionProduct) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("collection_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Collection}),
		field.Int64("position"),
	}
}

// Indexes implements ent.Interface.
func (CollectionProduct) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "collection_id", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("store_id", "id"),
	}
}
