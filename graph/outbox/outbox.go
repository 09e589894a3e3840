// Package outbox writes events into the transaction of the change that makes
// them: both commit, or neither exists (contract, section 8).
package outbox

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/wire"
)

// MaxBody is the size in bytes above which a body is sent without its data.
const MaxBody = 256 << 10

// Resource is what a change left behind: the resource that its events are about.
type Resource struct {
	Store   xid.ID
	ID      xid.ID
	Version int64
	// Sequence is the resource's event sequence after the change; its events
	// take the last numbers up to it.
	Sequence int64
}

// Entry is one event of a change.
type Entry struct {
	Type event.Type
	// Changed names the changed members; nil where the event is not a change.
	Changed []string
	// Object is the representation that the event carries.
	Object []byte
}

// Append writes the events of one change, in their order, with the final bytes
// that subscribers will receive.
func Append(ctx context.Context, c *db.Client, r Resource, entries ...Entry) error {
	rows := make([]*db.EventCreate, len(entries))
	for i, e := range entries {
		kind, ok := event.Find(e.Type)
		if !ok {
			return fmt.Errorf("append event: %q is not in the catalogue", e.Type)
		}
		id := xid.New()
		sequence := r.Sequence - int64(len(entries)-1-i)
		rows[i] = c.Event.Create().SetID(id).SetType(e.Type).
			SetResourceType(kind.Resource.Resource()).SetResourceID(r.ID).
			SetSequence(sequence).SetBody(body(id, kind, r, e, sequence))
	}
	var err error
	if len(rows) == 1 {
		_, err = rows[0].Save(ctx)
	} else {
		_, err = c.Event.CreateBulk(rows...).Save(ctx)
	}
	if err != nil {
		return fmt.Errorf("append event: %w", err)
	}
	return nil
}

// body is the delivery's body of contract section 8.
func body(id xid.ID, kind event.Entry, r Resource, e Entry, sequence int64) []byte {
	b := wire.AppendEvent(nil, wire.Event{
		ID: id, Type: e.Type, Occurred: id.Time(), Store: r.Store,
		Kind: kind.Resource, Resource: r.ID, Version: r.Version,
		Sequence: sequence, Changed: e.Changed, Object: e.Object,
	})
	if len(b) <= MaxBody {
		return b
	}
	e.Object = nil
	return body(id, kind, r, e, sequence)
}
