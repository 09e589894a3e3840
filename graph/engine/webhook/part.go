package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/xid"
)

// part is the work of one relay transaction for one store: its next events, for one page of its
// endpoints. While some events are being fanned out, later ones wait, so that no endpoint receives
// a later event first.
type part struct {
	events []*entry
	from   *xid.ID // the last endpoint that has the events already
	subs   []*subscriber
	to     *xid.ID // the last endpoint of the page; nil: it is the last page
}

// large reports whether the store has more than a page of endpoints. Its part is a transaction of
// its own, so that events of other stores do not wait for it.
func (d *part) large() bool { return d.from != nil || d.to != nil }

// parts reads the subscribers of events, page by page, until there are as many deliveries as one
// transaction creates. A large part comes alone.
func (r *relay) parts(ctx context.Context, batch []*entry) (parts []*part, created int, err error) {
	for some := range slices.Chunk(split(batch), loadQueues) {
		if err := r.subscribers(ctx, some); err != nil {
			return nil, 0, err
		}
		for _, d := range some {
			if len(parts) > 0 && (d.large() || parts[0].large()) {
				return parts, created, nil
			}
			if err := r.applyFilters(ctx, d.events, d.subs); err != nil {
				return nil, 0, err
			}
			if created = d.assign(created); len(d.events) == 0 {
				return parts, created, nil
			}
			parts = append(parts, d)
		}
	}
	return parts, created, nil
}

// split takes from each store the first events that were fanned out up to the same endpoint.
func split(batch []*entry) (parts []*part) {
	var d *part
	for i, p := range batch {
		switch {
		case i == 0 || p.store != batch[i-1].store:
			d = &part{events: batch[i : i+1], from: p.dealt}
			parts = append(parts, d)
		case d != nil && same(p.dealt, d.from):
			d.events = batch[i-len(d.events) : i+1]
		default: // the store's other events wait
			d = nil
		}
	}
	return parts
}

func same(a, b *xid.ID) bool { return a == b || a != nil && b != nil && *a == *b }

// subscribers reads the next page of each store's endpoints, including inactive ones.
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
