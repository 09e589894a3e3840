package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Mail is an email not yet handed to the mail server: one row for each recipient, written in the
// transaction of what it reports.
type Mail struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Mail) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (Mail) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// due_at is when the next attempt is due. An attempt first moves it forward and raises
		// attempts: a compare-and-set, so that only one process tries.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("attempts").Default(0),
		field.String("recipient").MaxRuneLen(320).Immutable(),
		field.String("subject").MaxRuneLen(255).Immutable(),
		// body is plain text, html its HTML version; null if there is none.
		field.String("body").SchemaType(text).Immutable(),
		field.String("html").SchemaType(text).Optional().Nillable().Immutable(),
		// sender_name is the name of the sender if it is not the service itself.
		field.String("sender_name").MaxRuneLen(255).Optional().Nillable().Immutable(),
		// reply_to is the address for replies; null if replies are not read.
		field.String("reply_to").SchemaType(key(1020)).Optional().Nillable().Immutable(),
		// order_id is the order of a shopper's email. Such emails are counted before they are sent.
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		// email is what the email about an order reports; null for the emails of earlier releases.
		field.String("email").GoType(state.OrderEmail("")).SchemaType(key(16)).Optional().Nillable().Immutable(),
		// network is where a shopper's order came from, if known.
		field.String("network").SchemaType(key(64)).Optional().Nillable().Immutable(),
		// stop_url is where the recipient unsubscribes from the store's emails with one click. It is
		// set in emails to strangers, who may not have asked for them; null if there is no such link.
		field.String("stop_url").MaxRuneLen(255).Optional().Nillable().Immutable(),
	}
}

// Indexes implements ent.Interface.
func (Mail) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
		// For the timeline of an order.
		index.Fields("store_id", "order_id", "id"),
	}
}

// MailStop says that an address has unsubscribed from a store's emails to strangers.
type MailStop struct{ ent.Schema }

// Mixin implements ent.Interface.
func (MailStop) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (MailStop) Fields() []ent.Field {
	return []ent.Field{
		// address is the SHA-256 of the email address.
		field.UUID("address", digest.Sum{}).SchemaType(bytes32).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (MailStop) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "address").Unique().StorageKey(PrimaryKey),
	}
}
