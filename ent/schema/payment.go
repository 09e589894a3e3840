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

// Payment is a row of an order's ledger: money taken or given back. It is never changed.
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
		// lines are the order lines that a refund took back.
		field.Bytes("lines").GoType(document.Lines(nil)).SchemaType(longBlob),
	}
}

// Indexes implements ent.Interface.
func (Payment) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "order_id", "id"),
	}
}

// PaymentAccount is a store's own account with a payment provider: the present one, and former
// ones with which something was begun that is still to be settled or given back.
type PaymentAccount struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentAccount) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentAccount) Fields() []ent.Field {
	return []ent.Field{
		field.String("provider").GoType(state.PaymentMethod("")).SchemaType(key(32)).Immutable(),
		// live says that the key moves real money.
		field.Bool("live"),
		// secret is the key, signing what events are signed with; both are encrypted.
		field.Bytes("secret").MaxLen(255),
		field.String("secret_hint").SchemaType(key(16)),
		field.Bytes("signing").MaxLen(255),
		field.String("signing_hint").SchemaType(key(16)),
		field.Int64("updated_at").GoType(micros.Time(0)),
		// retired_at is when another account took its place, or none; 0 for the present one.
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

// PaymentSession is a page of a provider's on which an order can be paid. An order has one
// open session at most: whoever makes another one gives it the next attempt, which is
// unique.
type PaymentSession struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentSession) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentSession) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		field.Int("attempt").Immutable(),
		// account_id is the account with which the session is begun; null for one of a time
		// when a store had one account at most.
		field.UUID("account_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Int8("bucket").Immutable(),
		field.String("provider").GoType(state.PaymentMethod("")).SchemaType(key(32)).Immutable(),
		// reference is the provider's name of the session; null until it has one. Nobody
		// can pay before.
		field.String("reference").SchemaType(key(255)).Optional().Nillable(),
		// payment is the provider's name of the money; null before there is any.
		field.String("payment").SchemaType(key(255)).Optional().Nillable(),
		field.Int64("amount_minor").Immutable(),
		field.String("currency").SchemaType(key(3)).Immutable(),
		// state leaves open once: whoever moves it decides what becomes of the money.
		field.String("state").GoType(state.PaymentSessionState("")).SchemaType(key(16)),
		field.Int("tries").Default(0),
		// due_at is when the provider is asked next; null once the session is open no more.
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

// PaymentRefund is money that a provider is to give back: a row of an outbox, written in the
// transaction that decides it.
type PaymentRefund struct{ ent.Schema }

// Mixin implements ent.Interface.
func (PaymentRefund) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (PaymentRefund) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Order}).Immutable(),
		// ledger_id is the row of the order's ledger; null for money that the order did not
		// take.
		field.UUID("ledger_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Payment}).
			Optional().Nillable().Immutable(),
		// account_id is that of the session whose money it is.
		field.UUID("account_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.Int8("bucket").Immutable(),
		field.String("provider").GoType(state.PaymentMethod("")).SchemaType(key(32)).Immutable(),
		field.String("payment").SchemaType(key(255)).Immutable(),
		// reference is the provider's name of the refund; null until it is made.
		field.String("reference").SchemaType(key(255)).Optional().Nillable(),
		field.Int64("amount_minor").Immutable(),
		field.String("currency").SchemaType(key(3)).Immutable(),
		field.String("state").GoType(state.PaymentRefundState("")).SchemaType(key(16)),
		// failure is what the provider says of one that it does not make, or that did not
		// reach the shopper.
		field.String("failure").MaxRuneLen(255).Optional().Nillable(),
		field.Int("tries").Default(0),
		// due_at is when it is tried next or, once it is done, looked at again; null once it
		// failed, or is done for so long that it fails no more.
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
