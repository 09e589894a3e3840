package search

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// few is how many entries a word has at most that is read whole, and most how many where the
	// newest things have none of them.
	few, most = 3000, 20_000
	// maxScan is how many things one page looks through, for what is asked of each: two words
	// are looked up for half as many. Too few are not worth a [sieve]. Where fewer of them fit,
	// the page is short, and the next one goes on.
	maxScan = 2000
	// begun is how many things are looked at first, and batch how many at a time after that.
	begun, batch = 100, 500
	// byID is the index of the words of one thing.
	byID = "searchterm_store_id_id_term"
)

var tables = map[Kind]string{Customers: "customers", Orders: "orders", Products: "products"}

// Condition is one that the row of a thing has to meet, such as "o.status = ?".
type Condition struct {
	Text string
	Arg  any
}

// Query is what a page of a search shows: the newest things of a kind that have all words of
// the question and meet the conditions.
type Query struct {
	Kind Kind
	Question
	Conditions []Condition
	// Newest are ranges of an index of the table that hold what meets some of the conditions,
	// by id; without an index it is the primary key.
	Newest ent.Ranges
	// From and To are bounds of the ids, To excluded; nil is none.
	From, To xid.ID
	// Before is the last thing of the page before this one; nil for none.
	Before xid.ID
	Limit  int
}

// Finder finds what a store has.
type Finder struct {
	Client *db.Client
	// Engine is the dialect of the database.
	Engine string
	Store  xid.ID
}

// Find returns the ids of a page, the newest first. Where it ended at its bound before the page
// was full and all was looked through, stopped is where the next one goes on.
//
// It counts what each word has, up to a bound. The things of the rarest one are read, the newest
// first, where few terms begin with it, and whole where it has few of them. Else what fits is
// frequent, and the newest things of the store are looked at; should none of these fit, it is
// the old ones that do, and they are read whole. The other words are looked up thing by thing, once
// a [sieve] has dropped what lacks one that can be read beside the things.
//
// What is pending is read before that and from its rows: what is made findable meanwhile is not
// missed.
func (f Finder) Find(ctx context.Context, q Query) (ids []xid.ID, stopped xid.ID, err error) {
	if q.words = q.of(q.Kind); len(q.words) == 0 {
		return nil, xid.Nil, nil
	}
	fresh, err := f.fresh(ctx, q)
	if err != nil {
		return nil, xid.Nil, err
	}
	asked := q.Limit
	q.Limit += min(len(fresh.read), asked) // so many of what is found may be outdated
	ids, stopped, err = f.kept(ctx, q)
	if err != nil {
		return nil, xid.Nil, err
	}
	ids, stopped = fresh.join(ids, stopped, q.Limit)
	if len(ids) >= asked {
		return ids[:asked], xid.Nil, nil
	}
	return ids, stopped, nil
}

// kept finds what has the words that are kept.
func (f Finder) kept(ctx context.Context, q Query) (ids []xid.ID, stopped xid.ID, err error) {
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

// from reads a page from a source.
func (f Finder) from(ctx context.Context, q Query, from *source) (ids []xid.ID, stopped xid.ID, err error) {
	at, n, sift := q.Before, begun, f.sieve(q, from)
	bound := maxScan / (len(q.words) + len(q.Conditions))
	for scanned := 0; scanned < bound; n = batch {
		some, next, err := from.next(ctx, at, min(n, bound-scanned))
		scanned += len(some)
		if err == nil && n == batch && bound > batch { // the first things did not fill the page
			some, err = sift.pass(ctx, some)
		}
		if err == nil {
			some, err = f.fitting(ctx, q, from, some)
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

// fitting are those of some things that have the words and meet the conditions which their
// source does not vouch for.
func (f Finder) fitting(ctx context.Context, q Query, from *source, some []xid.ID) ([]xid.ID, error) {
	if len(some) == 0 || len(from.words) == 0 && len(from.conditions) == 0 && q.From.IsNil() && q.To.IsNil() {
		return some, nil
	}
	query := "SELECT o.id FROM " + tables[q.Kind] + " o" + ent.IndexHint(f.Engine, tables[q.Kind], ent.Primary) +
		" WHERE o.store_id = ? AND o.id IN (" + marks(len(some)) + ")"
	args := []any{f.Store}
	for _, id := range some {
		args = append(args, id)
	}
	query, args = q.within(meets(query, args, from.conditions))
	for _, w := range from.words {
		s := q.Kind.span(w)
		// A value, not EXISTS, which engines may turn into a walk of all that have the word.
		query += " AND (SELECT 1 FROM search_terms t" + f.hint(byID) +
			" WHERE t.store_id = ? AND t.id = o.id AND t.term >= ? AND t.term < ? LIMIT 1) = 1"
		args = append(args, f.Store, s.from, s.to)
	}
	fits := map[xid.ID]bool{}
	err := f.ids(ctx, func(id xid.ID) { fits[id] = true }, query, args...)
	return slices.DeleteFunc(some, func(id xid.ID) bool { return !fits[id] }), err
}

// meets adds conditions to a statement.
func meets(query string, args []any, all []Condition) (string, []any) {
	for _, c := range all {
		query += " AND " + c.Text
		args = append(args, c.Arg)
	}
	return query, args
}

// within adds the bounds of the ids to a statement.
func (q Query) within(query string, args []any) (string, []any) {
	if !q.From.IsNil() {
		query, args = query+" AND o.id >= ?", append(args, q.From)
	}
	if !q.To.IsNil() {
		query, args = query+" AND o.id < ?", append(args, q.To)
	}
	return query, args
}

// ids reads a statement of one column.
func (f Finder) ids(ctx context.Context, each func(xid.ID), query string, args ...any) error {
	return ent.Read(ctx, f.Client, func(rows *stdsql.Rows) error {
		var id xid.ID
		err := rows.Scan(&id)
		each(id)
		return err
	}, query, args...)
}

// hint makes a statement walk an index of the words.
func (f Finder) hint(index string) string { return ent.IndexHint(f.Engine, "search_terms", index) }

// weigh counts the entries of each word, up to one more than [few].
func (f Finder) weigh(ctx context.Context, q Query) ([]int, error) {
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
		return nil, fmt.Errorf("count what words have: %w", err)
	}
	return counts, nil
}

func marks(n int) string { return strings.Repeat("?, ", n-1) + "?" }
