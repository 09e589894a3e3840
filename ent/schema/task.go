package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Task is the effect of a change on the rows of another owner, which may be on another shard. It
// commits with the change and is executed right after it, or by a loop after a crash. Its id
// contains its creation time.
type Task struct{ ent.Schema }

// Fields implements ent.Interface.
func (Task) Fields() []ent.Field {
	return []ent.Field{
		// home is the store or the person whose rows the change wrote.
		field.UUID("home", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		field.String("kind").SchemaType(key(32)).Immutable(),
		// target is the owner whose rows the task writes.
		field.UUID("target", xid.ID{}).SchemaType(bytes16).Immutable(),
		// payload is JSON, defined by the kind.
		field.Bytes("payload").SchemaType(blob).Immutable(),
		// due_at is when a loop tries it. Each try moves it forward first.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("attempts").Default(0),
	}
}

// Indexes implements ent.Interface.
func (Task) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("home", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("due_at"),
		index.Fields("id"), // for finding the oldest
	}
}

// TaskReceipt says that a task was executed. It commits with the effect, on the shard of the
// target, so that no task has its effect twice.
type TaskReceipt struct{ ent.Schema }

// Fields implements ent.Interface.
func (TaskReceipt) Fields() []ent.Field {
	return []ent.Field{
		// home is the task's target, and id the task's id.
		field.UUID("home", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (TaskReceipt) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("home", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("id"), // for deleting old rows
	}
}
