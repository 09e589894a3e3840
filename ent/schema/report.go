package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Report is a report of the sales of a period: the request, and the result that a worker writes.
type Report struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Report) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{Prefix: xid.Report}} }

// Fields implements ent.Interface.
func (Report) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// The days are in the time zone, which is the store's at the time of the request, as is the
		// currency.
		field.String("first_day").SchemaType(key(10)).Immutable(),
		field.String("last_day").SchemaType(key(10)).Immutable(),
		field.String("timezone").SchemaType(key(limit.Timezone)).Immutable(),
		field.String("currency").SchemaType(key(3)).Immutable(),
		field.String("status").GoType(state.ReportStatus("")).SchemaType(key(16)),
		field.Int("tries").Default(0),
		// due_at is when a worker may claim it; null at the end.
		field.Int64("due_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("completed_at").GoType(micros.Time(0)).Optional().Nillable(),
		// result is a model.ReportResult as JSON.
		field.Bytes("result").SchemaType(longBlob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Report) Indexes() []ent.Index { return []ent.Index{index.Fields("bucket", "due_at")} }
