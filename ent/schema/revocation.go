package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Revocation says that cached credentials of an owner are no longer valid. It commits with the
// change that ends or restricts them, and every process reads it within a second. After a minute it
// has no meaning.
type Revocation struct{ ent.Schema }

// Fields implements ent.Interface.
func (Revocation) Fields() []ent.Field {
	return []ent.Field{
		// home is the store or the person whose rows the transaction writes, so that this row is on
		// their shard.
		field.UUID("home", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		// owner is the store, the app or the person that owns the credentials.
		field.UUID("owner", xid.ID{}).SchemaType(bytes16).Immutable(),
		// at is by the clock of queues, when the statement ran, which is before the commit.
		field.Int64("at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Revocation) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("home", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("at", "owner"), // for reading new rows and deleting old ones
	}
}
