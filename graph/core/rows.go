package core

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// maxExact is the largest limit for which [Core.Room] counts the rows at each addition.
	maxExact = 10_000
	// minAdded is how many rows this process adds before a count.
	minAdded = 100
	// recount is how often a store at its limit is counted again, since rows may have been deleted.
	// Slow counts run less often: they take at most 1/recountShare of the time.
	recount      = 10 * time.Second
	recountShare = 20
	countLimit   = time.Minute
	// warnEvery is how often a store is warned that a limit is near.
	warnEvery = 7 * 24 * time.Hour
)

// Counted is a table whose rows per store are limited.
type Counted struct {
	Limit limit.Name
	// Table and Index are used to count the rows.
	Table, Index string
}

type rows struct {
	mu sync.Mutex
	of *lru.Cache[rowsOf, *tally]
}

type rowsOf struct {
	store xid.ID
	limit limit.Name
}

type tally struct {
	known    bool // counted at least once
	n        int64
	added    int64 // by this process since the count
	at       time.Time
	took     time.Duration // duration of the last count
	counting bool
}

func newRows() *rows {
	of, _ := lru.New[rowsOf, *tally](maxCached) // only a size below one is an error
	return &rows{of: of}
}

// RowsLeft refuses more rows than the viewer's store may have, in the transaction that adds them.
//
// A small limit is exact. With a large one, counting at each addition would serialize all writes of
// a store, so the rows are counted in the background whenever this process has added a tenth of
// what was left. For each process, a store may exceed its limit by a tenth of what was left at the
// last count, or by [minAdded] rows.
func (c *Core) RowsLeft(ctx context.Context, t Counted, more int, find Find) error {
	most, err := c.limitOf(ctx, t.Limit)
	if err != nil {
		return err
	}
	if most <= maxExact {
		return c.Room(ctx, t.Limit, t.Index, find)
	}
	of := rowsOf{viewer.From(ctx).Store, t.Limit}
	left, count := c.rows.take(of, most, int64(more), minAdded)
	if count {
		//nolint:gosec // it outlives the call: see above
		go c.count(of, most, func(ctx context.Context) (int64, error) {
			ns, err := c.CountRanges(ctx, ent.Ranges{Table: t.Table, Index: t.Index, Values: [][]any{nil}}, int(most))
			if err != nil {
				return 0, err
			}
			return int64(ns[0]), nil
		})
	}
	if !left {
		return Reached(t.Limit, most)
	}
	ent.OnCommit(ctx, func() { c.rows.add(of, int64(more)) })
	return nil
}

// take reports whether a store has room for more rows, and whether to start a count. No count
// starts before this process has added at least few rows.
func (r *rows) take(of rowsOf, most, more, few int64) (left, count bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.tally(of)
	left = !k.known || k.n+k.added+more <= most
	switch {
	case k.counting:
	case !left:
		count = time.Since(k.at) > max(recount, recountShare*k.took)
	case !k.known:
		count = k.added >= few
	default:
		count = k.added >= max(few, (most-k.n)/10)
	}
	k.counting = k.counting || count
	return left, count
}

func (r *rows) tally(of rowsOf) *tally {
	k, ok := r.of.Get(of)
	if !ok {
		k = &tally{}
		r.of.Add(of, k)
	}
	return k
}

func (r *rows) add(of rowsOf, more int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally(of).added += more
}

// counted stores the result of a count; after an error the old numbers stay.
func (r *rows) counted(of rowsOf, n int64, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.tally(of)
	k.counting, k.at, k.took = false, time.Now(), took
	if err == nil {
		k.known, k.n, k.added = true, n, 0
	}
}

// count counts the rows of a store and warns its staff if the limit is near.
func (c *Core) count(of rowsOf, most int64, find func(context.Context) (int64, error)) {
	ctx, cancel := context.WithTimeout(viewer.Operator(context.Background(), of.store), countLimit)
	defer cancel()
	began := time.Now()
	n, err := find(ctx)
	c.rows.counted(of, n, time.Since(began), err)
	if err == nil && n >= most/10*8 {
		err = c.warn(ctx, of, most)
	}
	if err != nil {
		c.Logger.WarnContext(ctx, "count of a store failed", "limit", of.limit, "error", err)
	}
}

// warn notifies the staff of a store, once a week, that it has reached 80 % of a limit.
func (c *Core) warn(ctx context.Context, of rowsOf, most int64) error {
	key := ratelimit.Key("near "+string(of.limit), of.store.String())
	wait, err := ratelimit.Take(ctx, c.Store, key, ratelimit.Rate{Burst: 1, Every: warnEvery})
	if err != nil || wait > 0 {
		return err
	}
	return c.NearLimit(ctx, of.limit, most)
}
