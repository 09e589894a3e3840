package core

import (
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

const (
	// maxExact is the limit up to which the rows are counted with each addition, by [Core.Room].
	maxExact = 10_000
	// fewest is how many additions of this process pass before the rows are counted.
	fewest = 100
	// recount is how often a store at its limit is counted again, since rows may have been deleted; a
	// count that takes long is begun less often, so that it takes a share of the time.
	recount      = 10 * time.Second
	recountShare = 20
	// countLimit bounds a count.
	countLimit = time.Minute
	// warnEvery is how often a store is told that a limit is near.
	warnEvery = 7 * 24 * time.Hour
)

// Counted is a table of which a store has so many rows at most.
type Counted struct {
	Limit limit.Name
	// Table and Index are those by which the rows are counted.
	Table, Index string
}

// rows remember how many rows stores have.
type rows struct {
	mu sync.Mutex
	of *lru.Cache[rowsOf, *tally]
}

type rowsOf struct {
	store xid.ID
	limit limit.Name
}

// tally is what this process knows of the rows of a store.
type tally struct {
	known    bool // they were counted
	n        int64
	added    int64 // by this process since then
	at       time.Time
	took     time.Duration // the last count
	counting bool
}

func newRows() *rows {
	of, _ := lru.New[rowsOf, *tally](maxFixed) // only a size below one is an error
	return &rows{of: of}
}

// RowsLeft refuses more rows than the viewer's store may have, in the transaction that adds them.
//
// A small limit is exact. A large one is not counted with each addition, which would make all writes
// of a store wait for each other: the rows are counted in the background whenever this process has
// added a tenth of what is left. A store may exceed its limit by a tenth of what was left at the
// last count, or by [fewest] rows, for each process.
func (c *Core) RowsLeft(ctx context.Context, t Counted, more int, find Find) error {
	most, err := c.limitOf(ctx, t.Limit)
	if err != nil {
		return err
	}
	if most <= maxExact {
		return c.Room(ctx, t.Limit, t.Index, find)
	}
	of := rowsOf{viewer.From(ctx).Store, t.Limit}
	left, count := c.rows.take(of, most, int64(more), fewest)
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

// take reports whether a store has room for more rows, and whether they are to be counted: not before
// this process has added few of them.
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

// counted notes a count, or that there was none.
func (r *rows) counted(of rowsOf, n int64, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.tally(of)
	k.counting, k.at, k.took = false, time.Now(), took
	if err == nil {
		k.known, k.n, k.added = true, n, 0
	}
}

// count counts what a store has, and warns it where the limit is near.
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
		c.Logger.WarnContext(ctx, "what a store has was not counted", "limit", of.limit, "error", err)
	}
}

// warn tells the people of a store that it has reached 80 % of a limit, once a week.
func (c *Core) warn(ctx context.Context, of rowsOf, most int64) error {
	key := ratelimit.Key("near "+string(of.limit), of.store.String())
	wait, err := ratelimit.Take(ctx, c.Store, key, ratelimit.Rate{Burst: 1, Every: warnEvery})
	if err != nil || wait > 0 {
		return err
	}
	row, _ := of.limit.Row()
	return c.Store.InTx(ctx, func(ctx context.Context) error {
		return c.Notifier.Append(ctx, c.Store, notify.Notice{Level: state.NotificationWarning,
			Title: "The store has almost reached a limit",
			Body: fmt.Sprintf("The store has 80 %% of the limit %s: %d %s. Beyond it nothing more is added. %s",
				of.limit, most, row.Counts, row.Advice),
			Kind: xid.Store, ID: of.store})
	})
}
