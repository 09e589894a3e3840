package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// WebhookEndpoint is a URL that a store's events are sent to (contract, sections 5 and 8), as
// configured by people and apps. The engine's state is in its [WebhookQueue].
type WebhookEndpoint struct{ ent.Schema }

// Mixin implements ent.Interface.
func (WebhookEndpoint) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.WebhookEndpoint}, Versioned{}}
}

// Fields implements ent.Interface.
func (WebhookEndpoint) Fields() []ent.Field {
	return []ent.Field{
		field.String("url").MaxRuneLen(2048),
		// events are the subscribed names, sorted and separated by spaces.
		field.String("events").SchemaType(key(2048)),
		field.String("description").MaxRuneLen(255).Optional().Nillable(),
		field.String("status").GoType(state.EndpointStatus("")).SchemaType(key(16)),
		// stopped_at and stopped_reason are when and why it was suspended or disabled.
		field.Int64("stopped_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.String("stopped_reason").GoType(state.EndpointStop("")).SchemaType(key(32)).Optional().Nillable(),
		// paused_until is when a pause that a person set ends.
		field.Int64("paused_until").GoType(micros.Time(0)).Optional().Nillable(),
		// payload is how much of the resource its messages contain.
		field.String("payload").GoType(state.WebhookPayload("")).SchemaType(key(8)).Default(string(state.PayloadFull)),
		// selection is the GraphQL text of the fields that its messages contain, instead of all. The
		// payload is then the default: its column is too narrow for another word.
		field.String("selection").SchemaType(key(4096)).Optional().Nillable(),
		// rate_limit is the maximum number of attempts that begin in a second; null means no limit
		// of its own.
		field.Int("rate_limit").Optional().Nillable(),
		// headers are additional headers as JSON, encrypted.
		field.Bytes("headers").SchemaType(blob).Optional(),
		// filters are the conditions on an event's members, as JSON; null matches every event.
		field.String("filters").SchemaType(key(4096)).Optional().Nillable(),
		// app_id is the app that owns the endpoint; null means the store. The app's row is in the
		// store that registered it.
		field.UUID("app_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.UUID("app_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.App}).Optional().Nillable().Immutable(),
		// secret is encrypted. next_secret is the second secret of a rotation, which replaces it
		// when promoted or 24 h after it was issued.
		field.Bytes("secret").MaxLen(255),
		field.String("secret_hint").SchemaType(key(16)),
		field.Bytes("next_secret").MaxLen(255).Optional(),
		field.String("next_secret_hint").SchemaType(key(16)).Optional().Nillable(),
		field.Int64("next_secret_at").GoType(micros.Time(0)).Optional().Nillable(),
		// deleted_at hides the endpoint; its row is deleted when its log has expired.
		field.Int64("deleted_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (WebhookEndpoint) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "app_id", "id"),
	}
}
