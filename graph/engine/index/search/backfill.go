package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/backfill"
)

// walkBatch is how many items one transaction of the backfill indexes.
const walkBatch = 20

var stages = []Kind{Customers, Products, Orders}

// Keeper writes the terms of all stores: of rows written by earlier releases, and of pending rows.
// Any number of processes may run at once. After an interruption it continues where it stopped.
type Keeper struct {
	store *ent.Store
	fill  backfill.Job
	// most is how many terms one transaction writes, except that it writes all of one item.
	most int
}

// NewKeeper returns a keeper.
func NewKeeper(s *ent.Store) *Keeper {
	k := &Keeper{store: s, most: 20_000}
	k.fill = backfill.Job{Store: s, Name: "index_search", Version: 2, Format: ent.SearchTerms, Stages: len(stages),
		Step: k.indexSome}
	return k
}

// Backfill writes the terms of all stores' rows that were written by earlier releases. Later calls
// do nothing.
func (k *Keeper) Backfill(ctx context.Context) error { return k.fill.Run(ctx) }

func (k *Keeper) indexSome(ctx context.Context, stage int, behind xid.ID) (last xid.ID, err error) {
	list, err := k.reader(ctx).items(ctx, stages[stage], after(behind))
	if err != nil || len(list) == 0 {
		return last, err
	}
	list = k.fitting(list)
	return list[len(list)-1].id, k.write(ctx, list)
}

// fitting returns the first items, as many as one transaction writes.
func (k *Keeper) fitting(list []item) []item {
	n := 0
	for i, t := range list {
		if n += len(t.terms); i > 0 && n > k.most {
			return list[:i]
		}
	}
	return list
}

// reader returns a reader that locks the rows whose terms will be written.
func (k *Keeper) reader(ctx context.Context) reader { return reader{k.store.DB(ctx), ent.ForUpdate} }

// write replaces the terms of items whose rows are locked.
func (k *Keeper) write(ctx context.Context, list []item) error {
	if len(list) == 0 {
		return nil
	}
	store, client := viewer.From(ctx).Store, k.store.DB(ctx)
	ids, entries := make([]xid.ID, len(list)), []entry(nil)
	for i, t := range list {
		ids[i] = t.id
		for term, personal := range t.terms {
			entries = append(entries, entry{term, t.id, personal})
		}
	}
	if err := (Index{Client: client, Engine: k.store.Dialect()}).remove(ctx, anyWord, ids...); err != nil {
		return fmt.Errorf("remove words from the search: %w", err)
	}
	// In the order of their key, which is the cheapest for a B-tree.
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.term, b.term) })
	for some := range slices.Chunk(entries, atOnce) {
		values := make([]any, 0, 4*len(some))
		for _, e := range some {
			values = append(values, store, e.term, e.id, e.personal)
		}
		query := "INSERT INTO search_terms (store_id, term, id, personal) VALUES " +
			strings.Repeat("(?, ?, ?, ?), ", len(some)-1) + "(?, ?, ?, ?)"
		if _, err := client.ExecContext(ctx, query, values...); err != nil {
			return fmt.Errorf("write words of the search: %w", err)
		}
	}
	return nil
}

type entry struct {
	term     string
	id       xid.ID
	personal bool
}

const atOnce = 500
