package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// ImportJob is a job that writes the rows of a file into a store: the request and the progress.
type ImportJob struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ImportJob) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{Prefix: xid.Import}} }

// Fields implements ent.Interface.
func (ImportJob) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		field.String("kind").GoType(state.ImportKind("")).SchemaType(key(16)).Immutable(),
		// A dry run tries every row and keeps nothing.
		field.Bool("dry_run").Immutable(),
		field.String("file_name").MaxRuneLen(limit.Line).Optional().Nillable().Immutable(),
		// source_url is where the file is fetched from; null for an upload.
		field.String("source_url").SchemaType(text).Optional().Nillable().Immutable(),
		// mapping is a list of columns with their members as JSON; null for the usual ones.
		field.Bytes("mapping").SchemaType(blob).Optional().Immutable(),
		// object_id is the file in the blob store; null until it is fetched.
		field.UUID("object_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		field.Int64("size_bytes").Default(0),
		field.String("requester_type").GoType(viewer.Kind("")).SchemaType(key(16)).Immutable(),
		field.UUID("requester_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("requester_name").MaxRuneLen(255).Immutable(),
		// credential_id is what must not end while the job runs: the lineage of a key, the grant of an
		// app, or a person.
		field.UUID("credential_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("status").GoType(state.ImportStatus("")).SchemaType(key(16)),
		// tries counts the claims; it is the token of a claim.
		field.Int("tries").Default(0),
		// due_at is when a worker may claim the job, or delete it after its end.
		field.Int64("due_at").GoType(micros.Time(0)).Optional().Nillable(),
		// failures counts the failed claims since the last progress.
		field.Int("failures").Default(0),
		// bytes_done and lines_done are the part of the file whose rows are written, or failed.
		field.Int64("bytes_done").Default(0),
		field.Int64("lines_done").Default(0),
		field.Int64("created_count").Default(0),
		field.Int64("updated_count").Default(0),
		field.Int64("unchanged_count").Default(0),
		field.Int64("failed_count").Default(0),
		field.Int64("warning_count").Default(0),
		// findings is the number of rows in import_findings, without those of images.
		field.Int("findings").Default(0),
		// images_pending is the number of rows in import_images, and images_failed of those that failed.
		field.Int64("images_pending").Default(0),
		field.Int64("images_failed").Default(0),
		field.String("error_code").SchemaType(key(32)).Optional().Nillable(),
		field.String("error_message").MaxRuneLen(255).Optional().Nillable(),
		field.Int64("started_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("completed_at").GoType(micros.Time(0)).Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (ImportJob) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
		index.Fields("store_id", "requester_id", "id"),
	}
}

// ImportFinding says why a row was not imported, or what of it was not. Its id follows the order of
// the file.
type ImportFinding struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ImportFinding) Mixin() []ent.Mixin { return []ent.Mixin{Tenant{}} }

// Fields implements ent.Interface.
func (ImportFinding) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("import_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("line").Immutable(),
		// warning says that the row was imported. It is false for an image that could not be fetched, so
		// that the row is among those that can be sent again.
		field.Bool("warning").Immutable(),
		// record is how the file names the row, such as its handle.
		field.String("record").MaxRuneLen(limit.Line).Immutable(),
		field.String("detail").SchemaType(text).Immutable(),
		// The row is in the file from start, and has size bytes.
		field.Int64("start").Immutable(),
		field.Int64("size").Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ImportFinding) Indexes() []ent.Index {
	return []ent.Index{index.Fields("store_id", "import_id", "id").Unique().StorageKey(PrimaryKey)}
}
