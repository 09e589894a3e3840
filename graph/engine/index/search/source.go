package search

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
)

const maxTermsRead = 24

// source is where a search reads items from, newest first.
type source struct {
	// next returns about n items after one, or the first ones, and the last item examined, or nil
	// at the end.
	next func(ctx context.Context, at xid.ID, n int) ([]xid.ID, xid.ID, error)
	// words and conditions are those that the source does not guarantee.
	words      []string
	conditions []Condition
	// ranged reports that the items come from the query's ranges.
	ranged bool
	// old returns another source for when none of the newest items match. It may be nil.
	old func() (*source, error)
}

// source chooses the source of a search. It returns nil if a word has no entries.
func (f Finder) source(ctx context.Context, q Query) (*source, error) {
	counts, err := f.countEntries(ctx, q)
	if err != nil {
		return nil, err
	}
	rarest := 0
	for i, n := range counts {
		if n < counts[rarest] {
			rarest = i
		}
	}
	if counts[rarest] == 0 {
		return nil, nil
	}
	if counts[rarest] <= firstBatch {
		return f.whole(ctx, q, rarest, few)
	}
	for _, i := range slices.Compact([]int{rarest, q.longest()}) {
		list, err := f.terms(ctx, q.Kind.span(q.words[i]))
		if err != nil {
			return nil, err
		}
		if list != nil {
			return f.beside(q, i, list), nil
		}
		if counts[i] <= few {
			return f.whole(ctx, q, i, few)
		}
	}
	from := f.newest(q)
	from.old = func() (*source, error) { return f.whole(ctx, q, q.longest(), most) }
	return from, nil
}

// longest returns the index of the longest word, which usually has the fewest entries.
func (q Query) longest() (place int) {
	for i, w := range q.words {
		if len(w) > len(q.words[place]) {
			place = i
		}
	}
	return place
}

func (q Query) others(i int) []string { return slices.Delete(slices.Clone(q.words), i, i+1) }

// whole reads all items of a word. It returns nil if there are more than [most].
func (f Finder) whole(ctx context.Context, q Query, i, bound int) (*source, error) {
	var all []xid.ID
	s := q.Kind.span(q.words[i])
	query := fmt.Sprintf("SELECT id FROM search_terms%s WHERE store_id = ? AND term >= ? AND term < ? LIMIT %d",
		f.hint(ent.Primary), bound+1)
	err := f.ids(ctx, func(id xid.ID) { all = append(all, id) }, query, f.Store, s.from, s.to)
	if err != nil {
		return nil, fmt.Errorf("read the entries of a word: %w", err)
	}
	if len(all) > bound && bound == most {
		return nil, nil
	}
	all = descending(all)
	next := func(_ context.Context, at xid.ID, n int) ([]xid.ID, xid.ID, error) {
		from := 0
		if !at.IsNil() {
			from, _ = slices.BinarySearchFunc(all, at, func(id, at xid.ID) int { return at.Compare(id) })
			if from < len(all) && all[from] == at {
				from++
			}
		}
		to := min(from+n, len(all))
		if to == len(all) {
			return slices.Clone(all[from:]), xid.Nil, nil
		}
		return slices.Clone(all[from:to]), all[to-1], nil
	}
	return &source{next: next, words: q.others(i), conditions: q.Conditions}, nil
}

// terms returns the terms of a span with one seek each, or nil if there are too many.
func (f Finder) terms(ctx context.Context, s span) (list []string, err error) {
	const seek = "SELECT term FROM search_terms%s WHERE store_id = ? AND term %s ? AND term < ? " +
		"ORDER BY term, id LIMIT 1"
	for from, sign := s.from, ">="; ; sign = ">" {
		term := ""
		err := ent.Read(ctx, f.Client, func(rows *stdsql.Rows) error { return rows.Scan(&term) },
			fmt.Sprintf(seek, f.hint(ent.Primary), sign), f.Store, from, s.to)
		if err != nil {
			return nil, fmt.Errorf("read terms: %w", err)
		}
		if term == "" {
			return list, nil
		}
		if list = append(list, term); len(list) > maxTermsRead {
			return nil, nil
		}
		from = term
	}
}

