package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Payment is an entry of an order's ledger: money received or returned. It is never changed.
type Payment struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Payment) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Payment}}
}

// Fields implements ent.Interface.
func (Payment) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}),
		field.String("kind").GoType(state.PaymentKind("")).SchemaType(key(16)),
		field.Int64("amount_minor"),
		field.String("currency").SchemaType(key(3)),
		field.String("method").MaxRuneLen(64).Optional().Nillable(),
		field.String("reference").MaxRuneLen(255).Optional().Nillable(),
		field.String("reason").MaxRuneLen(255).Optional().Nillable(),
		// lines are the order lines that a refund returned.
		field.Bytes("lines").GoType(document.Lines(nil)).SchemaType(longBlob),
	}
}

// Indexes implements ent.Interface.
func (Payment) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
	}
}

// PaymentAccount is a store's account with a payment provider: the current one, and former ones
// with payments that are still to be settled or refunded.
type PaymentAccount struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentAccount) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentAccount) Fields() []ent.Field {
	return []ent.Field{
		field.String("provider").GoType(state.PaymentMethod("")).SchemaType(key(32)).Immutable(),
		// live says that the key moves real money.
		field.Bool("live"),
		// secret is the API key, signing the key that signs events; both are encrypted.
		field.Bytes("secret").MaxLen(255),
		field.String("secret_hint").SchemaType(key(16)),
		field.Bytes("signing").MaxLen(255),
		field.String("signing_hint").SchemaType(key(16)),
		field.Int64("updated_at").GoType(micros.Time(0)),
		// retired_at is when the account was replaced or removed; 0 for the current one.
		field.Int64("retired_at").GoType(micros.Time(0)).Default(0),
		field.Int8("bucket").Default(0).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (PaymentAccount) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "provider", "retired_at").Unique(),
		index.Fields("bucket", "retired_at"),
	}
}

// PaymentSession is a provider's page on which an order can be paid. An order has at most one open
// session: creating another one takes the next attempt number, which is unique.
type PaymentSession struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentSession) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentSession) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		field.Int("attempt").Immutable(),
		// account_id is the account with which the session was begun; null if it is from a time
		// when a store had at most one account.
		field.UUID("account_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Int8("bucket").Immutable(),
		field.String("provider").GoType(state.PaymentMethod("")).SchemaType(key(32)).Immutable(),
		// reference is the provider's id of the session; null until the provider has created it,
		// before which nothing can be paid.
		field.String("reference").SchemaType(key(255)).Optional().Nillable(),
		// payment is the provider's id of the payment; null before there is one.
		field.String("payment").SchemaType(key(255)).Optional().Nillable(),
		field.Int64("amount_minor").Immutable(),
		field.String("currency").SchemaType(key(3)).Immutable(),
		// state leaves open once: the writer that changes it decides what becomes of the money.
		field.String("state").GoType(state.PaymentSessionState("")).SchemaType(key(16)),
		field.Int("tries").Default(0),
		// due_at is when the provider is asked next; null once the session is no longer open.
		field.Int64("due_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (PaymentSession) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "attempt").Unique(),
		index.Fields("store_id", "reference").Unique(),
		index.Fields("bucket", "due_at"),
	}
}

// PaymentRefund is money that a provider must return: a row of an outbox, written in the
// transaction that decides the refund.
type PaymentRefund struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentRefund) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentRefund) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		// ledger_id is the entry of the order's ledger; null for money that the order did not
		// accept.
		field.UUID("ledger_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Payment}).
			Optional().Nillable().Immutable(),
		// account_id is the account of the session with which it was paid.
		field.UUID("account_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Int8("bucket").Immutable(),
		field.String("provider").GoType(state.PaymentMethod("")).SchemaType(key(32)).Immutable(),
		field.String("payment").SchemaType(key(255)).Immutable(),
		// reference is the provider's id of the refund; null until it is created.
		field.String("reference").SchemaType(key(255)).Optional().Nillable(),
		field.Int64("amount_minor").Immutable(),
		field.String("currency").SchemaType(key(3)).Immutable(),
		field.String("state").GoType(state.PaymentRefundState("")).SchemaType(key(16)),
		// failure is the provider's reason for rejecting the refund, or for its not reaching the
		// shopper.
		field.String("failure").MaxRuneLen(255).Optional().Nillable(),
		field.Int("tries").Default(0),
		// due_at is when it is tried next or, once created, checked again; null once it has failed,
		// or was created so long ago that it no longer fails.
		field.Int64("due_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (PaymentRefund) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
		index.Fields("bucket", "due_at"),
	}
}
