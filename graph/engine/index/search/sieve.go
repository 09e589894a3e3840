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

const (
	// each is how many entries that lie side by side cost about what one look-up costs.
	each = 4
	// enough things are worth a range; fewer are looked up.
	enough = 20
)

// stretch reads the things from one to another that have one of what is asked for, up to about
// so many: whole is false where there are more.
type stretch func(ctx context.Context, oldest, newest xid.ID, most int) (ids []xid.ID, whole bool, err error)

// sieve drops things that cannot fit, before the others are looked up one by one: what else is
// asked for is read for the whole stretch at once, where it has about as many entries there as
// there are things, or fewer. So two words that many things have, and hardly any has together,
// cost what lies side by side, and not a look-up for each.
type sieve struct {
	// open says what can be read, once that is asked for.
	open      func(context.Context) ([]stretch, error)
	stretches []stretch
}

// sieve makes one of what a source does not vouch for.
func (f Finder) sieve(q Query, from *source) *sieve {
	return &sieve{open: func(ctx context.Context) (all []stretch, err error) {
		if q.Newest.Index != "" && !from.ranged {
			all = append(all, f.served(q))
		}
		for _, w := range from.words {
			list, err := f.terms(ctx, q.Kind.span(w))
			if err != nil {
				return nil, err
			}
			if list != nil {
				all = append(all, f.between(list))
			}
		}
		return all, nil
	}}
}

// pass returns those of some things, the newest first, that may fit. What had more entries than
// are worth reading is not read again.
func (s *sieve) pass(ctx context.Context, some []xid.ID) (_ []xid.ID, err error) {
	if s.open != nil {
		if s.stretches, err = s.open(ctx); err != nil {
			return nil, err
		}
		s.open = nil
	}
	left := s.stretches[:0]
	for i, read := range s.stretches {
		if len(some) < enough {
			left = append(left, s.stretches[i:]...)
			break
		}
		ids, whole, err := read(ctx, some[len(some)-1], some[0], each*len(some))
		if err != nil {
			return nil, err
		}
		if !whole {
			continue
		}
		left = append(left, read)
		has := make(map[xid.ID]bool, len(ids))
		for _, id := range ids {
			has[id] = true
		}
		some = slices.DeleteFunc(some, func(id xid.ID) bool { return !has[id] })
	}
	s.stretches = left
	return some, nil
}

// served reads what the ranges of a query hold.
func (f Finder) served(q Query) stretch {
	return func(ctx context.Context, oldest, newest xid.ID, most int) (ids []xid.ID, whole bool, err error) {
		h := ent.Head{Order: []string{"id"}, Descending: true, Limit: most + 1,
			Bound: " AND o.id >= ? AND o.id <= ?", Args: []any{oldest, newest}}
		ids, err = f.ranged(ctx, q, h)
		return ids, len(ids) <= most, err
	}
}

// between reads what has one of some terms.
func (f Finder) between(list []string) stretch {
	const one = "SELECT %d, id FROM (SELECT id FROM search_terms%s WHERE store_id = ? AND term = ? AND id >= ? " +
		"AND id <= ? ORDER BY id DESC LIMIT %d) w%d"
	return func(ctx context.Context, oldest, newest xid.ID, most int) (ids []xid.ID, whole bool, err error) {
		most = most/len(list) + each
		parts, args := make([]string, len(list)), []any(nil)
		for i, term := range list {
			parts[i] = fmt.Sprintf(one, i, f.hint(ent.Primary), most+1, i)
			args = append(args, f.Store, term, oldest, newest)
		}
		counts := make([]int, len(list))
		err = ent.Read(ctx, f.Client, func(rows *stdsql.Rows) error {
			var i int
			var id xid.ID
			err := rows.Scan(&i, &id)
			ids, counts[i] = append(ids, id), counts[i]+1
			return err
		}, strings.Join(parts, " UNION ALL "), args...)
		return ids, slices.Max(counts) <= most, err
	}
}
