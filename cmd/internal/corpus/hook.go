package corpus

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

const (
	// hookBody is the size in bytes of an event's body.
	hookBody = 1 << 10
	// In each group of events of one store and type, the last ones share a resource.
	hookGroup, hookShared = 5, 2
)

// Spread says where endpoints are and which events they get.
type Spread struct {
	Stores int // with endpoints
	Each   int // endpoints per store
	// Types are the event types, used in turns. Each endpoint subscribes to one, and each type has
	// equally many: Each is a multiple of their number.
	Types []event.Type
}

// Endpoints returns the number of endpoints.
func (s Spread) Endpoints() int { return s.Stores * s.Each }

// FanOut returns how many endpoints get an event.
func (s Spread) FanOut() int { return s.Each / len(s.Types) }

// Hooks are endpoints in the stores of a filled database, and the events that wait for them.
type Hooks struct {
	store  *ent.Store
	vault  webhook.Vault
	shops  []xid.ID
	spread Spread
	queues []xid.ID // the endpoints that were registered last
}

// NewHooks returns hooks without endpoints. The vault must be that of the delivering process.
func NewHooks(s *ent.Store, c *Corpus, v webhook.Vault) (*Hooks, error) {
	h := &Hooks{store: s, vault: v}
	for _, shop := range c.Shops {
		id, err := xid.Store.Parse(shop.ID)
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		h.shops = append(h.shops, id)
	}
	return h, nil
}

// Register creates the endpoints; address returns the URL of each. Later events go to the endpoints
// of the last call.
func (h *Hooks) Register(ctx context.Context, spread Spread, address func(i int) string) error {
	if spread.Stores > len(h.shops) || spread.Each%len(spread.Types) != 0 {
		return fmt.Errorf("register endpoints: %+v does not fit %d stores", spread, len(h.shops))
	}
	h.spread, h.queues = spread, nil
	return admin(ctx, h.store, "register endpoints", func(conn *sql.Conn) error {
		endpoints := newBulk(conn, "webhook_endpoints", "store_id", "id", "version", "event_sequence",
			"updated_at", "url", "events", "status", "secret", "secret_hint")
		queues := newBulk(conn, "webhook_queues", "store_id", "id", "bucket", "due_at")
		for i := range spread.Endpoints() {
			shop, id, secret := h.shops[i/spread.Each], xid.New(), webhook.NewSecret()
			h.queues = append(h.queues, id)
			err := errors.Join(
				endpoints.add(ctx, shop, id, 1, 0, int64(id.Time()), address(i),
					string(spread.Types[i%spread.Each%len(spread.Types)]), string(state.EndpointActive),
					h.vault.Seal(id, secret), webhook.Hint(secret)),
				queues.add(ctx, shop, id, bucket.Of(shop), int64(micros.Max)))
			if err != nil {
				return err
			}
		}
		return errors.Join(endpoints.flush(ctx), queues.flush(ctx))
	}, "webhook_endpoints", "webhook_queues")
}

// Backlog writes events to the outbox for about the given number of deliveries, and returns the exact
// number. Bodies have 1 KB; two in five events share their resource with another one.
func (h *Hooks) Backlog(ctx context.Context, deliveries int) (made int, err error) {
	err = admin(ctx, h.store, "write a backlog", func(conn *sql.Conn) error {
		events := newBulk(conn, "events", "store_id", "id", "type", "resource_type", "resource_id", "sequence", "body")
		outbox := newBulk(conn, "outbox", "bucket", "store_id", "id")
		e := wire.Event{Occurred: micros.Now()}
		for i := 0; made < deliveries; i++ {
			h.next(&e, i)
			err := errors.Join(
				events.add(ctx, e.Store, e.ID, string(e.Type), e.Kind.Resource(), e.Resource, e.Sequence, body(e)),
				outbox.add(ctx, bucket.Of(e.Store), e.Store, e.ID))
			if err != nil {
				return err
			}
			made += h.spread.FanOut()
		}
		return errors.Join(events.flush(ctx), outbox.flush(ctx))
	}, "events", "outbox")
	return made, err
}

