package erase

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// bodies is how many events one transaction rewrites. A body has up to 256 KiB.
const bodies = 32

func (e *Engine) customer(ctx context.Context, t *task) (*place, error) {
	return nil, e.rewrite(ctx, []xid.ID{t.ID})
}

// rewrite redacts the bodies of the stored events of the resources. Their ids, types, sequences and
// times stay. It may be repeated.
func (e *Engine) rewrite(ctx context.Context, resources []xid.ID) error {
	rows, err := e.Store.DB(ctx).Event.Query().Where(dbevent.ResourceIDIn(resources...)).
		Order(dbevent.ByID()).Select(dbevent.FieldStoreID, dbevent.FieldID, dbevent.FieldType).All(ctx)
	if err != nil {
		return fmt.Errorf("read events to redact: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(row *db.Event) bool { return !wire.Personal(row.Type) })
	for some := range slices.Chunk(rows, bodies) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.rewriteSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) rewriteSome(ctx context.Context, some []*db.Event) error {
	ids := make([]xid.ID, len(some))
	for i, row := range some {
		ids[i] = row.ID
	}
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		query := e.Store.DB(ctx).Event.Query().Where(dbevent.IDIn(ids...)).Order(dbevent.ByID())
		query.Modify(ent.ForceIndex(ent.Primary))
		rows, err := query.Load(ctx)
		if err != nil {
			return fmt.Errorf("read events to redact: %w", err)
		}
		for _, row := range rows {
			body, err := wire.RedactEvent(row.Type, row.Body)
			if err == nil && !bytes.Equal(body, row.Body) {
				err = e.Store.DB(ctx).Event.Update().Where(dbevent.ID(row.ID)).SetBody(outbox.Stored(ctx, body)).
					Exec(ctx)
			}
			if err != nil {
				return fmt.Errorf("redact %s: %w", xid.Event.Format(row.ID), err)
			}
		}
		return nil
	})
}

// RedactEvent returns the body of an event without the personal data of a customer who was redacted. The
// stored body, or one read earlier, may still have it.
func (e *Engine) RedactEvent(store xid.ID, kind event.Type, body []byte) ([]byte, error) {
	if !e.recent.covers(store) {
		return body, nil
	}
	customer, ok := wire.PersonOf(kind, body)
	if !ok || !e.recent.has(store, customer) {
		return body, nil
	}
	return wire.RedactEvent(kind, body)
}
