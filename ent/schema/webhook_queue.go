package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// WebhookQueue is the engine's state of one endpoint, whose id it shares: its current owner, the
// position of its sequence, and its health.
type WebhookQueue struct{ ent.Schema }

// Mixin implements ent.Interface.
func (WebhookQueue) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.WebhookEndpoint}}
}

// Fields implements ent.Interface.
func (WebhookQueue) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// generation numbers the store's endpoints in the order of registration.
		field.Int64("generation").Default(0).Immutable(),
		// due_at is when the queue next needs an owner, or the end of the lease while it has one. A
		// queue that needs no owner is due at micros.Max.
		field.Int64("due_at").GoType(micros.Time(0)),
		// lease_token is a fencing token: every change of owner raises it.
		field.Int64("lease_token").Default(0),
		field.UUID("lease_owner", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// lease_until, like due_at, is by the database's clock on MySQL, and on SQLite by a clock
		// that the machine's processes share.
		field.Int64("lease_until").GoType(micros.Time(0)).Default(0),
		// set_at is when a queue without an owner was released to wait until due_at, by the same
		// clock. If it is in the future, the clock was set back and due_at has no meaning.
		field.Int64("set_at").GoType(micros.Time(0)).Default(0),
		// wake counts all changes except changes of the owner, so that none is missed when the
		// queue is released.
		field.Int64("wake").Default(0),
		// epoch counts the changes made by people and by suspension: status, URL, secrets, single
		// deliveries.
		field.Int64("epoch").Default(0),
		field.Int64("last_sequence").Default(0),
		// Deliveries up to floor_sequence are canceled, whatever their rows say.
		field.Int64("floor_sequence").Default(0),
		// Attempts before resumed_at no longer count.
		field.Int64("resumed_at").GoType(micros.Time(0)).Default(0),
		// missed_from is the first event for which no delivery was created. While the endpoint is
		// active, the log is read from there.
		field.UUID("missed_from", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// A replay of a range sends the events of the log from replay_from to before replay_to.
		field.UUID("replay_from", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		field.UUID("replay_to", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// failing_since is the first attempt of the oldest failing delivery.
		field.Int64("failing_since").GoType(micros.Time(0)).Optional().Nillable(),
		// failed_through is the highest sequence that has a failed attempt.
		field.Int64("failed_through").Default(0),
		// warned is the number of warnings sent in this incident.
		field.Int("warned").Default(0),
		// streak counts the deliveries since the last success whose first attempt failed. probe_at
		// is when the next delivery may be tried for the first time while the endpoint fails.
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
