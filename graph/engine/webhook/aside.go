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

// round deals one batch of events. When that fails, and the database is not away, the
// next round takes half as many, and so on: the event that fails alone is set aside.
func (r *relay) round(ctx context.Context) (more bool, made int, err error) {
	err = r.guard.Do(ctx, r.Logger, func() (err error) {
		more, made, err = r.deal(ctx)
		return err
	})
	switch {
	case err == nil:
		r.most = min(2*r.most, relayBatch)
		return more, made, nil
	case errors.Is(err, errRaced):
		return true, 0, nil
	case ctx.Err() != nil || ent.IsUnavailable(err):
		return false, 0, err
	case r.most > 1:
		r.most = max(min(r.most, r.size)/2, 1)
		return true, 0, nil
	case r.suspect == nil: // nothing at all can be read
		return false, 0, err
	}
	if err := errors.Join(r.probe(ctx), ctx.Err()); err != nil {
		return false, 0, err
	}
	return true, 0, r.setAside(ctx, r.suspect, err)
}

// next reads the first place of the outbox that a condition allows, and nothing of its
// event, which may be what cannot be read.
func (r *relay) next(ctx context.Context, where string, args []any) (p *entry, err error) {
	err = r.seek(ctx, "SELECT o.bucket, o.store_id, o.id FROM outbox o WHERE o."+bucket.Every+" AND "+where+
		" ORDER BY o.bucket, o.store_id, o.id LIMIT 1", args, func(rs *stdsql.Rows) error {
		p = new(entry)
		return rs.Scan(&p.bucket, &p.store, &p.event)
	})
	return p, wrap("read outbox", err)
}

// errProbed takes back what was written to see whether it can be.
var errProbed = errors.New("webhook: the database takes deliveries")

// probe tells an event that cannot be relayed from a database in which nothing can be:
// it does what the relay does, for an endpoint that nobody has, and takes it back.
func (r *relay) probe(ctx context.Context) error {
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.body(ctx, xid.Nil, xid.Nil); !errors.Is(err, errGone) {
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

// maxDetail is how many characters of an error are kept with the event that it met.
const maxDetail = 1000

// setAside takes an event out of the outbox that cannot be relayed, so that the others
// go on, those of its resource too.
func (r *relay) setAside(ctx context.Context, p *entry, cause error) error {
	detail := cause.Error()
	if ent.IsDuplicate(cause) { // whose text holds raw bytes
		detail = "a queue has a delivery at that place already"
	}
	if runes := []rune(detail); len(runes) > maxDetail {
		detail = string(runes[:maxDetail])
	}
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		n, err := r.exec(ctx, "DELETE FROM outbox WHERE bucket = ? AND store_id = ? AND id = ? AND generation = ?",
			append(p.place(), p.before)...)
		if err != nil {
			return err
		}
		if n != 1 {
			return errRaced
		}
		if err := r.count(ctx, []*entry{p}); err != nil {
			return err
		}
		before := p.before
		if before == 0 { // what is registered from now on has a higher number (register)
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

// place is the key of an event in the outbox.
func (p *entry) place() []any { return []any{p.bucket, p.store, p.event} }

// Requeue puts the events that were set aside back into the outbox, and returns how
// many. Endpoints that have such an event already get it once more, and all get it
// after the later ones of its resource.
func (e *Engine) Requeue(ctx context.Context) (n int, err error) {
	return e.Store.SumShards(ctx, e.requeue)
}

// requeue is [Engine.Requeue] on one shard.
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

// putBack moves an event back into the outbox, for the endpoints that were registered
// before it. False when somebody else did so.
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
