package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// EndpointStat counts the attempts of one endpoint in one slot of five minutes; its id is the
// endpoint's. A process adds its counts in batches, so a crash may lose the last seconds.
type EndpointStat struct{ ent.Schema }

// Mixin implements ent.Interface.
func (EndpointStat) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.WebhookEndpoint}}
}

// Fields implements ent.Interface.
func (EndpointStat) Fields() []ent.Field {
	return []ent.Field{
		// slot is the start of the five minutes.
		field.Int64("slot").GoType(micros.Time(0)).Immutable(),
		field.Int64("delivered").Default(0),
		field.Int64("failed").Default(0),
		// latency_sum and latency_max cover delivered attempts, in microseconds.
		field.Int64("latency_sum").Default(0),
		field.Int64("latency_max").Default(0),
	}
}

// Indexes implements ent.Interface.
func (EndpointStat) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "id", "slot").Unique().StorageKey(PrimaryKey),
	}
}
