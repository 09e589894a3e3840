package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// WebhookQueue is what the engine keeps of one endpoint, whose id it shares: who
// may send to it at present, how far its sequence has come, and its health.
type WebhookQueue struct{ ent.Schema }

// Mixin implements ent.Interface.
func (WebhookQueue) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.WebhookEndpoint}}
}

// Fields implements ent.Interface.
func (WebhookQueue) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// generation numbers the store's endpoints in the order of their registration.
		field.Int64("generation").Default(0).Immutable(),
		// due_at is when the queue next needs an owner; while it has one, the end of
		// its lease. A queue that needs none is due at micros.Never.
		field.Int64("due_at").GoType(micros.Time(0)),
		// lease_token fences: it is raised with every change of owner.
		field.Int64("lease_token").Default(0),
		field.UUID("lease_owner", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// lease_until is by the database's clock on MySQL, and by one that the machine's
		// processes share on SQLite, as due_at.
		field.Int64("lease_until").GoType(micros.Time(0)).Default(0),
		// set_at is when a queue that has no owner was given back to wait until due_at, by
		// the same clock: where it has not come yet, the clock was put back, and due_at says
		// nothing.
		field.Int64("set_at").GoType(micros.Time(0)).Default(0),
		// wake counts all changes but those of the owner, so that none is missed when
		// the queue is released.
		field.Int64("wake").Default(0),
		// epoch counts the changes that people and suspension make: status, address,
		// secrets, single deliveries.
		field.Int64("epoch").Default(0),
		field.Int64("last_sequence").Default(0),
		// Deliveries up to floor_sequence are cancelled, whatever their rows say.
		field.Int64("floor_sequence").Default(0),
		// Attempts made before resumed_at do not count any more.
		field.Int64("resumed_at").GoType(micros.Time(0)).Default(0),
		// missed_from is the first event that was not turned into a delivery. While
		// the endpoint is active, the log is read on from there.
		field.UUID("missed_from", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// A replay of a range sends the events of the log from replay_from to before replay_to.
		field.UUID("replay_from", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		field.UUID("replay_to", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// failing_since is the first attempt of the oldest delivery that fails.
		field.Int64("failing_since").GoType(micros.Time(0)).Optional().Nillable(),
		// failed_through is the highest sequence that has a failed attempt.
		field.Int64("failed_through").Default(0),
		// warned is how many of the warnings of this incident were given.
		field.Int("warned").Default(0),
		// streak counts the deliveries whose first attempt failed since the last
		// success. probe_at is when the next delivery may be tried for the first
		// time, while the endpoint fails.
		field.Int("streak").Default(0),
		field.Int64("probe_at").GoType(micros.Time(0)).Default(0),
		field.Int64("last_success_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.String("last_error").MaxRuneLen(255).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (WebhookQueue) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
	}
}