// beside reads the items of several terms side by side. Items after the end of an incompletely read
// term wait for the next call.
func (f Finder) beside(q Query, i int, list []string) *source {
	next := func(ctx context.Context, at xid.ID, n int) ([]xid.ID, xid.ID, error) {
		n = max(n/len(list), 40)
		bound, args := "", []any(nil)
		if !at.IsNil() {
			bound, args = " AND id < ?", []any{at}
		}
		read, err := f.entries(ctx, list, n, bound, args...)
		some, end := merged(read, n)
		return some, end, err
	}
	return &source{next: next, words: q.others(i), conditions: q.Conditions}
}

// entries returns the newest n items of each term within a bound.
func (f Finder) entries(
	ctx context.Context, list []string, n int, bound string, bounds ...any,
) (read [][]xid.ID, err error) {
	const one = "SELECT %d, id FROM (SELECT id FROM search_terms%s WHERE store_id = ? AND term = ?%s " +
		"ORDER BY id DESC LIMIT %d) w%d"
	parts, args := make([]string, len(list)), []any(nil)
	for i, term := range list {
		parts[i] = fmt.Sprintf(one, i, f.hint(ent.Primary), bound, n, i)
		args = append(append(args, f.Store, term), bounds...)
	}
	read = make([][]xid.ID, len(list))
	err = ent.Read(ctx, f.Client, func(rows *stdsql.Rows) error {
		var i int
		var id xid.ID
		err := rows.Scan(&i, &id)
		read[i] = append(read[i], id)
		return err
	}, strings.Join(parts, " UNION ALL "), args...)
	return read, err
}

// merged returns the items of the lists as far as all lists were read, and where that ends. A list
// of length n may go on.
func merged(read [][]xid.ID, n int) (all []xid.ID, end xid.ID) {
	for _, ids := range read {
		all = append(all, ids...)
		if len(ids) == n && ids[n-1].Compare(end) > 0 {
			end = ids[n-1]
		}
	}
	all = descending(all)
	return slices.DeleteFunc(all, func(id xid.ID) bool { return id.Compare(end) < 0 }), end
}

// newest reads the newest items of the store. It does not track which conditions its ranges
// guarantee: all are looked up with the words.
func (f Finder) newest(q Query) *source {
	next := func(ctx context.Context, at xid.ID, n int) (some []xid.ID, end xid.ID, err error) {
		h := ent.Head{Order: []string{"id"}, Descending: true, Limit: n}
		h.Bound, h.Args = q.within("", nil)
		if !at.IsNil() {
			h.Bound, h.Args = h.Bound+" AND o.id < ?", append(h.Args, at)
		}
		some, err = f.ranged(ctx, q, h)
		if len(some) == n {
			end = some[n-1]
		}
		return some, end, err
	}
	return &source{next: next, words: q.words, conditions: q.Conditions, ranged: true}
}

// ranged reads what the ranges of a query contain, newest first.
func (f Finder) ranged(ctx context.Context, q Query, h ent.Head) (ids []xid.ID, err error) {
	ranges := q.Newest
	ranges.Table = tables[q.Kind]
	if ranges.Index == "" {
		ranges.Index = ent.Primary
	}
	keys, args := ranges.Keys(f.Engine, f.Store, h)
	err = f.ids(ctx, func(id xid.ID) { ids = append(ids, id) }, keys, args...)
	return descending(ids), err
}

// descending sorts ids from newest to oldest and removes duplicates.
func descending(ids []xid.ID) []xid.ID {
	slices.SortFunc(ids, func(a, b xid.ID) int { return b.Compare(a) })
	return slices.Compact(ids)
}
