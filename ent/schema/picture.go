package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Picture is the service's copy of an image that products of a store refer to by URL, or the result
// of the last try to fetch it. Its id is the first 16 bytes of the URL's SHA-256.
type Picture struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Picture) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Picture) Fields() []ent.Field {
	return []ent.Field{
		field.String("state").GoType(state.PictureState("")).SchemaType(key(16)),
		// object_id names the object in the blob store. Every try has a new one, with which it
		// claims the row and completes: a compare-and-set, so that only one process fetches.
		field.UUID("object_id", xid.ID{}).SchemaType(bytes16),
		field.String("content_type").SchemaType(key(64)).Default(""),
		field.Int64("size_bytes").Default(0),
		// width and height are in pixels.
		field.Int("width").Default(0),
		field.Int("height").Default(0),
		field.Int("tries").Default(1),
		field.Int64("tried_at").GoType(micros.Time(0)),
		// due_at is when the next try is allowed.
		field.Int64("due_at").GoType(micros.Time(0)),
	}
}
