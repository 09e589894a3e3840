package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Process is a server or a dispatcher that works on the database: its identity and its last sign of
// life. It belongs to no store.
type Process struct{ ent.Schema }

// Fields implements ent.Interface.
func (Process) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("role").GoType(state.ProcessRole("")).SchemaType(key(16)).Immutable(),
		field.String("host").MaxRuneLen(255).Immutable(),
		field.Int("pid").Immutable(),
		field.String("version").MaxRuneLen(255).Immutable(),
		// started_at is by the clock of the process.
		field.Int64("started_at").GoType(micros.Time(0)).Immutable(),
		// seen_at is by the clock of queues. A process is gone if it was not updated for long.
		field.Int64("seen_at").GoType(micros.Time(0)),
		// Only the previous release writes rates and rates_at.
		field.Bytes("rates").SchemaType(longBlob).Optional(),
		field.Int64("rates_at").GoType(micros.Time(0)).Default(0),
	}
}

// Indexes implements ent.Interface.
func (Process) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("seen_at"), // for deleting rows of processes that are gone
	}
}

// Annotations implements ent.Interface.
func (Process) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "processes"}}
}
