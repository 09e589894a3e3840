package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Domain is a host that a store brings, such as www.example.com. The shop answers there once DNS
// proves that the host is the store's.
type Domain struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Domain) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{Prefix: xid.Domain}} }

// Fields implements ent.Interface.
func (Domain) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		// host is in lower case, with international labels in Punycode.
		field.String("host").SchemaType(key(limit.Host)).Immutable(),
		// token is the value of the TXT record that proves the host.
		field.String("token").SchemaType(key(64)).Immutable(),
		// due_at is when the next check is due; tries is the token of its lease.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("tries").Default(0),
		// proved_at is since when the store has the host; null if it does not.
		field.Int64("proved_at").GoType(micros.Time(0)).Optional().Nillable(),
		// checked_at is null while the result of a check is awaited.
		field.Int64("checked_at").GoType(micros.Time(0)).Optional().Nillable(),
		// missed counts the latest checks that found no proof.
		field.Int("missed").Default(0),
		// problem says why the latest check failed; null if it did not.
		field.String("problem").MaxRuneLen(500).Optional().Nillable(),
		// preferred says that visitors should arrive at this host.
		field.Bool("preferred").Default(false),
		// certificate is the private key and the certificate chain in PEM, encrypted; null for none.
		field.Bytes("certificate").SchemaType(blob).MaxLen(1<<16 - 1).Optional(),
		field.Int64("certificate_until").GoType(micros.Time(0)).Optional().Nillable(),
		// certificate_due is when to order the next certificate; null for at once.
		field.Int64("certificate_due").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int("certificate_failures").Default(0),
		field.String("certificate_problem").MaxRuneLen(500).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Domain) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "host").Unique(),
		index.Fields("bucket", "due_at"),
	}
}

// DomainHost is the directory of proved domains, globally unique by its primary key: it alone
// decides which store a host belongs to.
type DomainHost struct{ ent.Schema }

// Fields implements ent.Interface.
func (DomainHost) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("host").SchemaType(key(limit.Host)),
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16),
	}
}

// Annotations implements ent.Interface.
func (DomainHost) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "domain_hosts"}}
}
