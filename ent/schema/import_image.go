package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// ImportImage is an image that an import still has to fetch. The row commits with its product, and is
// deleted with the image's own commit, or when the image has failed for good.
type ImportImage struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ImportImage) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ImportImage) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("import_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		// position is the place among the images of the product in the file, from 1.
		field.Int("position").Immutable(),
		field.String("url").SchemaType(text).Immutable(),
		field.String("alt").MaxRuneLen(limit.ImageAlt).Immutable(),
		// variants are the ids of the variants that show the image, 16 bytes each.
		field.Bytes("variants").SchemaType(blob).Optional().Immutable(),
		// record, line, start and size are those of a finding.
		field.String("record").MaxRuneLen(limit.Line).Immutable(),
		field.Int64("line").Immutable(),
		field.Int64("start").Immutable(),
		field.Int64("size").Immutable(),
		// tries counts the claims; it is the token of a claim. failures counts the failed ones.
		field.Int("tries").Default(0),
		field.Int("failures").Default(0),
		field.Int64("due_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Interface.
func (ImportImage) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "due_at")}
}
