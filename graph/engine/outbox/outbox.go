// Package outbox writes events in the transaction of the change that causes them: both commit, or
// neither (contract, section 8).
package outbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// MaxBody is the size in bytes above which a body is sent without its data.
const MaxBody = 256 << 10

// Resource is the changed resource that events are about.
type Resource struct {
	Store   xid.ID
	ID      xid.ID
	Version int64
	// Sequence is the resource's event sequence after the change; its events take the last numbers
	// up to it.
	Sequence int64
	// At is the time of the change. The last event takes it, and the earlier ones the microseconds
	// before, so that the ids of one resource's events are in order and receivers may compare
	// occurred_at (spec, section 6). The previous change was at least [Spread] earlier.
	At micros.Time
}

// Spread is the least time between two changes of one resource, in microseconds. It exceeds the
// number of events of a change.
const Spread = 16

// After returns the time of a change: now, but at least [Spread] later than the previous change,
// whatever the clocks of two processes say.
func After(before micros.Time) micros.Time { return max(micros.Now(), before+Spread) }

// Entry is one event of a change.
type Entry struct {
	Type event.Type
	// Changed names the changed members; nil if the event is not a change.
	Changed []string
	// Object is the representation in the event.
	Object []byte
}

// Append writes the events of one change, in order, with the final bytes that subscribers will
// receive, and their outbox rows for the relay.
func Append(ctx context.Context, c *db.Client, r Resource, entries ...Entry) error {
	if len(entries) >= Spread || r.At == 0 {
		return fmt.Errorf("append event: %d events at %d", len(entries), r.At)
	}
	store, err := rule.Stamp(ctx)
	if err == nil && store != r.Store {
		err = fmt.Errorf("%w: an event of another store", rule.ErrDenied)
	}
	if err == nil {
		err = save(ctx, c, r, entries)
	}
	if err != nil {
		return fmt.Errorf("append event: %w", err)
	}
	ent.Announce(ctx)
	return nil
}

// save writes its statements out: every change runs them, and a statement builder costs more time
// than the database takes to run them.
func save(ctx context.Context, c *db.Client, r Resource, entries []Entry) error {
	events, pending, size := make([]any, 0, 7*len(entries)), make([]any, 0, 3*len(entries)), 0
	for i, e := range entries {
		kind, ok := event.Find(e.Type)
		if !ok {
			return fmt.Errorf("%q is not in the catalogue", e.Type)
		}
		left := len(entries) - 1 - i
		id, sequence := xid.At(r.At-micros.Time(left)), r.Sequence-int64(left)
		stored := Stored(ctx, body(id, kind, r, e, sequence))
		size += len(stored)
		events = append(events, r.Store, id, string(e.Type), kind.Resource.Resource(), r.ID, sequence, stored)
		pending = append(pending, r.Store, id, int64(bucket.Of(r.Store)))
	}
	if size <= ent.MaxLater {
		ctx = ent.Later(ctx)
	}
	_, err := c.ExecContext(ctx, rows("INSERT INTO events (store_id, id, type, resource_type, resource_id, sequence, "+
		"body) VALUES ", "(?, ?, ?, ?, ?, ?, ?)", len(entries)), events...)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, rows("INSERT INTO outbox (store_id, id, bucket, generation) VALUES ",
		"(?, ?, ?, 0)", len(entries)), pending...) // 0: for endpoints of every generation
	return err
}

func rows(head, row string, n int) string {
	if n == 1 {
		return head + row
	}
	return head + row + strings.Repeat(", "+row, n-1)
}

// Stored returns a body in the form that the transaction of ctx writes: compressed, if every
// running release can read that.
func Stored(ctx context.Context, body []byte) eventbody.Body {
	switch {
	case ent.Writes(ctx, ent.ShortEvents):
		return eventbody.Pack(body)
	case ent.Writes(ctx, ent.PackedEvents):
		return eventbody.PackFirst(body)
	default:
		return body
	}
}

// body returns the delivery's body of contract section 8.
func body(id xid.ID, kind event.Entry, r Resource, e Entry, sequence int64) []byte {
	b := wire.AppendEvent(make([]byte, 0, 512+len(e.Object)), wire.Event{
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
