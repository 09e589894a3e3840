package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Cart holds what a shopper is buying and, later, what they entered at checkout. It becomes one
// order.
type Cart struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Cart) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Cart) Fields() []ent.Field {
	return []ent.Field{
		// token is the SHA-256 of the token in the shopper's cookie.
		field.UUID("token", digest.Sum{}).SchemaType(bytes32).Immutable(),
		field.Int8("bucket").Immutable(),
		field.Int64("expires_at").GoType(micros.Time(0)),
		// version counts the changes, each of which compares and sets it.
		field.Int64("version").Default(1),
		field.Int64("updated_at").GoType(micros.Time(0)),
		field.Int("lines_count").Default(0),
		// code is the discount code that the shopper entered, in upper case.
		field.String("code").SchemaType(key(limit.Code)).Optional().Nillable(),
		field.String("note").SchemaType(text).Optional().Nillable(),
		field.String("email").SchemaType(key(1020)).Optional().Nillable(),
		field.String("phone").MaxRuneLen(64).Optional().Nillable(),
		field.Bytes("address").GoType(document.Address(nil)).SchemaType(blob).Optional(),
		// billing_address is null if it is the other address.
		field.Bytes("billing_address").GoType(document.Address(nil)).SchemaType(blob).Optional(),
		// gift is the message of a gift.
		field.String("gift").MaxRuneLen(limit.GiftMessage).Optional().Nillable(),
		// country and region are where the shopper is. They are asked for when nothing is shipped
		// and the tax depends on them.
		field.String("country").SchemaType(key(2)).Optional().Nillable(),
		field.String("region").MaxRuneLen(limit.Line).Optional().Nillable(),
		// vat_id is that of a company, in its official form.
		field.String("vat_id").SchemaType(key(limit.VATID)).Optional().Nillable(),
		// vat_consultation is the number under which VIES confirmed vat_id.
		field.String("vat_consultation").SchemaType(key(64)).Optional().Nillable(),
		// rate_id is the public id of the chosen shipping rate.
		field.String("rate_id").SchemaType(key(64)).Optional().Nillable(),
		field.String("payment").GoType(state.PaymentMethod("")).SchemaType(key(32)).Optional().Nillable(),
		// reached_at is when the checkout began.
		field.Int64("reached_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Optional().Nillable(),
		// remind says that the shopper asked to be reminded of the cart.
		field.Bool("remind").Default(false),
		// due_at is when a reminder is considered next, null for never, and tries how often it was.
		field.Int64("due_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int("tries").Default(0),
		// reminded_at is when the reminder was written; there is at most one.
		field.Int64("reminded_at").GoType(micros.Time(0)).Optional().Nillable(),
		// session is what a program said about its shopper, in a checkout session of the shop's API.
		// Other carts have none.
		field.Bytes("session").GoType(document.Session(nil)).SchemaType(blob).Optional(),
	}
}

// Indexes implements ent.Interface.
func (Cart) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "token").Unique(),
		index.Fields("bucket", "expires_at"),
		index.Fields("bucket", "due_at"),
		index.Fields("store_id", "reminded_at"),
	}
}

// CartLine is a variant in a cart, with its quantity. Its primary key is (store_id, cart_id,
// product_id, variant_id).
type CartLine struct{ ent.Schema }

// Mixin implements ent.Interface.
func (CartLine) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (CartLine) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("cart_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Product}).Immutable(),
		// variant_id is the product's own id if the product has no options.
		field.UUID("variant_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Variant}).Immutable(),
		field.Int64("quantity"),
		// price_minor is the unit price that the shopper last saw.
		field.Int64("price_minor"),
		field.Int64("added_at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (CartLine) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "cart_id", "product_id", "variant_id").Unique().StorageKey(PrimaryKey),
	}
}

// PaymentHold reserves the items of an order for a while, until the shopper has paid online or by
// bank transfer. Its id is the order's. Either a payment or the expiry deletes it; the one that
// does decides what becomes of the order.
type PaymentHold struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentHold) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentHold) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		field.Int64("due_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Interface.
func (PaymentHold) Indexes() []ent.Index { return []ent.Index{index.Fields("bucket", "due_at")} }

// PaymentSettings are the payment methods that a store offers. A store has one row, with the
// store's id, from the first change on; without it nothing can be paid.
type PaymentSettings struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentSettings) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}, Versioned{}} }

// Fields implements ent.Interface.
func (PaymentSettings) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("methods").GoType(document.PaymentMethods(nil)).SchemaType(longBlob),
	}
}

// Annotations implements ent.Interface.
func (PaymentSettings) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "payment_settings"}}
}
