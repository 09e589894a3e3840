package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// SearchTerm is a word by which people of a store find an order, a product or a customer,
// whose id it has. The primary key is (store_id, term, id), so that all words with one
// beginning lie together, and those of one word from the oldest to the newest.
type SearchTerm struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchTerm) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchTerm) Fields() []ent.Field {
	return []ent.Field{
		// term begins with a byte that says what is found by it.
		field.String("term").SchemaType(key(limit.SearchWord + 1)).Immutable(),
		// personal is a word that goes when the customer is redacted.
		field.Bool("personal"),
	}
}

// Indexes implements ent.Interface.
func (SearchTerm) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "term", "id").Unique().StorageKey(PrimaryKey),
		// With the term SQLite takes it for the words of one thing, as that of SearchEntry.
		index.Fields("store_id", "id", "term"),
	}
}

// SearchPending is an order, a product or a customer whose words are not those that are kept:
// it was made or changed since they were written. A change writes this one row, and the words
// follow in the background.
type SearchPending struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchPending) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchPending) Fields() []ent.Field {
	return []ent.Field{
		// kind is the first byte of the terms.
		field.String("kind").SchemaType(key(1)).Immutable(),
		// since is the time of the first of the changes.
		field.Int64("since").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (SearchPending) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "kind", "id").Unique().StorageKey(PrimaryKey)}
}

// SearchWalk is how far what a store had before was made findable in the background. Its
// id is the store's own, so a store has one such row at most.
type SearchWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchWalk) Fields() []ent.Field {
	return []ent.Field{
		// form is how terms are made: a newer program begins again.
		field.Int("form"),
		// stage is what is walked now: customers, products, then orders.
		field.Int("stage"),
		// behind is the last one that is done, within the stage.
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		field.Bool("done").Default(false),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}
