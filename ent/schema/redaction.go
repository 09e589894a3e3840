package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Redaction is the work that remains after a customer was redacted, whose id it shares: their data
// in stored events, stored answers and files is removed in batches.
type Redaction struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Redaction) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Redaction) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// due_at is when the work is to continue. Every batch moves it forward: a compare-and-set,
		// so that of two workers one stops.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.String("step").GoType(state.RedactionStep("")).SchemaType(key(16)),
		// position and place are the progress of the step: the last row, and the place within it.
		field.UUID("position", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		field.Int64("place").Default(0),
		// begun_at is the time of the mutation; clean_at is when the rows of the customer and of
		// all their orders were clean of their data.
		field.Int64("begun_at").GoType(micros.Time(0)),
		field.Int64("clean_at").GoType(micros.Time(0)).Optional().Nillable(),
		// number is the store's count of redactions including this one, which is counted when those
		// rows are clean. Null in redactions of earlier releases.
		field.Int64("number").Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Redaction) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
		index.Fields("bucket", "begun_at"),
	}
}
