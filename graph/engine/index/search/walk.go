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
	// form is how terms are made. Raise it when that changes, and all are made again.
	form = 2
	// walked is of how many things one transaction writes the words.
	walked = 20
)

// stages are what a walk goes through, in this order.
var stages = []Kind{Customers, Products, Orders}

// Keeper writes the words of what all stores have: of what was there before, and of what is
// pending. Any number of processes may do so at once, and one that was stopped goes on where it was.
type Keeper struct{ store *ent.Store }

// NewKeeper makes a keeper.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{s} }

// Round walks on to the end in every store, and makes what was there before findable.
func (k *Keeper) Round(ctx context.Context) error { return k.store.EachStore(ctx, k.whole) }

// whole walks on to the end of a store.
func (k *Keeper) whole(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		walk, err := k.walk(ctx, ent.NoLock)
		if err != nil || walk != nil && walk.Done && walk.Form >= form {
			return err
		}
		if err := k.store.InTx(ctx, k.step); err != nil {
			return fmt.Errorf("make findable: %w", err)
		}
	}
}

// walk reads how far the store is; nil where it was never begun.
func (k *Keeper) walk(ctx context.Context, lock func(*sql.Selector)) (*db.SearchWalk, error) {
	query := k.store.DB(ctx).SearchWalk.Query().Where(searchwalk.ID(viewer.From(ctx).Store))
	query.Modify(lock)
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// step goes on with the next things of a store. Of several processes one goes on at a time:
// whoever holds the row of the walk.
func (k *Keeper) step(ctx context.Context) error {
	walk, err := k.walk(ctx, ent.ForUpdate)
	switch {
	case err != nil:
		return err
	case walk == nil: // of two processes the second waits, and then finds the row
		return k.store.DB(ctx).SearchWalk.Create().SetID(viewer.From(ctx).Store).SetForm(form).SetStage(0).
			SetBehind(xid.Nil).SetUpdatedAt(micros.Now()).Exec(ctx)
	case walk.Form < form:
		return k.move(ctx, 0, xid.Nil, false)
	case walk.Done:
		return nil
	}
	list, err := k.reader(ctx).things(ctx, stages[walk.Stage], behind(walk.Behind))
	if err == nil {
		err = k.write(ctx, list)
	}
	switch {
	case err != nil:
		return err
	case len(list) == walked:
		return k.move(ctx, walk.Stage, list[walked-1].id, false)
	case walk.Stage+1 < len(stages):
		return k.move(ctx, walk.Stage+1, xid.Nil, false)
	}
	return k.move(ctx, walk.Stage, walk.Behind, true)
}

// move notes how far the walk is.
func (k *Keeper) move(ctx context.Context, stage int, behind xid.ID, done bool) error {
	return k.store.DB(ctx).SearchWalk.Update().Where(searchwalk.ID(viewer.From(ctx).Store)).SetForm(form).
		SetStage(stage).SetBehind(behind).SetDone(done).SetUpdatedAt(micros.Now()).Exec(ctx)
}

// reader reads things to write their words, and locks them.
func (k *Keeper) reader(ctx context.Context) reader { return reader{k.store.DB(ctx), ent.ForUpdate} }

// write replaces the words of things, whose rows are locked.
func (k *Keeper) write(ctx context.Context, list []thing) error {
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
		return fmt.Errorf("take words out of the search: %w", err)
	}
	// In the order of their key, in which a tree takes them best.
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

// atOnce is how many terms one statement writes.
const atOnce = 500
