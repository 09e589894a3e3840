package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Listing is the entry of an active product in a listing index of its storefront: the index of all
// products, or that of an option's value. The id is the product's, and the primary key is
// (store_id, shelf, id). It contains the sort columns, so that every list is walked by key in its
// order.
type Listing struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Listing) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Listing) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("shelf", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("published_at").GoType(micros.Time(0)),
		field.Int64("price_minor"),
		// title_key is a prefix of the folded title.
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

// Facet is an option's value that visitors filter by. Its id is that of the value's listing index.
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

// SearchEntry says that a word occurs in the texts of an active product, whose id it has. The
// primary key is (store_id, word, id).
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
		// Contains the word so that SQLite uses it for the words of a product. Without the word,
		// SQLite picks the primary key, which has all columns, and reads all words of the store.
		index.Fields("store_id", "id", "word"),
	}
}

// SearchSpelling leads from what visitors may type to a word of a store's products: from the word
// itself, from the word without one of its letters, and from its endings. The id is derived from
// the word; the primary key is (store_id, spelling, id).
type SearchSpelling struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchSpelling) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchSpelling) Fields() []ent.Field {
	return []ent.Field{
		// spelling begins with a byte for which of these it is.
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

// ShelfWalk is the progress of the previous release's backfill of the listing indexes. Only that
// release uses it; the next one removes it.
type ShelfWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShelfWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ShelfWalk) Fields() []ent.Field {
	return []ent.Field{
		field.Int("form"),
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		field.Bool("done").Default(false),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}
