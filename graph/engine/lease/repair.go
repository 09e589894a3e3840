package lease

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// slack is how far clocks may differ and still count as equal.
	slack = time.Second
	// searchEvery bounds the time between two searches when leases are long.
	searchEvery = time.Second
	// maxRows bounds the rows of one search, repairBatch those of one statement.
	maxRows     = 4096
	repairBatch = 64
)

// ClockRepair makes rows of background work due that would wait too long because the database's clock
// was put back: rows leased by a dead process, and rows that wait. A row is suspect while its time
// lies further ahead than it can be. A suspect row that was never claimed is due at once, any other
// after the length of a lease without a change.
type ClockRepair struct {
	Terms
	Store *ent.Store
	// Table has the columns store_id, id, bucket and due_at.
	Table string
	// Token is the column that every claim raises.
	Token string
	// New is the condition for rows that were never claimed.
	New string
	// Ahead is the condition for rows whose time lies too far ahead.
	Ahead func(now Clock) string
	// Set is set beside due_at, such as [Free]; it may be "".
	Set string

	states sync.Map // of *shardState, by the name of the shard
}

type shardState struct {
	mu     sync.Mutex
	looked time.Time
	watch  Watch[claimedRow, waiting]
}

// claimedRow identifies a row and its last claim.
type claimedRow struct {
	store, id xid.ID
	token     int64
}

// waiting is when a row is due.
type waiting struct {
	due micros.Time
	new bool
}

// Run searches at intervals of at most an eighth of a lease. Call it in every round of the work,
// on the shard of that round.
func (m *ClockRepair) Run(ctx context.Context) error {
	shard, _ := ent.ShardOf(ctx)
	found, _ := m.states.LoadOrStore(shard.String(), new(shardState))
	at := found.(*shardState)
	at.mu.Lock()
	defer at.mu.Unlock()
	if !at.looked.IsZero() && time.Since(at.looked) < min(m.Length/8, searchEvery) {
		return nil
	}
	rows, err := m.find(ctx)
	if err != nil {
		return fmt.Errorf("search %s: %w", m.Table, err)
	}
	at.looked = time.Now()
	held := maps.Clone(rows)
	maps.DeleteFunc(held, func(_ claimedRow, w waiting) bool { return w.new })
	free := at.watch.Unchanged(held, m.Length)
	for r, w := range rows {
		if w.new {
			free = append(free, r)
		}
	}
	for some := range slices.Chunk(free, repairBatch) {
		if err := m.free(ctx, some, rows); err != nil {
			return fmt.Errorf("repair %s: %w", m.Table, err)
		}
	}
	return nil
}

func (m *ClockRepair) find(ctx context.Context) (map[claimedRow]waiting, error) {
	now := Now(m.Store.Dialect())
	found := map[claimedRow]waiting{}
	err := ent.Read(ctx, m.Store.Seek(ctx), func(rows *stdsql.Rows) error {
		var r claimedRow
		var w waiting
		err := rows.Scan(&r.store, &r.id, &r.token, &w.due, &w.new)
		found[r] = w
		return err
	}, fmt.Sprintf("SELECT store_id, id, %s, due_at, CASE WHEN %s THEN 1 ELSE 0 END FROM %s"+
		" WHERE %s AND due_at > %s AND due_at < %d AND (%s) LIMIT %d",
		m.Token, m.New, m.Table, bucket.Every, now.In(slack), micros.Max, m.Ahead(now), maxRows))
	return found, err
}

// free makes rows due if they are still as they were found.
func (m *ClockRepair) free(ctx context.Context, list []claimedRow, as map[claimedRow]waiting) error {
	args := make([]any, 0, 4*len(list))
	for _, r := range list {
		args = append(args, r.store, r.id, r.token, as[r].due)
	}
	set := "due_at = 0"
	if m.Set != "" {
		set += ", " + m.Set
	}
	return m.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := m.Store.DB(ctx).ExecContext(ctx, "UPDATE "+m.Table+" SET "+set+
			" WHERE "+ent.Among(m.Store.Dialect(), "store_id, id, "+m.Token+", due_at", len(list)), args...)
		return err
	})
}

// beyond returns the condition [ClockRepair.Ahead] for rows whose due_at is the end of their lease
// or the time of the next try. longest are the longest waits by the number of tries, which is a
// column; the last one applies to all higher numbers.
func beyond(now Clock, tries string, longest []time.Duration) string {
	var b strings.Builder
	b.WriteString("due_at > " + now.In(slack) + " + CASE " + tries)
	for n, d := range longest[:len(longest)-1] {
		fmt.Fprintf(&b, " WHEN %d THEN %d", n, d.Microseconds())
	}
	return b.String() + " ELSE " + strconv.FormatInt(longest[len(longest)-1].Microseconds(), 10) + " END"
}

// Watch finds rows that no process has changed for a time, by the monotonic clock. Where the clock
// of a row was put back, the row may seem to be leased for long, but a live owner changes it with
// every renewal. K identifies a row, and V is what a renewal changes. The zero Watch is ready for
// use; it is not safe for concurrent use.
type Watch[K, V comparable] struct{ seen map[K]sighting[V] }

// sighting is the state of a row, and since when it has been so.
type sighting[V comparable] struct {
	row   V
	since time.Time
}

// Unchanged takes the rows that are suspect now, and returns those that have not changed for d. It
// forgets all other rows.
func (w *Watch[K, V]) Unchanged(rows map[K]V, d time.Duration) (still []K) {
	before, now := w.seen, time.Now()
	w.seen = make(map[K]sighting[V], len(rows))
	for k, row := range rows {
		s, ok := before[k]
		if !ok || s.row != row {
			s = sighting[V]{row, now}
		}
		w.seen[k] = s
		if now.Sub(s.since) >= d {
			still = append(still, k)
		}
	}
	return still
}

// Len returns the number of watched rows.
func (w *Watch[K, V]) Len() int { return len(w.seen) }
