package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// CustomField defines a field that a store adds to its products, variants, orders or customers. The
// values are in the column custom_fields of these.
type CustomField struct{ ent.Schema }

// Mixin implements ent.Interface.
func (CustomField) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.CustomField}, Versioned{}}
}

// Fields implements ent.Interface.
func (CustomField) Fields() []ent.Field {
	return []ent.Field{
		field.String("owner").GoType(state.CustomFieldOwner("")).SchemaType(key(16)).Immutable(),
		// name is a namespace and a key with a dot between them.
		field.String("name").SchemaType(key(limit.CustomFieldName)).Immutable(),
		field.String("label").MaxRuneLen(limit.Label),
		field.String("type").GoType(state.CustomFieldType("")).SchemaType(key(16)).Immutable(),
		field.Bool("visible_in_shop"),
		field.Bool("filterable"),
		// gone fields are deleted once no record has a value of them.
		field.Bool("gone").Default(false),
	}
}

// Indexes implements ent.Interface.
func (CustomField) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "owner", "name").Unique()}
}
