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

// Collection is a list of products with its own page on the storefront: products added by hand, or
// all that its rule matches. Its id is also the id of its listing index.
type Collection struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Collection) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Collection}, Versioned{}}
}

// Fields implements ent.Interface.
func (Collection) Fields() []ent.Field {
	return []ent.Field{
		field.String("title").MaxRuneLen(255),
		field.String("handle").SchemaType(key(limit.Handle)),
		field.String("description").SchemaType(text).Optional().Nillable(),
		field.String("sort").GoType(state.CollectionSort("")).SchemaType(key(16)),
		// rule is absent if products are added by hand.
		field.Bytes("rule").GoType(document.CollectionRule(nil)).SchemaType(blob).Optional(),
		// size_chart_id is the page that shows the sizes, for products without their own.
		field.UUID("size_chart_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Annotations(Kind{xid.Page}),
		field.Int8("bucket").Immutable(),
		// due_at is when its products are evaluated next; [micros.Max] once they are settled.
		field.Int64("due_at").GoType(micros.Time(0)),
		// behind is the last product that was evaluated.
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		// settling says that all products were evaluated once since the last change. They are
		// evaluated again after every product change that has not seen it must have ended.
		field.Bool("settling").Default(false),
		// gone says that the collection was deleted and its listing index is being emptied.
		field.Bool("gone").Default(false),
	}
}

// Indexes implements ent.Interface.
func (Collection) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "handle").Unique(),
		index.Fields("bucket", "due_at", "store_id", "id"),
	}
}

// CollectionProduct is a product that was added to a collection by hand; its id is the product's.
// The primary key is (store_id, collection_id, id).
type CollectionProduct struct{ ent.Schema }

// Mixin implements ent.Interface.
func (CollectionProduct) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (CollectionProduct) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("collection_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Collection}).Immutable(),
		field.Int64("position"),
	}
}

// Indexes implements ent.Interface.
func (CollectionProduct) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "collection_id", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("store_id", "collection_id", "position", "id"),
		// Contains all columns, so that SQLite uses it to find the collections of a product.
		index.Fields("store_id", "id", "collection_id", "position"),
	}
}
