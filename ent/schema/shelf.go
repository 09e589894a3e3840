package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Listing is the place of an active product on a shelf of its storefront: that of all
// products, or that of an option's value. The id is the product's, and the primary key is
// (store_id, shelf, id). What a shelf is sorted by is kept here, so that
// every list is walked in its order by key.
type Listing struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Listing) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Listing) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("shelf", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("published_at").GoType(micros.Time(0)),
		field.Int64("price_minor"),
		// title_key is the beginning of the folded title.
		field.String("title_key").SchemaType(key(limit.TitleKey)),
	}
}

// Indexes implements ent.Interface.
func (Listing) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "shelf", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("store_id", "shelf", "published_at", "id"),
		index.Fields("store_id", "shelf", "price_minor", "id"),
		index.Fields("store_id", "shelf", "title_key", "id"),
		index.Fields("store_id", "id"),
	}
}

// Facet names the shelf of an option's value as visitors choose it. Its id is the
// shelf's.
type Facet struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Facet) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Facet) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxRuneLen(255),
		field.String("value").MaxRuneLen(255),
	}
}

// SearchEntry says that a word is in the texts of an active product, whose id it has.
// The primary key is (store_id, word, id).
type SearchEntry struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchEntry) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchEntry) Fields() []ent.Field {
	return []ent.Field{
		field.String("word").SchemaType(key(limit.SearchWord)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (SearchEntry) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "word", "id").Unique().StorageKey(PrimaryKey),
		// With the word SQLite takes it for the words of a product. Without, it takes the
		// primary key, which has all columns, and reads all words of the store.
		index.Fields("store_id", "id", "word"),
	}
}

// SearchSpelling leads from what visitors may type to a word of a store's products: from
// the word itself, from it without one of its letters, and from its endings. The id is
// made of the word; the primary key is (store_id, spelling, id).
type SearchSpelling struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchSpelling) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchSpelling) Fields() []ent.Field {
	return []ent.Field{
		// spelling begins with a byte that says which of these it is.
		field.String("spelling").SchemaType(key(limit.SearchWord + 1)).Immutable(),
		field.String("word").SchemaType(key(limit.SearchWord)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (SearchSpelling) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "spelling", "id").Unique().StorageKey(PrimaryKey),
	}
}

// ShelfWalk is how far the products of a store were put on their shelves in the
// background. Its id is the store's own, so a store has one such row at most.
type ShelfWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShelfWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ShelfWalk) Fields() []ent.Field {
	return []ent.Field{
		// form is how products are put on shelves: a newer program begins again.
		field.Int("form"),
		// behind is the last product that is done.
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		field.Bool("done").Default(false),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}
