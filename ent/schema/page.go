package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Page is a text that the storefront shows at its own URL, such as the imprint.
type Page struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Page) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Page}}
}

// Fields implements ent.Interface. A page has no events, so it has no event sequence.
func (Page) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("version").Default(1),
		field.Int64("updated_at").GoType(micros.Time(0)),
		field.String("title").MaxRuneLen(255),
		field.String("handle").SchemaType(key(limit.Handle)),
		field.String("status").GoType(state.PageStatus("")).SchemaType(key(16)),
		// kind is a purpose that the law or the shop expects, such as the imprint; null for any
		// other page. A store has at most one page of each kind.
		field.String("kind").GoType(state.PageKind("")).SchemaType(key(16)).Optional().Nillable(),
		// body is Markdown.
		field.String("body").SchemaType(text),
		field.String("seo_description").MaxRuneLen(limit.SEODescription).Optional().Nillable(),
		field.Int64("published_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Page) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "handle").Unique(),
		index.Fields("store_id", "kind").Unique(),
		index.Fields("store_id", "status", "id"),
	}
}

// Menus are the two menus of a store. Its id is the store's, so a store has at most one row;
// without it the storefront shows default menus.
type Menus struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Menus) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (Menus) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("version").Default(1),
		field.Int64("updated_at").GoType(micros.Time(0)),
		field.Bytes("content").GoType(document.Menus(nil)).SchemaType(longBlob),
	}
}

// Annotations implements ent.Interface.
func (Menus) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "menus"}}
}
