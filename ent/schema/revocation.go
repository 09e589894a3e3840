package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Revocation says that what is remembered of an owner's credentials holds no longer. It
// commits with what ends or narrows them, every process reads it within a second, and a
// minute later it says nothing any more.
type Revocation struct{ ent.Schema }

// Fields implements ent.Interface.
func (Revocation) Fields() []ent.Field {
	return []ent.Field{
		// home is the store or the person whose rows the transaction writes, so that this
		// one lies on their shard.
		field.UUID("home", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		// owner is the store, the app or the person whose credentials are meant.
		field.UUID("owner", xid.ID{}).SchemaType(bytes16).Immutable(),
		// at is by the clock of queues, when the statement ran: the commit comes later.
		field.Int64("at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Revocation) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("home", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("at", "owner"), // to read what is new, and to forget what is old
	}
}
