package search

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// each is how many adjacent entries cost about as much to read as one lookup.
	each = 4
	// enough is how many items are worth a range read; fewer are looked up.
	enough = 20
)

// rangeReader returns the items between two ids that have a word or meet a condition, up to about
// most. whole is false if there are more.
type rangeReader func(ctx context.Context, oldest, newest xid.ID, most int) (ids []xid.ID, whole bool, err error)

// prefilter drops items that cannot match before the others are looked up one by one. It reads the
// other words for the whole range of ids at once, if they have about as many entries there as there
// are items. So a search for two frequent words that rarely occur together costs range reads
// instead of a lookup per item.
type prefilter struct {
	open    func(context.Context) ([]rangeReader, error)
	readers []rangeReader
}

// prefilter returns a filter for what the source does not guarantee.
func (f Finder) prefilter(q Query, from *source) *prefilter {
	return &prefilter{open: func(ctx context.Context) (all []rangeReader, err error) {
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

// pass returns the items that may match; some is sorted from newest to oldest. A reader with too
// many entries is not used again.
func (s *prefilter) pass(ctx context.Context, some []xid.ID) (_ []xid.ID, err error) {
	if s.open != nil {
		if s.readers, err = s.open(ctx); err != nil {
			return nil, err
		}
		s.open = nil
	}
	left := s.readers[:0]
	for i, read := range s.readers {
		if len(some) < enough {
			left = append(left, s.readers[i:]...)
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
	s.readers = left
	return some, nil
}

func (f Finder) served(q Query) rangeReader {
	return func(ctx context.Context, oldest, newest xid.ID, most int) (ids []xid.ID, whole bool, err error) {
		h := ent.Head{Order: []string{"id"}, Descending: true, Limit: most + 1,
			Bound: " AND o.id >= ? AND o.id <= ?", Args: []any{oldest, newest}}
		ids, err = f.ranged(ctx, q, h)
		return ids, len(ids) <= most, err
	}
}

func (f Finder) between(list []string) rangeReader {
	return func(ctx context.Context, oldest, newest xid.ID, most int) (ids []xid.ID, whole bool, err error) {
		most = most/len(list) + each
		read, err := f.entries(ctx, list, most+1, " AND id >= ? AND id <= ?", oldest, newest)
		more := slices.ContainsFunc(read, func(ids []xid.ID) bool { return len(ids) > most })
		return slices.Concat(read...), !more, err
	}
}
