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

// Grant is what one consent gave one app in one store (contract, section 7). It is the token
// family: its authorization code, its refresh token and its access tokens are valid only with it,
// so a revocation is one update of this row.
//
// The code and the refresh token are states of the row itself. The directory of credentials leads
// from their hashes to the row, which decides whether a hash is current or was used before.
type Grant struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Grant) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Grant}, Versioned{}}
}

// Fields implements ent.Interface.
func (Grant) Fields() []ent.Field {
	return []ent.Field{
		// The app's row is in the store that registered it.
		field.UUID("app_store_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("app_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.App}),
		field.UUID("user_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.User}),
		field.String("user_name").MaxRuneLen(255),
		// scopes are the granted names including implied read scopes, separated by spaces.
		field.String("scopes").SchemaType(key(1024)).Immutable(),
		field.String("redirect_uri").SchemaType(text).Immutable(),
		// resource is the resource that the client requested (RFC 8707); null means every resource.
		field.String("resource").SchemaType(key(1024)).Optional().Nillable(),
		// code_challenge is the S256 code challenge of PKCE.
		field.String("code_challenge").SchemaType(key(43)).Immutable(),
		field.Int64("code_expires_at").GoType(micros.Time(0)).Immutable(),
		field.Int64("code_used_at").GoType(micros.Time(0)).Optional().Nillable(),
		// refresh_hash is the hash of the current refresh token; any other refresh token in the
		// directory was rotated out.
		field.UUID("refresh_hash", digest.Sum{}).SchemaType(bytes32).Optional().Nillable(),
		field.Int64("refresh_expires_at").GoType(micros.Time(0)).Optional().Nillable(),
		// answer is the encrypted answer to the last refresh, until one of its tokens is used.
		field.Bytes("answer").MaxLen(2048).Optional(),
		// answer_token is the access token in the answer; its id contains the time of the refresh.
		field.UUID("answer_token", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Annotations(Kind{xid.Token}),
		// expires_at ends the whole family, regardless of refreshes.
		field.Int64("expires_at").GoType(micros.Time(0)).Immutable(),
		field.Int64("revoked_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.String("revoked_reason").GoType(state.GrantEnd("")).SchemaType(key(32)).Optional().Nillable(),
		field.Int64("last_used_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Grant) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "app_id", "id"),
		index.Fields("store_id", "user_id"),
	}
}
