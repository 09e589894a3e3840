package search

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/searchpending"
	"github.com/storefront-go/storefront/ent/xid"
)

// maxFresh is how many pending items a search reads, newest first. Older ones are found once their
// words are written.
const maxFresh = 200

// fresh is what a search reads from the rows instead of the index.
type fresh struct {
	read  map[xid.ID]bool
	found []xid.ID
}

// fresh reads the pending items, and the orders whose number is a word of the query.
func (f Finder) fresh(ctx context.Context, q Query) (fresh, error) {
	was := fresh{read: map[xid.ID]bool{}}
	ids, err := pending(ctx, f.Client, q.Kind, func(s *sql.Selector) {
		s.OrderBy(sql.Desc(s.C(searchpending.FieldID))).Limit(maxFresh)
	})
	if err == nil {
		ids, err = f.numbered(ctx, q, ids)
	}
	if err != nil || len(ids) == 0 {
		return was, err
	}
	ids = descending(ids)
	for _, id := range ids {
		was.read[id] = true
	}
	list, err := reader{f.Client, ent.NoLock}.items(ctx, q.Kind, byIDs(ids))
	if err != nil {
		return was, err
	}
	var found []xid.ID
	for _, t := range list {
		if (q.Before.IsNil() || t.id.Compare(q.Before) < 0) && t.has(q.Kind, q.words) {
			found = append(found, t.id)
		}
	}
	was.found, err = f.matching(ctx, q, &source{conditions: q.Conditions}, descending(found))
	return was, err
}

// numbered adds the orders whose number is a word of the query.
func (f Finder) numbered(ctx context.Context, q Query, ids []xid.ID) ([]xid.ID, error) {
	numbers := q.numbers()
	if q.Kind != Orders || len(numbers) == 0 {
		return ids, nil
	}
	query := f.Client.Order.Query()
	query.Modify(ent.ForceIndex("order_store_id_number"), func(s *sql.Selector) {
		s.Where(sql.In(s.C(order.FieldNumber), numbers...))
	})
	more, err := query.IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("read orders by number: %w", err)
	}
	return append(ids, more...), nil
}

// join merges the fresh hits into a page of up to limit hits of the index, up to where the page
// ends.
func (f fresh) join(kept []xid.ID, stopped xid.ID, limit int) ([]xid.ID, xid.ID) {
	end := stopped
	if len(kept) == limit {
		end = kept[len(kept)-1]
	}
	all := slices.DeleteFunc(kept, func(id xid.ID) bool { return f.read[id] })
	for _, id := range f.found {
		if id.Compare(end) >= 0 {
			all = append(all, id)
		}
	}
	return descending(all), end
}
