package search

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
)

const (
	// few is the maximum number of entries of a word that is read as a whole, and most the same if
	// none of the newest items match.
	few, most = 3000, 20_000
	// maxScan bounds the items that one page examines, divided by the number of conditions on each:
	// with two words it is half as many. If fewer of them match, the page is short and the next one
	// continues.
	maxScan = 2000
	// firstBatch is how many items are examined first, and batch how many at a time after that.
	firstBatch, batch = 100, 500
	// byID is the index of the words of one item.
	byID = "searchterm_store_id_id_term"
)

var tables = map[Kind]string{Customers: "customers", Orders: "orders", Products: "products"}

// Condition is a condition on the row of an item, such as "o.status = ?".
type Condition struct {
	Text string
	Arg  any
}

// Query describes a page of a search: the newest items of a kind that have all words of the query
// and meet the conditions.
type Query struct {
	Kind Kind
	Question
	Conditions []Condition
	// Newest are ranges of an index of the table, by id, which contain the items that meet some of
	// the conditions. Without an index it is the primary key.
	Newest ent.Ranges
	// From and To bound the ids; To is excluded and nil is unbounded.
	From, To xid.ID
	// Before is the last item of the previous page; nil for none.
	Before xid.ID
	Limit  int
}

// Finder searches the data of a store.
type Finder struct {
	Client *db.Client
	Engine string
	Store  xid.ID
}

// Page returns the ids of a page of the viewer's store. stopped is where the next page continues if
// the search ended at its bound.
func Page(ctx context.Context, s *ent.Store, q Query, after *page.Position, limit int) (
	ids []xid.ID, stopped *page.Position, err error,
) {
	if after != nil {
		q.Before = after.ID
	}
	q.Limit = limit
	finder := Finder{Client: s.DB(ctx), Engine: s.Dialect(), Store: viewer.From(ctx).Store}
	ids, at, err := finder.Find(ctx, q)
	if err == nil && !at.IsNil() {
		stopped = &page.Position{Time: at.Time(), ID: at}
	}
	return ids, stopped, err
}

// Find returns the ids of a page, newest first. If the page ended at its scan bound before it was
// full, stopped is where the next page continues; otherwise it is nil.
//
// It counts the entries of each word, up to a bound. It reads the items of the rarest word: newest
// first if few terms begin with it, or as a whole if it has few entries. Otherwise matches are
// frequent, so it examines the newest items of the store; if none of them match, the matches are
// old, and the longest word is read as a whole. The other words are looked up item by item, after a
// [prefilter] has dropped items without a word that can be read as a range.
//
// Pending items are read first, and from their rows, so that none is missed while its words are
// being written.
func (f Finder) Find(ctx context.Context, q Query) (ids []xid.ID, stopped xid.ID, err error) {
	if q.words = q.of(q.Kind); len(q.words) == 0 {
		return nil, xid.Nil, nil
	}
	fresh, err := f.fresh(ctx, q)
	if err != nil {
		return nil, xid.Nil, err
	}
	asked := q.Limit
	q.Limit += min(len(fresh.read), asked) // that many hits of the index may be outdated
	ids, stopped, err = f.indexed(ctx, q)
	if err != nil {
		return nil, xid.Nil, err
	}
	ids, stopped = fresh.join(ids, stopped, q.Limit)
	if len(ids) >= asked {
		return ids[:asked], xid.Nil, nil
	}
	return ids, stopped, nil
}

func (f Finder) indexed(ctx context.Context, q Query) (ids []xid.ID, stopped xid.ID, err error) {
	from, err := f.source(ctx, q)
	if err != nil || from == nil {
		return nil, xid.Nil, err
	}
	ids, stopped, err = f.from(ctx, q, from)
	if err != nil || len(ids) > 0 || stopped.IsNil() || from.old == nil {
		return ids, stopped, err
	}
	old, err := from.old()
	if err != nil || old == nil {
		return nil, stopped, err
	}
	return f.from(ctx, q, old)
}

