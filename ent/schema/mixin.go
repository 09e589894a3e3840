// Package schema declares the entities. Every store-owned entity has the [Tenant] mixin. Keys and
// indexes follow the portability rules: store first, no foreign keys, no descending columns, times
// in microseconds, ids and hashes as bytes.
package schema

import (
	"strconv"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"entgo.io/ent/schema/mixin"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/xid"
)

// Kind is the annotation that names an entity's id prefix; generated code reads it for the entity's
// PublicID method.
type Kind struct{ Prefix xid.Kind }

// Name implements schema.Annotation.
func (Kind) Name() string { return "Kind" }

// Tenant makes an entity owned by a store: its primary key is (store_id, id), set by the migration
// hook, and its policy filters by the viewer's store.
type Tenant struct {
	mixin.Schema
	Prefix xid.Kind
	// Immutable rows are neither changed nor deleted.
	Immutable bool
}

// Fields returns the fields of a store-owned entity. Its creation time is the time in its id.
func (Tenant) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("store_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
	}
}

// Annotations implements ent.Mixin.
func (t Tenant) Annotations() []schema.Annotation { return []schema.Annotation{Kind{t.Prefix}} }

// Policy separates the stores.
func (t Tenant) Policy() ent.Policy {
	if t.Immutable {
		return rule.Immutable()
	}
	return rule.Tenant()
}

// Versioned adds optimistic concurrency: every update raises the version, and the event sequence by
// the number of its events (contract, section 8).
type Versioned struct {
	mixin.Schema
	// Synced entities are listed by updated_at, for incremental sync.
	Synced bool
}

// Fields returns the fields of a versioned entity.
func (Versioned) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("version").Default(1),
		field.Int64("event_sequence").Default(0),
		field.Int64("updated_at").GoType(micros.Time(0)),
	}
}

// Indexes implements ent.Mixin.
func (v Versioned) Indexes() []ent.Index {
	if !v.Synced {
		return nil
	}
	return []ent.Index{index.Fields("store_id", "updated_at", "id")}
}

// The column types that differ from ent's defaults, by engine.
var (
	// bytes16 holds an id.
	bytes16 = map[string]string{dialect.MySQL: "binary(16)", dialect.SQLite: "blob"}
	// bytes32 holds a SHA-256.
	bytes32 = map[string]string{dialect.MySQL: "binary(32)", dialect.SQLite: "blob"}
	// blob holds up to 64 KiB, longBlob up to 16 MiB.
	blob     = map[string]string{dialect.MySQL: "blob", dialect.SQLite: "blob"}
	longBlob = map[string]string{dialect.MySQL: "mediumblob", dialect.SQLite: "blob"}
	// text is displayed, never compared.
	text = map[string]string{dialect.MySQL: "mediumtext"}
)

// key returns the type of a text that is unique or compared. It is binary, since MySQL's collations
// ignore case or trailing spaces. The length is in bytes; a code point takes up to four.
func key(bytes int) map[string]string {
	return map[string]string{dialect.MySQL: "varbinary(" + strconv.Itoa(bytes) + ")"}
}

// PrimaryKey is the name of a unique index that the migration hook turns into the table's primary
// key, instead of (store_id, id).
const PrimaryKey = "primary_key"
