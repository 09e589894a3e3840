package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// SearchTerm is a word by which staff find an order, a product or a customer, whose id it has. The
// primary key is (store_id, term, id), so that all words with one prefix are adjacent, and the rows
// of one word are sorted from the oldest to the newest.
type SearchTerm struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchTerm) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchTerm) Fields() []ent.Field {
	return []ent.Field{
		// term begins with a byte for the kind of the resource.
		field.String("term").SchemaType(key(limit.SearchWord + 1)).Immutable(),
		// personal words are deleted when the customer is redacted.
		field.Bool("personal"),
	}
}

// Indexes implements ent.Interface.
func (SearchTerm) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "term", "id").Unique().StorageKey(PrimaryKey),
		// Contains the term so that SQLite uses it for the words of one resource, as in
		// SearchEntry.
		index.Fields("store_id", "id", "term"),
	}
}

// SearchPending is an order, a product or a customer that was created or changed since its words
// were written. A change writes only this row; the words are updated in the background.
type SearchPending struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchPending) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchPending) Fields() []ent.Field {
	return []ent.Field{
		// kind is the first byte of the terms.
		field.String("kind").SchemaType(key(1)).Immutable(),
		// since is the time of the first of these changes.
		field.Int64("since").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (SearchPending) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "kind", "id").Unique().StorageKey(PrimaryKey)}
}

// SearchWalk is the progress of a backfill (graph/engine/backfill) in a store. Its id is derived from
// the job's name. The row that belongs to no store says that all stores are done. Rows whose id is the
// store's are those of the previous release, which walked only for the search.
type SearchWalk struct{ ent.Schema }

// Mixin implements ent.Interface.
func (SearchWalk) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (SearchWalk) Fields() []ent.Field {
	return []ent.Field{
		// form is the job's goal: the walk begins again for a higher one.
		field.Int("form"),
		field.Int("stage"),
		// behind is the last row that is done, within the stage.
		field.UUID("behind", xid.ID{}).SchemaType(bytes16),
		field.Bool("done").Default(false),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}
