package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// round relays one batch of events. When that fails although the database is available, the next
// round takes half as many events, and so on; an event that fails alone is set aside.
func (r *relay) round(ctx context.Context) (more bool, created int, err error) {
	err = r.guard.Do(ctx, r.Logger, func() (err error) {
		more, created, err = r.fanOut(ctx)
		return err
	})
	switch {
	case err == nil:
		r.most = min(2*r.most, relayBatch)
		return more, created, nil
	case errors.Is(err, errRaced):
		return true, 0, nil
	case ctx.Err() != nil || ent.IsUnavailable(err):
		return false, 0, err
	case r.most > 1:
		r.most = max(min(r.most, r.size)/2, 1)
		return true, 0, nil
	case r.suspect == nil: // the outbox cannot be read at all
		return false, 0, err
	}
	if err := errors.Join(r.probe(ctx), ctx.Err()); err != nil {
		return false, 0, err
	}
	return true, 0, r.setAside(ctx, r.suspect, err)
}

// next reads the key of the first matching outbox row, without its event: the event may be the part
// that cannot be read.
func (r *relay) next(ctx context.Context, where string, args []any) (p *entry, err error) {
	err = r.seek(ctx, "SELECT o.bucket, o.store_id, o.id FROM outbox o WHERE o."+bucket.Every+" AND "+where+
		" ORDER BY o.bucket, o.store_id, o.id LIMIT 1", args, func(rs *stdsql.Rows) error {
		p = new(entry)
		return rs.Scan(&p.bucket, &p.store, &p.event)
	})
	return p, wrap("read outbox", err)
}

// errProbed rolls back the test writes of [relay.probe].
var errProbed = errors.New("webhook: deliveries are limited by the database")

// probe distinguishes an event that cannot be relayed from a database that accepts no writes: it
// makes the relay's statements for an endpoint that does not exist, and rolls them back.
func (r *relay) probe(ctx context.Context) error {
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.eventBody(ctx, xid.Nil, xid.Nil); !errors.Is(err, errGone) {
			return err
		}
		if err := r.raise(ctx, []*subscriber{{}}, 1); !errors.Is(err, errRaced) {
			return err
		}
		if err := r.insertDeliveries(ctx, deliveryRow(schedule.Key{}, 1, pending{}, micros.Now())); err != nil {
			return err
		}
		return errProbed
	})
	if errors.Is(err, errProbed) {
		return nil
	}
	return wrap("try the database", err)
}

const maxDetail = 1000

// setAside moves an event that cannot be relayed out of the outbox, so that later events go on,
// including those of its resource.
func (r *relay) setAside(ctx context.Context, p *entry, cause error) error {
	detail := cause.Error()
	if ent.IsDuplicate(cause) { // its text contains raw bytes
		detail = "a queue has a delivery at that place already"
	}
	if runes := []rune(detail); len(runes) > maxDetail {
		detail = string(runes[:maxDetail])
	}
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		err := r.swap(ctx, 1, "DELETE FROM outbox WHERE bucket = ? AND store_id = ? AND id = ? AND generation = ?",
			append(p.place(), p.before)...)
		if err != nil {
			return err
		}
		if err := r.count(ctx, []*entry{p}); err != nil {
			return err
		}
		before := p.before
		if before == 0 { // endpoints registered from now on have a higher number (register)
			err = r.read(ctx, "SELECT updated_at + 1 FROM stores WHERE id = ?", []any{p.store},
				func(rs *stdsql.Rows) error { return rs.Scan(&before) })
			if err != nil {
				return err
			}
		}
		_, err = r.exec(ctx, "INSERT INTO outbox_failures (store_id, id, generation, failed_at, detail)"+values(1, 5),
			p.store, p.event, before, micros.Now(), detail)
		return err
	})
	if errors.Is(err, errRaced) {
		return nil
	}
	if err == nil {
		r.metrics.aside.Inc()
		r.Logger.ErrorContext(ctx, "webhooks: an event cannot be relayed and was set aside",
			"store", xid.Store.Format(p.store), "event", xid.Event.Format(p.event), "error", detail)
	}
	return wrap("set an event aside", err)
}

func (p *entry) place() []any { return []any{p.bucket, p.store, p.event} }

// Requeue puts the events that were set aside back into the outbox and returns their number.
// Endpoints that received such an event already receive it again, and all endpoints receive it
// after the later events of its resource.
func (e *Engine) Requeue(ctx context.Context) (n int, err error) {
	return e.Store.SumShards(ctx, e.requeue)
}

func (e *Engine) requeue(ctx context.Context) (n int, err error) {
	var last entry
	for {
		p := new(entry)
		err := e.seek(ctx, "SELECT store_id, id FROM outbox_failures WHERE store_id > ? OR store_id = ? AND id > ?"+
			" ORDER BY store_id, id LIMIT 1", []any{last.store, last.store, last.event},
			func(rs *stdsql.Rows) error { return rs.Scan(&p.store, &p.event) })
		if err != nil || p.store.IsNil() {
			return n, wrap("read events set aside", err)
		}
		p.bucket = bucket.Of(p.store)
		back, err := e.putBack(ctx, p)
		if err != nil {
			return n, wrap("put an event back", err)
		}
		if back {
			n++
		}
		last = *p
	}
}

// putBack moves an event back into the outbox, for the endpoints that were registered before it. It
// returns false when another process did so first.
func (e *Engine) putBack(ctx context.Context, p *entry) (back bool, err error) {
	err = e.Store.InTx(ctx, func(ctx context.Context) error {
		err := e.read(ctx, "SELECT generation FROM outbox_failures WHERE store_id = ? AND id = ?",
			[]any{p.store, p.event}, func(rs *stdsql.Rows) error { return rs.Scan(&p.before) })
		if err != nil {
			return err
		}
		n, err := e.exec(ctx, "DELETE FROM outbox_failures WHERE store_id = ? AND id = ?", p.store, p.event)
		if back = n == 1; err != nil || !back {
			return err
		}
		ent.Announce(ctx)
		_, err = e.exec(ctx, "INSERT INTO outbox (bucket, store_id, id, generation)"+values(1, 4),
			append(p.place(), p.before)...)
		return err
	})
	return back, err
}
