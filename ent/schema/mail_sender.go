package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
)

// MailSender is the address of a store's own that its emails to shoppers come from, with the key
// that signs them (DKIM). It is used while DNS publishes the key. A store has at most one.
type MailSender struct{ ent.Schema }

// Mixin implements ent.Interface.
func (MailSender) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (MailSender) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// local is the part of the address before the @, and host the part after it: in lower case, with
		// international labels in Punycode.
		field.String("local").SchemaType(key(limit.EmailLocal)),
		field.String("host").SchemaType(key(limit.Host)).Immutable(),
		// selector names the record of the key below the host.
		field.String("selector").SchemaType(key(63)).Immutable(),
		// private_key is in PKCS #8, encrypted; public_key is in Base64, as the record has it.
		field.Bytes("private_key").SchemaType(blob).MaxLen(1<<16 - 1),
		field.String("public_key").MaxRuneLen(500).Immutable(),
		// due_at is when the next check is due; tries is the token of its lease.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("tries").Default(0),
		// proved_at is since when DNS publishes the key; null if it does not.
		field.Int64("proved_at").GoType(micros.Time(0)).Optional().Nillable(),
		// checked_at is null while the result of a check is awaited.
		field.Int64("checked_at").GoType(micros.Time(0)).Optional().Nillable(),
		// problem says why the latest check failed; null if it did not.
		field.String("problem").MaxRuneLen(500).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (MailSender) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id").Unique(),
		index.Fields("bucket", "due_at"),
	}
}
