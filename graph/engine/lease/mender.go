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
	// slack is how far clocks may be apart and still count as one.
	slack = time.Second
	// often is the time between two searches, where a lease is long.
	often = time.Second
	// maxMended bounds the rows of one search, mendBatch those of one statement.
	maxMended = 4096
	mendBatch = 64
)

// Mender makes rows of background work due that the clock holds up: after it was put
// back, what a dead process has leased, and what waits, would do so until the clock has
// come round again. A row is in question while its time lies further ahead than it can
// be. What nobody has ever claimed is due at once, and the rest when nobody has touched it
// for the length of a lease.
type Mender struct {
	Terms
	Store *ent.Store
	// Table has the columns store_id, id, bucket and due_at.
	Table string
	// Token is the column that every claim raises.
	Token string
	// New is the condition under which nobody has claimed a row yet.
	New string
	// Ahead is the condition under which a row's time lies too far ahead.
	Ahead func(now Clock) string
	// Set is what is set beside due_at, such as [Free]; "" is nothing.
	Set string

	mu sync.Mutex
	at map[string]*mending // by shard
}

// mending is the work on one shard.
type mending struct {
	mu     sync.Mutex
	looked time.Time
	watch  Watch[mended, waiting]
}

// mended is a row as it was claimed last.
type mended struct {
	store, id xid.ID
	token     int64
}

// waiting is when a row is due.
type waiting struct {
	due micros.Time
	new bool
}

// Mend looks at most a few times in the length of a lease; call it with every round of
// the work, on the shard of that round.
func (m *Mender) Mend(ctx context.Context) error {
	at := m.here(ctx)
	at.mu.Lock()
	defer at.mu.Unlock()
	if !at.looked.IsZero() && time.Since(at.looked) < min(m.Length/8, often) {
		return nil
	}
	rows, err := m.find(ctx)
	if err != nil {
		return fmt.Errorf("search %s: %w", m.Table, err)
	}
	at.looked = time.Now()
	held := maps.Clone(rows)
	maps.DeleteFunc(held, func(_ mended, w waiting) bool { return w.new })
	free := at.watch.Still(held, m.Length)
	for r, w := range rows {
		if w.new {
			free = append(free, r)
		}
	}
	for some := range slices.Chunk(free, mendBatch) {
		if err := m.free(ctx, some, rows); err != nil {
			return fmt.Errorf("mend %s: %w", m.Table, err)
		}
	}
	return nil
}

// here is the work on the shard at which ctx is.
func (m *Mender) here(ctx context.Context) *mending {
	shard, _ := ent.ShardOf(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at == nil {
		m.at = map[string]*mending{}
	}
	if m.at[shard.String()] == nil {
		m.at[shard.String()] = new(mending)
	}
	return m.at[shard.String()]
}

// find reads the rows in question.
func (m *Mender) find(ctx context.Context) (map[mended]waiting, error) {
	now := Now(m.Store.Dialect())
	found := map[mended]waiting{}
	err := ent.Read(ctx, m.Store.Seek(ctx), func(rows *stdsql.Rows) error {
		var r mended
		var w waiting
		err := rows.Scan(&r.store, &r.id, &r.token, &w.due, &w.new)
		found[r] = w
		return err
	}, fmt.Sprintf("SELECT store_id, id, %s, due_at, CASE WHEN %s THEN 1 ELSE 0 END FROM %s"+
		" WHERE %s AND due_at > %s AND due_at < %d AND (%s) LIMIT %d",
		m.Token, m.New, m.Table, bucket.Every, now.In(slack), micros.Never, m.Ahead(now), maxMended))
	return found, err
}

// free makes rows due that are as they were found.
func (m *Mender) free(ctx context.Context, list []mended, as map[mended]waiting) error {
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

// Beyond is the condition of [Mender] for rows whose due_at is the end of their lease or
// the time of the next try, by the number of tries in a column. Longest are how long
// rows wait at most, by that number; those with more wait as long as the last.
func Beyond(now Clock, tries string, longest []time.Duration) string {
	var b strings.Builder
	b.WriteString("due_at > " + now.In(slack) + " + CASE " + tries)
	for n, d := range longest[:len(longest)-1] {
		fmt.Fprintf(&b, " WHEN %d THEN %d", n, d.Microseconds())
	}
	return b.String() + " ELSE " + strconv.FormatInt(longest[len(longest)-1].Microseconds(), 10) + " END"
}
