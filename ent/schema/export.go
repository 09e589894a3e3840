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

// Export is a job that writes a store's orders, products, customers or attempts to a file
// (contract, sections 5 and 9): the request, the current worker and the progress. The file is the
// concatenation of the job's [ExportPart]s.
type Export struct{ ent.Schema }

// Mixin implements ent.Interface.
func (Export) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{Prefix: xid.Export}, Versioned{}}
}

// Fields implements ent.Interface.
func (Export) Fields() []ent.Field {
	return []ent.Field{
		field.Int8("bucket").Immutable(),
		field.String("kind").GoType(state.ExportKind("")).SchemaType(key(16)).Immutable(),
		field.String("format").GoType(state.ExportFormat("")).SchemaType(key(16)).Immutable(),
		field.String("compression").GoType(state.ExportCompression("")).SchemaType(key(16)).Immutable(),
		field.Int64("created_from").GoType(micros.Time(0)).Optional().Nillable().Immutable(),
		field.Int64("created_to").GoType(micros.Time(0)).Optional().Nillable().Immutable(),
		// filter_status is a status of the exported resource.
		field.String("filter_status").SchemaType(key(32)).Optional().Nillable().Immutable(),
		field.String("requester_type").GoType(viewer.Kind("")).SchemaType(key(16)).Immutable(),
		field.UUID("requester_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.String("requester_name").MaxRuneLen(255).Immutable(),
		// app_id is the app that owns the job; null means the store. The app's row is in the store
		// that registered it.
		field.UUID("app_store_id", xid.ID{}).SchemaType(bytes16).Optional().Nillable().Immutable(),
		field.UUID("app_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.App}).Optional().Nillable().Immutable(),
		field.String("status").GoType(state.ExportStatus("")).SchemaType(key(16)),

		// due_at is when the job next needs a worker: to write the file while the job is queued or
		// running; later to expire the file, to remove its objects from the blob store or to delete
		// the row.
		field.Int64("due_at").GoType(micros.Time(0)),
		// lease_token is a fencing token: every change of owner raises it, and it is part of the
		// names of the parts that the owner writes.
		field.Int64("lease_token").Default(0),
		field.UUID("lease_owner", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// lease_until is by the database's clock on MySQL.
		field.Int64("lease_until").GoType(micros.Time(0)).Default(0),
		// slot is the job's place among the running jobs of its store. It is unique.
		field.Int("slot").Optional().Nillable(),
		// failures counts the failed tries since the last checkpoint.
		field.Int("failures").Default(0),
		// stored says that the blob store may hold objects of the job.
		field.Bool("stored").Default(false),

		// position is the last resource before the last checkpoint.
		field.UUID("position", xid.ID{}).SchemaType(bytes16).Optional().Nillable(),
		// rows_done counts the rows of the file without a header, resources_done the resources in
		// them; resources_total is the number of resources to export.
		field.Int64("rows_done").Default(0),
		field.Int64("resources_done").Default(0),
		field.Int64("resources_total").Optional().Nillable(),
		field.Int("parts").Default(0),
		field.Int64("size_bytes").Default(0),
		// hash_state is the state of SHA-256 over the parts.
		field.Bytes("hash_state").MaxLen(255).Optional(),
		// sha256 is the digest of the whole file, in hexadecimal.
		field.String("sha256").SchemaType(key(64)).Optional().Nillable(),
		field.String("error_code").SchemaType(key(32)).Optional().Nillable(),
		field.String("error_message").MaxRuneLen(255).Optional().Nillable(),
		field.Int64("started_at").GoType(micros.Time(0)).Optional().Nillable(),
		// completed_at is when the job ended, whatever the outcome.
		field.Int64("completed_at").GoType(micros.Time(0)).Optional().Nillable(),
		field.Int64("expires_at").GoType(micros.Time(0)).Optional().Nillable(),
		// deleted_at hides the job; its row is deleted after its objects.
		field.Int64("deleted_at").GoType(micros.Time(0)).Optional().Nillable(),
		// endpoint_id is the endpoint whose attempts are exported.
		field.UUID("endpoint_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.WebhookEndpoint}).
			Optional().Nillable().Immutable(),
		// language and timezone are the store's at the time of the request, for files for
		// spreadsheets: a worker that takes over the job must write the same bytes.
		field.String("language").GoType(state.Language("")).SchemaType(key(16)).Optional().Nillable().Immutable(),
		field.String("timezone").SchemaType(key(limit.Timezone)).Optional().Nillable().Immutable(),
		// The other filters apply to orders only.
		field.String("filter_financial_status").GoType(state.FinancialStatus("")).SchemaType(key(32)).
			Optional().Nillable().Immutable(),
		field.String("filter_fulfillment_status").GoType(state.FulfillmentStatus("")).SchemaType(key(32)).
			Optional().Nillable().Immutable(),
		field.UUID("filter_customer_id", xid.ID{}).SchemaType(bytes16).Annotations(Kind{xid.Customer}).
			Optional().Nillable().Immutable(),
		// filter_ids are the ids of the only rows to export, packed by xid.Pack.
		field.Bytes("filter_ids").MaxLen(16 * limit.ExportIDs).Optional().Immutable(),
		// filter_consent applies to customers only.
		field.String("filter_consent").GoType(state.MarketingConsent("")).SchemaType(key(16)).
			Optional().Nillable().Immutable(),
		// sync_from is the updated_from with which a client continues after the file.
		field.Int64("sync_from").GoType(micros.Time(0)).Optional().Nillable(),
		// redactions is the store's count of redactions before the job read its first row: the file
		// contains nothing of customers whose redactions have this number or a lower one. Null
		// before the job begins, and in jobs begun by an earlier release.
		field.Int64("redactions").Optional().Nillable(),
		// custom_columns are the custom fields that a CSV file has columns of, in JSON: those of the store
		// when the job began, so that every worker writes the same columns.
		field.Bytes("custom_columns").SchemaType(longBlob).Optional(),
		// restarts counts how often redactions restarted the job.
		field.Int("restarts").Optional().Nillable(),
	}
}

// Indexes implements ent.Interface.
func (Export) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("bucket", "due_at"),
		index.Fields("store_id", "slot").Unique(),
		index.Fields("store_id", "status", "id"), // for counting jobs that have not ended
		index.Fields("store_id", "app_id", "id"),
	}
}

// ExportPart is an object of the blob store with a part of an export's file: what was written
// between two checkpoints.
type ExportPart struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ExportPart) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}

// Fields implements ent.Interface.
func (ExportPart) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("export_id", xid.ID{}).SchemaType(bytes16).Immutable(),
		// number counts from 1. Together with the lease token of the writer, it names the object.
		field.Int("number").Immutable(),
		field.Int64("token").Immutable(),
		field.Int64("size_bytes").Immutable(),
	}
}

// Indexes implements ent.Interface.
func (ExportPart) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("store_id", "export_id", "number").Unique().StorageKey(PrimaryKey),
	}
}