func (f Finder) from(ctx context.Context, q Query, from *source) (ids []xid.ID, stopped xid.ID, err error) {
	at, n, sift := q.Before, firstBatch, f.prefilter(q, from)
	bound := maxScan / (len(q.words) + len(q.Conditions))
	for scanned := 0; scanned < bound; n = batch {
		some, next, err := from.next(ctx, at, min(n, bound-scanned))
		scanned += len(some)
		if err == nil && n == batch && bound > batch { // the first items did not fill the page
			some, err = sift.pass(ctx, some)
		}
		if err == nil {
			some, err = f.matching(ctx, q, from, some)
		}
		if err != nil {
			return nil, xid.Nil, fmt.Errorf("search %s: %w", tables[q.Kind], err)
		}
		ids = append(ids, some...)
		if len(ids) >= q.Limit {
			return ids[:q.Limit], xid.Nil, nil
		}
		if next.IsNil() {
			return ids, xid.Nil, nil
		}
		at = next
	}
	return ids, at, nil
}

// matching returns the items that match the words and conditions which their source does not
// guarantee.
func (f Finder) matching(ctx context.Context, q Query, from *source, some []xid.ID) ([]xid.ID, error) {
	if len(some) == 0 || len(from.words) == 0 && len(from.conditions) == 0 && q.From.IsNil() && q.To.IsNil() {
		return some, nil
	}
	query := "SELECT o.id FROM " + tables[q.Kind] + " o" + ent.IndexHint(f.Engine, tables[q.Kind], ent.Primary) +
		" WHERE o.store_id = ? AND o.id IN (" + marks(len(some)) + ")"
	args := []any{f.Store}
	for _, id := range some {
		args = append(args, id)
	}
	query, args = q.within(withConditions(query, args, from.conditions))
	for _, w := range from.words {
		s := q.Kind.span(w)
		// A scalar subquery, not EXISTS, which engines may turn into a walk of all items with the
		// word.
		query += " AND (SELECT 1 FROM search_terms t" + f.hint(byID) +
			" WHERE t.store_id = ? AND t.id = o.id AND t.term >= ? AND t.term < ? LIMIT 1) = 1"
		args = append(args, f.Store, s.from, s.to)
	}
	fits := map[xid.ID]bool{}
	err := f.ids(ctx, func(id xid.ID) { fits[id] = true }, query, args...)
	return slices.DeleteFunc(some, func(id xid.ID) bool { return !fits[id] }), err
}

func withConditions(query string, args []any, all []Condition) (string, []any) {
	for _, c := range all {
		query += " AND " + c.Text
		args = append(args, c.Arg)
	}
	return query, args
}

func (q Query) within(query string, args []any) (string, []any) {
	if !q.From.IsNil() {
		query, args = query+" AND o.id >= ?", append(args, q.From)
	}
	if !q.To.IsNil() {
		query, args = query+" AND o.id < ?", append(args, q.To)
	}
	return query, args
}

func (f Finder) ids(ctx context.Context, each func(xid.ID), query string, args ...any) error {
	return ent.Read(ctx, f.Client, func(rows *stdsql.Rows) error {
		var id xid.ID
		err := rows.Scan(&id)
		each(id)
		return err
	}, query, args...)
}

func (f Finder) hint(index string) string { return ent.IndexHint(f.Engine, "search_terms", index) }

// countEntries counts the entries of each word, up to one more than [few].
func (f Finder) countEntries(ctx context.Context, q Query) ([]int, error) {
	counts := make([]int, len(q.words))
	var parts []string
	var args []any
	const weighed = "SELECT %d, COUNT(*) FROM (SELECT 1 FROM search_terms%s WHERE store_id = ? AND term >= ? AND " +
		"term < ? LIMIT %d) w%d"
	for i, w := range q.words {
		s := q.Kind.span(w)
		parts = append(parts, fmt.Sprintf(weighed, i, f.hint(ent.Primary), few+1, len(parts)))
		args = append(args, f.Store, s.from, s.to)
	}
	err := ent.Read(ctx, f.Client, func(rows *stdsql.Rows) error {
		var i, n int
		err := rows.Scan(&i, &n)
		counts[i] += n
		return err
	}, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return nil, fmt.Errorf("count the entries of words: %w", err)
	}
	return counts, nil
}

func marks(n int) string { return strings.Repeat("?, ", n-1) + "?" }
