package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Stream commits events until ctx ends: rate times a second one transaction with an
// event for each store of the endpoints, of the first of their types and about a
// new resource. It costs less than requests that make as many.
func (h *Hooks) Stream(ctx context.Context, rate float64) error {
	kind, _ := event.Find(h.spread.Types[0])
	tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer tick.Stop()
	whole := context.WithoutCancel(ctx) // what was begun is ended
	err := h.store.Admin(whole, func(conn *sql.Conn) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			err := transact(whole, conn, func(conn *sql.Conn) error { return h.each(whole, conn, kind) })
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

// each writes one event for each store.
func (h *Hooks) each(ctx context.Context, conn *sql.Conn, kind event.Entry) error {
	events, outbox := newEvents(conn), newBulk(conn, "outbox", outboxColumns...)
	for _, shop := range h.shops[h.spread.From:][:h.spread.Stores] {
		id := xid.New()
		e := wire.Event{ID: id, Type: kind.Type, Kind: kind.Resource, Occurred: id.Time(), Store: shop,
			Resource: xid.New(), Version: 1, Sequence: 1}
		err := errors.Join(events.add(ctx, eventRow(e)...), outbox.add(ctx, bucket.Of(shop), shop, id))
		if err != nil {
			return err
		}
	}
	return errors.Join(events.flush(ctx), outbox.flush(ctx))
}

// Hold writes deliveries as endpoints have them that rest: they lie in the hot
// table, and nobody is to send them before [Hooks.Release]. Each store has one endpoint.
func (h *Hooks) Hold(ctx context.Context, deliveries int) error {
	const most = 100_000 // of one transaction
	if h.spread.Each != 1 {
		return fmt.Errorf("hold deliveries: a store has %d endpoints", h.spread.Each)
	}
	last, e := map[xid.ID]int64{}, wire.Event{Occurred: micros.Now()} // by store
	for from := 0; from < deliveries; from += most {
		err := h.admin(ctx, "hold deliveries", func(conn *sql.Conn) error {
			return h.hold(ctx, conn, &e, last, from, min(from+most, deliveries))
		}, "events", "deliveries")
		if err != nil {
			return err
		}
	}
	return h.admin(ctx, "hold deliveries", func(conn *sql.Conn) error {
		return h.queuesAre(ctx, conn, func(shop xid.ID) (string, []any) {
			return "last_sequence = ?", []any{last[shop]}
		})
	}, "webhook_queues")
}

// hold writes some of the deliveries, with their events.
func (h *Hooks) hold(ctx context.Context, conn *sql.Conn, e *wire.Event, last map[xid.ID]int64, from, to int) error {
	endpoints := map[xid.ID]xid.ID{}
	for i, id := range h.queues {
		endpoints[h.shops[h.spread.From+i]] = id
	}
	events := newEvents(conn)
	held := newBulk(conn, "deliveries", "store_id", "endpoint_id", "sequence", "id", "event_id", "resource_id")
	for i := from; i < to; i++ {
		h.next(e, i)
		last[e.Store]++
		endpoint, n := endpoints[e.Store], last[e.Store]
		err := errors.Join(events.add(ctx, eventRow(*e)...),
			held.add(ctx, e.Store, endpoint, n, webhook.DeliveryID(endpoint, n, e.Occurred), e.ID, e.Resource))
		if err != nil {
			return err
		}
	}
	return errors.Join(events.flush(ctx), held.flush(ctx))
}

// Release makes the queues of the endpoints due at once, as a reactivation does.
func (h *Hooks) Release(ctx context.Context) error {
	err := h.store.Admin(ctx, func(conn *sql.Conn) error {
		return transact(ctx, conn, func(conn *sql.Conn) error {
			return h.queuesAre(ctx, conn, func(xid.ID) (string, []any) {
				return "due_at = 0, wake = wake + 1, epoch = epoch + 1", nil
			})
		})
	})
	if err != nil {
		return fmt.Errorf("release deliveries: %w", err)
	}
	return nil
}

// queuesAre changes the queue of each endpoint.
func (h *Hooks) queuesAre(ctx context.Context, conn *sql.Conn, set func(shop xid.ID) (string, []any)) error {
	for i, id := range h.queues {
		shop := h.shops[h.spread.From+i/h.spread.Each]
		text, args := set(shop)
		query := "UPDATE webhook_queues SET " + text + " WHERE store_id = ? AND id = ?" //nolint:gosec // a text of ours
		_, err := conn.ExecContext(ctx, query, append(args, shop, id)...)
		if err != nil {
			return err
		}
	}
	return nil
}
