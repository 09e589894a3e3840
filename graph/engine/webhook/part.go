package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/xid"
)

// part is what a transaction of the relay does of one store: the events that come next,
// for a page of its endpoints. While some are dealt, those behind them wait, so that no
// endpoint gets a later one first.
type part struct {
	events []*entry
	from   *xid.ID // the last endpoint that has them already
	subs   []*subscriber
	to     *xid.ID // the last endpoint of the page; nil when all of them have the events now
}

// large reports whether the store has more endpoints than a page. Its part is a
// transaction of its own, so that nobody else's events wait until it is made.
func (d *part) large() bool { return d.from != nil || d.to != nil }

// parts reads who gets the events, page by page, until there are as many deliveries as
// one transaction makes. A large part comes alone.
func (r *relay) parts(ctx context.Context, batch []*entry) (parts []*part, made int, err error) {
	for some := range slices.Chunk(split(batch), loadQueues) {
		if err := r.subscribers(ctx, some); err != nil {
			return nil, 0, err
		}
		for _, d := range some {
			if len(parts) > 0 && (d.large() || parts[0].large()) {
				return parts, made, nil
			}
			if err := r.sift(ctx, d.events, d.subs); err != nil {
				return nil, 0, err
			}
			if made = d.share(made); len(d.events) == 0 {
				return parts, made, nil
			}
			parts = append(parts, d)
		}
	}
	return parts, made, nil
}

// split takes the first events of each store that were dealt to the same endpoints.
func split(batch []*entry) (parts []*part) {
	var d *part
	for i, p := range batch {
		switch {
		case i == 0 || p.store != batch[i-1].store:
			d = &part{events: batch[i : i+1], from: p.dealt}
			parts = append(parts, d)
		case d != nil && same(p.dealt, d.from):
			d.events = batch[i-len(d.events) : i+1]
		default: // the rest of the store waits
			d = nil
		}
	}
	return parts
}

func same(a, b *xid.ID) bool { return a == b || a != nil && b != nil && *a == *b }

// subscribers reads the next page of each store's endpoints, those that rest too.
func (r *relay) subscribers(ctx context.Context, parts []*part) error {
	of, args := map[xid.ID]*part{}, make([]any, 0, 2*len(parts))
	for _, d := range parts {
		store, after := d.events[0].store, xid.Nil
		if d.from != nil {
			after = *d.from
		}
		of[store] = d
		args = append(args, store, after)
	}
	page := fmt.Sprintf("SELECT e.store_id, e.id, e.events, e.status, e.app_store_id, e.app_id,"+
		" q.generation, q.wake, q.last_sequence, q.missed_from, e.filters"+
		" FROM webhook_endpoints e JOIN webhook_queues q ON q.store_id = e.store_id AND q.id = e.id"+
		" WHERE e.store_id = ? AND e.id > ? AND e.deleted_at IS NULL ORDER BY e.id LIMIT %d", fanOutPage)
	err := r.read(ctx, r.union(page, len(parts)), args, func(rs *stdsql.Rows) error {
		s, err := scanSubscriber(rs)
		if err == nil {
			of[s.Store].subs = append(of[s.Store].subs, s)
		}
		return err
	})
	for _, d := range parts {
		// A UNION keeps no order.
		slices.SortFunc(d.subs, func(a, b *subscriber) int { return a.Endpoint.Compare(b.Endpoint) })
		if len(d.subs) == fanOutPage {
			d.to = &d.subs[fanOutPage-1].Endpoint
		}
	}
	return wrap("read subscribers", err)
}