// next returns the i-th event, derived from the one before.
func (h *Hooks) next(e *wire.Event, i int) {
	group := i / hookGroup
	kind, _ := event.Find(h.spread.Types[group/h.spread.Stores%len(h.spread.Types)])
	e.Store, e.Type, e.Kind = h.shops[group%h.spread.Stores], kind.Type, kind.Resource
	e.Occurred++
	e.ID = xid.At(e.Occurred)
	if i%hookGroup > hookGroup-hookShared {
		e.Sequence++
	} else {
		e.Resource, e.Sequence = xid.New(), 1
	}
	e.Version = e.Sequence
}

// body returns the body of an event, padded to its size.
func body(e wire.Event) []byte {
	const head, tail = `{"note":"`, `"}`
	e.Object = []byte(head + tail)
	bare := len(wire.AppendEvent(nil, e))
	e.Object = fmt.Appendf(nil, "%s%s%s", head, bytes.Repeat([]byte("x"), max(hookBody-bare, 0)), tail)
	return wire.AppendEvent(make([]byte, 0, hookBody), e)
}

// Left counts the rows after a run: events in the outbox, deliveries in the hot table, and logged
// deliveries that reached their receiver.
type Left struct{ Outbox, Waiting, Delivered int }

// Left counts the rows that a run left.
func (h *Hooks) Left(ctx context.Context) (l Left, err error) {
	for _, q := range []struct {
		text string
		n    *int
	}{
		{"SELECT COUNT(*) FROM outbox", &l.Outbox},
		{"SELECT COUNT(*) FROM deliveries", &l.Waiting},
		{"SELECT COUNT(*) FROM delivery_logs WHERE state = 'delivered'", &l.Delivered},
	} {
		if err := h.store.Raw().QueryRowContext(ctx, q.text).Scan(q.n); err != nil {
			return l, fmt.Errorf("%s: %w", q.text, err)
		}
	}
	return l, nil
}

// Settled reports whether the hot table is empty.
func (h *Hooks) Settled(ctx context.Context) (bool, error) {
	err := h.store.Raw().QueryRowContext(ctx, "SELECT sequence FROM deliveries LIMIT 1").Scan(new(int64))
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}

// written are the tables that hooks and the load of their figures write.
var written = []string{"events", "outbox", "deliveries", "delivery_logs", "attempts", "endpoint_stats",
	"webhook_queues", "webhook_endpoints", "products", "idempotency_keys", "audit_log"}

// Clear empties the tables of events and products, so that every figure starts with equal tables.
func (h *Hooks) Clear(ctx context.Context) error {
	empty := "DELETE FROM "
	if h.store.Dialect() == dialect.MySQL {
		empty = "TRUNCATE TABLE "
	}
	return admin(ctx, h.store, "empty the tables", func(conn *sql.Conn) error {
		for _, table := range written {
			if err := exec(ctx, conn, empty+table); err != nil {
				return err
			}
		}
		return nil
	})
}

// admin runs f in one transaction, then updates the statistics and checkpoints SQLite's log.
func admin(ctx context.Context, s *ent.Store, doing string, f func(*sql.Conn) error, tables ...string) error {
	err := s.Admin(ctx, func(conn *sql.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		if err := exec(ctx, conn, "BEGIN"); err != nil {
			return err
		}
		if err := f(conn); err != nil {
			return errors.Join(err, exec(ctx, conn, "ROLLBACK"))
		}
		if err := exec(ctx, conn, "COMMIT"); err != nil {
			return err
		}
		if s.Dialect() == dialect.SQLite {
			return exec(ctx, conn, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
		for _, table := range tables {
			if err := exec(ctx, conn, "ANALYZE TABLE `"+table+"`"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
