// Package outbox writes events into the transaction of the change that makes
// them: both commit, or neither exists (contract, section 8).
package outbox

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/micros"
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
	// At is the time of the change. The last event takes it, those before it the
	// microseconds before, so the ids of one resource's events are in their order
	// and receivers may compare occurred_at (spec, section 6). The change before
	// was at least [Spread] earlier.
	At micros.Time
}

// Spread is the least time between two changes of one resource, in microseconds:
// more than one change has events.
const Spread = 16

// After is the time of a change: [Spread] later than the one before, whatever
// the clocks of two processes say.
func After(before micros.Time) micros.Time { return max(micros.Now(), before+Spread) }

// Entry is one event of a change.
type Entry struct {
	Type event.Type
	// Changed names the changed members; nil where the event is not a change.
	Changed []string
	// Object is the representation that the event carries.
	Object []byte
}

// Append writes the events of one change, in their order, with the final bytes
// that subscribers will receive, and what the relay needs to find them.
func Append(ctx context.Context, c *db.Client, r Resource, entries ...Entry) error {
	if len(entries) >= Spread || r.At == 0 {
		return fmt.Errorf("append event: %d events at %d", len(entries), r.At)
	}
	events := make([]*db.EventCreate, len(entries))
	pending := make([]*db.OutboxCreate, len(entries))
	for i, e := range entries {
		kind, ok := event.Find(e.Type)
		if !ok {
			return fmt.Errorf("append event: %q is not in the catalogue", e.Type)
		}
		left := len(entries) - 1 - i
		id, sequence := xid.At(r.At-micros.Time(left)), r.Sequence-int64(left)
		events[i] = c.Event.Create().SetID(id).SetType(e.Type).
			SetResourceType(kind.Resource.Resource()).SetResourceID(r.ID).
			SetSequence(sequence).SetBody(Stored(ctx, body(id, kind, r, e, sequence)))
		pending[i] = c.Outbox.Create().SetID(id).SetBucket(bucket.Of(r.Store))
	}
	if err := save(ctx, c, events, pending); err != nil {
		return fmt.Errorf("append event: %w", err)
	}
	ent.Announce(ctx)
	return nil
}

// save writes the rows: most changes have one event, whose plain form is cheaper.
func save(ctx context.Context, c *db.Client, events []*db.EventCreate, pending []*db.OutboxCreate) error {
	if len(events) == 1 {
		if err := events[0].Exec(ctx); err != nil {
			return err
		}
		return pending[0].Exec(ctx)
	}
	if err := c.Event.CreateBulk(events...).Exec(ctx); err != nil {
		return err
	}
	return c.Outbox.CreateBulk(pending...).Exec(ctx)
}

// Stored returns a body as the transaction of ctx writes it: packed, where every
// program that reads the database can unpack it.
func Stored(ctx context.Context, body []byte) eventbody.Body {
	if !ent.Writes(ctx, ent.PackedEvents) {
		return body
	}
	return eventbody.Pack(body)
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
