package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
)

// OutboxFailure is an event for which the relay could not create deliveries. It is set aside so
// that later events proceed; its id is the event's.
type OutboxFailure struct{ ent.Schema }

// Mixin implements ent.Interface.
func (OutboxFailure) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (OutboxFailure) Fields() []ent.Field {
	return []ent.Field{
		// generation is as in [Outbox]. For an event that was for all endpoints, it is the
		// generation of the first endpoint that may have been registered since.
		field.Int64("generation").Default(0),
		field.Int64("failed_at").GoType(micros.Time(0)),
		// detail is the error, for the operator.
		field.String("detail").MaxRuneLen(1000),
	}
}
