package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Task is what a change does to the rows of another owner, who may lie on another shard:
// it commits with the change, and is carried out right behind it, or by a loop where a
// crash came between. Its id carries when it was made.
type Task struct{ ent.Schema }

// Fields implements ent.Interface.
func (Task) Fields() []ent.Field {
	return []ent.Field{
		// home is the store or the person whose rows the change wrote.
		field.UUID("home", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable().Default(xid.New),
		field.String("kind").SchemaType(key(32)).Immutable(),
		// target is whose rows it writes.
		field.UUID("target", xid.ID{}).SchemaType(bytes16).Immutable(),
		// payload is JSON that the kind understands.
		field.Bytes("payload").SchemaType(blob).Immutable(),
		// due_at is when a loop tries it. Whoever tries moves it on first.
		field.Int64("due_at").GoType(micros.Time(0)),
		field.Int("attempts").Default(0),
	}
}

// Indexes implements ent.Interface.
func (Task) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("home", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("due_at"),
		index.Fields("id"), // to know the oldest
	}
}

// TaskReceipt says that a task was carried out: it commits with the effect, beside the
// rows of whom that is about, so that no task has its effect twice.
type TaskReceipt struct{ ent.Schema }

// Fields implements ent.Interface.
func (TaskReceipt) Fields() []ent.Field {
	return []ent.Field{
		// home is the target of the task, and id the task's.
		field.UUID("home", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable(),
	}
}

// Indexes implements ent.Interface.
func (TaskReceipt) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("home", "id").Unique().StorageKey(PrimaryKey),
		index.Fields("id"), // to forget what is old
	}
}
