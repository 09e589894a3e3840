package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// Theme is a theme of a store (contract, section 5). Its content is its [ThemePackage] and its
// [ThemeAsset]s. The store's row says which theme is active.
type Theme struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Theme) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Theme}, Versioned{}}
}

// Fields implements ent.Interface.
func (Theme) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		field.String("name").MaxRuneLen(255),
		// theme_version is the author's name of this version.
		field.String("theme_version").SchemaType(key(limit.Version)).Optional().Nillable(),
		field.String("author").MaxRuneLen(255).Optional().Nillable(),
		field.String("description").MaxRuneLen(1000).Optional().Nillable(),
		field.String("status").GoType(state.ThemeStatus("")).SchemaType(key(16)),
		field.String("source").GoType(state.ThemeSource("")).SchemaType(key(16)).Immutable(),
		field.UUID("marketplace_theme_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.MarketplaceTheme}).
			Optional().Nillable().Immutable(),
		field.Int64("asset_count"),
		field.Int64("size_bytes"),
		// checksum is the checksum of its package.
		field.UUID("checksum", digest.Sum{}).SchemaType(bytes32),
		// preview is the path of the preview image under {api_host}.
		field.String("preview").SchemaType(key(512)).Optional().Nillable(),
		// settings are the merchant's settings of the theme, draft_settings the ones that previews
		// show; null if they are the same.
		field.Bytes("settings").GoType(document.ThemeSettings(nil)).SchemaType(longBlob).Optional(),
		field.Bytes("draft_settings").GoType(document.ThemeSettings(nil)).SchemaType(longBlob).Optional(),
		field.Int64("activated_at").GoType(micros.Time(0)).Optional().Nillable(),
		// due_at is when processing is tried next. A try first moves it forward and raises tries: a
		// compare-and-set, so that only one process tries.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("tries").Default(0),
	}
}

// Indexes implements ent.Interface.
func (Theme) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
		index.Fields("store_id", "marketplace_theme_id", "id"),
	}
}

// ThemeUpload is the archive of a theme that is being processed, whose id it shares.
type ThemeUpload struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ThemeUpload) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ThemeUpload) Fields() []ent.Field {
	return []ent.Field{field.Bytes("archive").SchemaType(longBlob).Immutable()}
}

// ThemeAsset is a stylesheet, font or image of a theme. Its bytes are in the blob store, named by
// their checksum.
type ThemeAsset struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ThemeAsset) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.ThemeAsset}}
}

// Fields implements ent.Interface.
func (ThemeAsset) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("theme_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Theme}).Immutable(),
		// path is the asset's key: its name in the theme's archive.
		field.String("path").SchemaType(key(255)).Immutable(),
		field.String("kind").GoType(state.AssetKind("")).SchemaType(key(16)).Immutable(),
		field.String("content_type").SchemaType(key(64)).Immutable(),
		field.Int64("size_bytes").Immutable(),
		field.UUID("checksum", digest.Sum{}).SchemaType(bytes32).Immutable(),
		// width and height are in pixels, for images that have them.
		field.Int("width").Optional().Nillable().Immutable(),
		field.Int("height").Optional().Nillable().Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ThemeAsset) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "theme_id", "path").Unique(),
	}
}

// ThemePackage is a theme without the bytes of its assets: the manifest, the templates and the list
// of assets. It is stored by checksum, never changed, and belongs to no store: themes of many
// stores share it.
type ThemePackage struct{ ent.Schema }

// Fields implements ent.Interface.
func (ThemePackage) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", digest.Sum{}).StorageKey("checksum").SchemaType(bytes32),
		field.Bytes("content").SchemaType(longBlob).Immutable(),
		field.Int64("created_at").GoType(micros.Time(0)).Immutable(),
	}
}

// MarketplaceTheme is a theme that was submitted to the marketplace or is listed there. All stores
// share the marketplace, so the row belongs to no store, but names the submitter.
type MarketplaceTheme struct{ ent.Schema }

// Fields implements ent.Interface.
func (MarketplaceTheme) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		// submitter_id is the store that submitted it; null for the samples.
		field.UUID("submitter_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.String("slug").SchemaType(key(limit.Handle)).Immutable(),
		field.String("name").MaxRuneLen(255),
		field.String("tagline").MaxRuneLen(255).Optional().Nillable(),
		field.String("author").MaxRuneLen(255),
		field.String("theme_version").SchemaType(key(limit.Version)),
		field.Int64("price_minor"),
		field.String("currency").SchemaType(key(3)),
		// categories are sorted and separated by spaces.
		field.String("categories").SchemaType(key(1024)),
		// preview is the path of the preview image under {api_host}.
		field.String("preview").SchemaType(key(512)).Optional().Nillable(),
		field.Int("rating_percent").Optional().Nillable(),
		field.Int64("installs_count").Default(0),
		field.String("status").GoType(state.ListingStatus("")).SchemaType(key(16)),
		// review_note is the reviewer's message to the submitter.
		field.String("review_note").MaxRuneLen(1000).Optional().Nillable(),
		// checksum is the checksum of the package.
		field.UUID("checksum", digest.Sum{}).SchemaType(bytes32),
		field.Int64("published_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Interface.
func (MarketplaceTheme) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("slug").Unique(),
		index.Fields("status", "published_at", "id"),
		index.Fields("submitter_id", "id"),
	}
}

// Annotations implements ent.Interface.
func (MarketplaceTheme) Annotations() []schema.Annotation {
	return []schema.Annotation{Kind{xid.MarketplaceTheme}, entsql.Annotation{Table: "marketplace_themes"}}
}
