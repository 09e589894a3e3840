package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// WebhookEndpoint is an address that a store's events are sent to (contract,
// sections 5 and 8): what people and apps say of it. What the engine keeps lies
// in its [WebhookQueue].
type WebhookEndpoint struct{ ent.Schema }

// Mixin implements ent.Interface.
func (WebhookEndpoint) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.WebhookEndpoint}, Versioned{}}
}

// Fields implements ent.Interface.
func (WebhookEndpoint) Fields() []ent.Field {
	return []ent.Field{
		field.String("url").MaxRuneLen(2048),
		// events are the names subscribed to, sorted and parted by spaces.
		field.String("events").SchemaType(key(2048)),
		field.String("description").MaxRuneLen(255).Optional().Nillable(),
		field.String("status").GoType(state.EndpointStatus("")).SchemaType(key(16)),
		// stopped_at and stopped_reason say since when it is suspended or disabled, and why.
		field.Int64("stopped_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.String("stopped_reason").GoType(state.EndpointStop("")).SchemaType(key(32)).Optional().Nillable(),
		// paused_until is until when a person wants nothing sent.
		field.Int64("paused_until").GoType(micros.Time(0)).Optional().Nillable(),
		// rate_limit is how many attempts may begin in a second; null is no limit of its own.
		field.Int("rate_limit").Optional().Nillable(),
		// headers are those that are sent besides our own, as JSON, encrypted.
		field.Bytes("headers").SchemaType(blob).Optional(),
		// filters are the conditions on an event's members, as JSON; null takes every event.
		field.String("filters").SchemaType(key(4096)).Optional().Nillable(),
		// app_id is the app whose endpoint it is; without one it is the store's. The
		// app's row lies in the store that registered it.
		field.UUID("app_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.UUID("app_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.App}).Optional().Nillable().Immutable(),
		// secret is encrypted. next_secret is the second one of a rotation, which
		// takes its place when it is promoted or 24 h after it was issued.
		field.Bytes("secret").MaxLen(255),
		field.String("secret_hint").SchemaType(key(16)),
		field.Bytes("next_secret").MaxLen(255).Optional(),
		field.String("next_secret_hint").SchemaType(key(16)).Optional().Nillable(),
		field.Int64("next_secret_at").GoType(micros.Time(0)).Optional().Nillable(),
		// deleted_at hides it; the row goes when its log has aged out.
		field.Int64("deleted_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (WebhookEndpoint) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "app_id", "id"),
	}
}
