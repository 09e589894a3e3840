package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// WriteHorizon is a process that writes: none of its open transactions makes a change with a time
// below its horizon. The row of the nil id keeps the time up to which processes that have ended
// showed lists. It belongs to no store; SQLite, which has one writer, needs none.
type WriteHorizon struct{ ent.Schema }

// Fields implements ent.Interface.
func (WriteHorizon) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", xid.ID{}).SchemaType(bytes16).Immutable(),
		field.Int64("horizon").GoType(micros.Time(0)),
		// beat is raised whenever the process publishes its horizon.
		field.Int64("beat"),
	}
}
