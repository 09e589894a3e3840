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

// ShopperSession is a shopper's session in a browser, at the host of one store. It is valid while
// the customer has the email address that the shopper proved.
type ShopperSession struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShopperSession) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ShopperSession) Fields() []ent.Field {
	return []ent.Field{
		// token is the SHA-256 of the token in the shopper's cookie.
		field.UUID("token", digest.Sum{}).SchemaType(bytes32).Immutable(),
		field.Int8("bucket").Immutable(),
		field.UUID("customer_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		// email is the proved address, in lower case.
		field.String("email").SchemaType(key(1020)).Immutable(),
		// agent is the user agent, and address the IP address of the last use.
		field.String("agent").MaxRuneLen(255).Immutable(),
		field.String("address").SchemaType(key(45)).Optional().Nillable(),
		// seen_at is updated at most once an hour; a session that is unused for too long ends.
		field.Int64("seen_at").GoType(micros.Time(0)),
		field.Int64("expires_at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ShopperSession) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "token").Unique(),
		index.Fields("store_id", "customer_id"),
		index.Fields("bucket", "expires_at"),
	}
}

// ShopperChallenge is a code that was emailed to a shopper, who answers it once. Answering deletes
// it.
type ShopperChallenge struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShopperChallenge) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ShopperChallenge) Fields() []ent.Field {
	return []ent.Field{
		// token is the SHA-256 of the token in the browser that asked.
		field.UUID("token", digest.Sum{}).SchemaType(bytes32).Immutable(),
		field.Int8("bucket").Immutable(),
		field.String("purpose").GoType(state.ShopperPurpose("")).SchemaType(key(16)).Immutable(),
		// email is the address that the code was sent to.
		field.String("email").SchemaType(key(1020)).Immutable(),
		// code is the SHA-256 of the token and the code.
		field.UUID("code", digest.Sum{}).SchemaType(bytes32).Immutable(),
		// tries counts the codes that were entered.
		field.Int("tries").Default(0),
		field.Int64("expires_at").GoType(micros.Time(0)).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ShopperChallenge) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "token").Unique(),
		index.Fields("bucket", "expires_at"),
	}
}

// ShopperPasskey is a passkey of a shopper at a host of one store (Web Authentication, level 2). Like
// a session it is valid while the customer has the email address that the shopper proved.
type ShopperPasskey struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ShopperPasskey) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ShopperPasskey) Fields() []ent.Field {
	return []ent.Field{
		// credential is the SHA-256 of the credential's id.
		field.UUID("credential", digest.Sum{}).SchemaType(bytes32).Immutable(),
		field.UUID("customer_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		// email is the proved address, in lower case.
		field.String("email").SchemaType(key(1020)).Immutable(),
		// host is the name that browsers bind the passkey to.
		field.String("host").SchemaType(key(255)).Immutable(),
		// agent is the user agent that created it.
		field.String("agent").MaxRuneLen(255).Immutable(),
		// data is the credential record, with the public key (section 4).
		field.Bytes("data").SchemaType(blob).Immutable(),
		// step is the signature counter.
		field.Int64("step"),
		field.Int64("used_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (ShopperPasskey) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "credential").Unique(),
		index.Fields("store_id", "customer_id"),
	}
}
