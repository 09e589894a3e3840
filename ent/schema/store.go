package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Store is one merchant's shop, the tenant of all that it owns.
type Store struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Store) Mixin() []ent.Mixin {
	return []ent.Mixin{Versioned{}}
}

// Fields implements ent.Interface.
func (Store) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		field.String("handle").SchemaType(key(limit.Handle)).Immutable(),
		field.String("name").MaxRuneLen(255),
		// contact_email is where answers to shoppers' emails go; null for nowhere.
		field.String("contact_email").SchemaType(key(1020)).Optional().Nillable(),
		field.String("currency").SchemaType(key(3)),
		field.String("timezone").SchemaType(key(limit.Timezone)),
		field.String("status").GoType(state.StoreStatus("")).SchemaType(key(32)).Default(string(state.StoreOpen)),
		// next_number is the first order number of the next block.
		field.Int64("next_number").Default(1001),
		// second_factor says that the people of the store need one.
		field.Bool("second_factor").Default(false),
		// refund_proof_minor is the refund, in minor units, above which a person proves
		// anew who they are; null asks nobody.
		field.Int64("refund_proof_minor").Optional().Nillable(),
		// limits are those that the operator set for this store alone.
		field.Bytes("limits").GoType(document.Limits(nil)).SchemaType(blob).Optional(),
		field.Bool("legacy").Default(false),
		field.Bool("demo").Default(false),
		// test says that nothing in the store is real: it is decided when the store
		// is made, and never after.
		field.Bool("test").Immutable().Default(false),
		// active_theme_id is the theme that the storefront shows: there is one such
		// column, so one theme is active.
		field.UUID("active_theme_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// language is the one in which the storefront speaks.
		field.String("language").GoType(state.Language("")).SchemaType(key(16)).Default(string(state.English)),
		// storefront_revision counts the changes of what the storefront shows that
		// the newest of its products do not show, such as a deletion.
		field.Int64("storefront_revision").Default(0),
		// redactions counts the customers of the store who were redacted. It is raised in the
		// transaction that cleans the last row of such a customer, or a later one.
		field.Int64("redactions").Optional().Nillable(),
		// redaction_walk is the last customer at whom the search for what redactions of earlier
		// releases left behind has looked. Null before it begins, the highest id when it is done.
		field.UUID("redaction_walk", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
	}
}

// Annotations implements ent.Interface.
func (Store) Annotations() []schema.Annotation {
	return []schema.Annotation{Kind{xid.Store}}
}

// Policy lets a viewer see its own store.
func (Store) Policy() ent.Policy { return rule.Self() }
