package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/searchwalk"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// formatVersion is the version of the terms. Raise it when they change, and all are written
	// again.
	formatVersion = 2
	// walkBatch is how many items one transaction of the walk indexes.
	walkBatch = 20
)

// stages are the kinds in the order of the walk.
var stages = []Kind{Customers, Products, Orders}

// Keeper writes the terms of all stores: of rows written by earlier releases, and of pending rows.
// Any number of processes may run at once. After an interruption it continues where it stopped.
type Keeper struct{ store *ent.Store }

// NewKeeper returns a keeper.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{s} }

// Round completes the walk of every store, which indexes rows written by earlier releases.
func (k *Keeper) Round(ctx context.Context) error { return k.store.EachStore(ctx, k.walkStore) }

// walkStore completes the walk of one store.
func (k *Keeper) walkStore(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		walk, err := k.walk(ctx, ent.NoLock)
		if err != nil || walk != nil && walk.Done && walk.Form >= formatVersion {
			return err
		}
		if err := k.store.InTx(ctx, k.step); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
}

// walk reads the state of the store's walk, or nil if it has not begun.
func (k *Keeper) walk(ctx context.Context, lock func(*sql.Selector)) (*db.SearchWalk, error) {
	query := k.store.DB(ctx).SearchWalk.Query().Where(searchwalk.ID(viewer.From(ctx).Store))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// step indexes the next rows of a store. One process at a time does so: the one that holds the lock
// on the walk's row.
func (k *Keeper) step(ctx context.Context) error {
	walk, err := k.walk(ctx, ent.ForUpdate)
	switch {
	case err != nil:
		return err
	case walk == nil: // the second of two processes waits, and then finds the row
		return k.store.DB(ctx).SearchWalk.Create().SetID(viewer.From(ctx).Store).SetForm(formatVersion).SetStage(0).
			SetBehind(xid.Nil).SetUpdatedAt(micros.Now()).Exec(ctx)
	case walk.Form < formatVersion:
		return k.move(ctx, 0, xid.Nil, false)
	case walk.Done:
		return nil
	}
	list, err := k.reader(ctx).items(ctx, stages[walk.Stage], after(walk.Behind))
	if err == nil {
		err = k.write(ctx, list)
	}
	switch {
	case err != nil:
		return err
	case len(list) == walkBatch:
		return k.move(ctx, walk.Stage, list[walkBatch-1].id, false)
	case walk.Stage+1 < len(stages):
		return k.move(ctx, walk.Stage+1, xid.Nil, false)
	}
	return k.move(ctx, walk.Stage, walk.Behind, true)
}

// move records the progress of the walk.
func (k *Keeper) move(ctx context.Context, stage int, behind xid.ID, done bool) error {
	return k.store.DB(ctx).SearchWalk.Update().Where(searchwalk.ID(viewer.From(ctx).Store)).SetForm(formatVersion).
		SetStage(stage).SetBehind(behind).SetDone(done).SetUpdatedAt(micros.Now()).Exec(ctx)
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

// entry is a row of the terms.
type entry struct {
	term     string
	id       xid.ID
	personal bool
}

// atOnce is how many terms one statement inserts.
const atOnce = 500
