package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// ProductFile is the file that buyers of a variant download, whose id it has. Its bytes are in the
// blob store and never change: another file gets another object. The row remains when the variant
// is removed, so that its buyers keep the file.
type ProductFile struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ProductFile) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{Prefix: xid.Variant}} }

// Fields implements ent.Interface.
func (ProductFile) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("product_id", xid.ID{}).SchemaType(bytes16).Immutable().Annotations(Kind{xid.Product}),
		// filename is the name of the uploaded file, without a path.
		field.String("filename").MaxRuneLen(limit.Line),
		field.UUID("object_id", xid.ID{}).SchemaType(bytes16),
		field.Int64("size_bytes"),
	}
}

// Indexes implements ent.Interface.
func (ProductFile) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "product_id")}
}

// Download counts the downloads of the file of an order's line, whose id it has.
type Download struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Download) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Download) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("order_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("used"),
		// last_at is when the latest download that counts began.
		field.Int64("last_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Interface.
func (Download) Indexes() []ent.Index { return []ent.Index{index.Fields("store_id", "order_id")} }
