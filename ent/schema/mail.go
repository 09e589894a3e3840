package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
)

// Mail is a message that was not handed to the mail server yet: one row for each
// recipient, written in the transaction of what it reports.
type Mail struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Mail) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Mail) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// due_at is when it is tried next. Whoever tries moves it on first, and
		// raises attempts: a compare-and-set, so that one alone tries.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("attempts").Default(0),
		field.String("recipient").MaxRuneLen(320).Immutable(),
		field.String("subject").MaxRuneLen(255).Immutable(),
		// body is plain text, html the same for programs that show it; null where there is none.
		field.String("body").SchemaType(text).Immutable(),
		field.String("html").SchemaType(text).Optional().Nillable().Immutable(),
		// sender_name is who writes, where that is not the service itself.
		field.String("sender_name").MaxRuneLen(255).Optional().Nillable().Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Mail) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
	}
}
