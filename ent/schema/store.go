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

// Store is one merchant's shop, the tenant that owns its rows.
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
		// contact_email is where replies to shoppers' emails go; null for nowhere.
		field.String("contact_email").SchemaType(key(1020)).Optional().Nillable(),
		// domain is the store's own host at which visitors arrive; null for the built-in one.
		field.String("domain").SchemaType(key(limit.Host)).Optional().Nillable(),
		field.String("currency").SchemaType(key(3)),
		field.String("timezone").SchemaType(key(limit.Timezone)),
		field.String("status").GoType(state.StoreStatus("")).SchemaType(key(32)).Default(string(state.StoreOpen)),
		// next_number is the first order number of the next block.
		field.Int64("next_number").Default(1001),
		// second_factor says that the store's staff need a second factor.
		field.Bool("second_factor").Default(false),
		// refund_proof_minor is the refund, in minor units, above which staff confirm their
		// identity; null disables it.
		field.Int64("refund_proof_minor").Optional().Nillable(),
		// low_stock is the stock, in units of a product or variant, at or below which staff are
		// notified; null for never.
		field.Int64("low_stock").Optional().Nillable(),
		// stock_events says that changes of stock become events.
		field.Bool("stock_events").Default(false),
		// located says that the store has more than the default location.
		field.Bool("located").Default(false),
		// shopper_cancels says that shoppers may cancel their orders while nothing was shipped.
		field.Bool("shopper_cancels").Default(true),
		// remind_hours is how long after its last change a shopper is reminded of a cart; null for
		// never.
		field.Int64("remind_hours").Optional().Nillable(),
		// limits are the limits that the operator set for this store.
		field.Bytes("limits").GoType(document.Limits(nil)).SchemaType(blob).Optional(),
		field.Bool("legacy").Default(false),
		field.Bool("demo").Default(false),
		// test says that nothing in the store is real. It is set when the store is created and
		// never changes.
		field.Bool("test").Immutable().Default(false),
		// active_theme_id is the theme that the storefront shows. As a column of the store it makes
		// one theme active at most.
		field.UUID("active_theme_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// language is the language of the storefront.
		field.String("language").GoType(state.Language("")).SchemaType(key(16)).Default(string(state.English)),
		// storefront is how the shop looks and whether it sells, beyond its theme.
		field.Bytes("storefront").GoType(document.Storefront(nil)).SchemaType(blob).Optional(),
		// storefront_revision counts the changes to the storefront's content that the newest of its
		// products do not reveal, such as a deletion.
		field.Int64("storefront_revision").Default(0),
		// redactions counts the redacted customers of the store. It is raised in the transaction
		// that cleans the last row of such a customer, or a later one.
		field.Int64("redactions").Optional().Nillable(),
		// redaction_walk is the last customer checked by the search for what redactions of earlier
		// releases left behind. Null before it begins, the highest id when it is done.
		field.UUID("redaction_walk", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
	}
}

// Annotations implements ent.Interface.
func (Store) Annotations() []schema.Annotation {
	return []schema.Annotation{Kind{xid.Store}}
}

// Policy restricts a viewer to its own store.
func (Store) Policy() ent.Policy { return rule.Self() }
