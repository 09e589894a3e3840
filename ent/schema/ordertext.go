package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

// OrderText holds a store's own texts of one email to shoppers in one language.
type OrderText struct{ ent.Schema }

// Mixin implements ent.Interface.
func (OrderText) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (OrderText) Fields() []ent.Field {
	return []ent.Field{
		field.String("language").GoType(state.Language("")).SchemaType(key(16)).Immutable(),
		field.String("email").GoType(state.OrderEmail("")).SchemaType(key(16)).Immutable(),
		field.String("subject").MaxRuneLen(limit.Line),
		// intro and closing are Markdown with variables.
		field.String("intro").MaxRuneLen(limit.EmailText).SchemaType(text),
		field.String("closing").MaxRuneLen(limit.EmailText).SchemaType(text),
		field.Int64("version").Default(1),
	}
}

// Indexes implements ent.Interface.
func (OrderText) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "language", "email").Unique().StorageKey(PrimaryKey),
	}
}
