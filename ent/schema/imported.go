package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/xid"
)

// Imported marks a record of another shop system as imported, so that it is found again although the store
// has nothing else to recognize it by, such as a customer without an email address. It is created in the
// transaction of the import. Its id is the first 16 bytes of SHA-256(system, 0, kind, 0, the record's own
// key), so no personal data remains after a redaction. Earlier releases marked all records of Shopify.
type Imported struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Imported) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Imported) Fields() []ent.Field {
	return []ent.Field{
		// made_id is the product, customer or order that the record became.
		field.UUID("made_id", xid.ID{}).SchemaType(bytes16).Immutable(),
	}
}

// Annotations implements ent.Interface.
func (Imported) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "imports"}}
}
