package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
)

// OutboxFailure is an event that the relay could not turn into deliveries and set
// aside, so that those behind it go on; its id is the event's.
type OutboxFailure struct{ ent.Schema }

// Mixin implements ent.Interface.
func (OutboxFailure) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (OutboxFailure) Fields() []ent.Field {
	return []ent.Field{
		// generation is as in [Outbox]; of an event that was for all endpoints, it is that of
		// the first that may have come since.
		field.Int64("generation").Default(0),
		field.Int64("failed_at").GoType(micros.Time(0)),
		// detail is the error, for the operator.
		field.String("detail").MaxRuneLen(1000),
	}
}
