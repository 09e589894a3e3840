package fleet

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// maxCounted is where a figure stops counting rows.
const maxCounted = 100_000

// View is a snapshot of a fleet and its work, as printed. It contains no addresses and no data of a
// store.
type View struct {
	Processes []Seen  `json:"processes"`
	Leases    []Lease `json:"leases"`
	Shards    []Shard `json:"shards"`
}

// Seen is a process of a [View].
type Seen struct {
	ID      string            `json:"id"`
	Role    state.ProcessRole `json:"role"`
	Host    string            `json:"host"`
	PID     int               `json:"pid"`
	Version string            `json:"version"`
	Started micros.Time       `json:"started_at"`
	// Ago is the time since its last beat. A process that is not alive ended without
	// [Member.Leave].
	Ago   float64 `json:"seen_seconds_ago"`
	Alive bool    `json:"alive"`
}

// Lease is what one owner holds on one shard.
type Lease struct {
	Shard string `json:"shard"`
	Kind  string `json:"kind"` // queues or exports
	// Owner is the id of a process. Processes of older versions are not in the list.
	Owner string `json:"owner"`
	Held  int    `json:"held"`
}

// Shard is the work of one shard. Its name is empty if there is only one.
type Shard struct {
	Name       string  `json:"shard"`
	Outbox     Backlog `json:"outbox"`     // events that are not relayed yet
	SetAside   int     `json:"set_aside"`  // events that could not be relayed
	Queues     Backlog `json:"queues"`     // endpoints that are due and have no owner
	Deliveries Backlog `json:"deliveries"` // deliveries that wait or are held
	Jobs       Jobs    `json:"jobs"`
}

// Backlog is how much work waits, counted up to 100,000, and for how long the oldest of it has
// waited.
type Backlog struct {
	Waiting int     `json:"waiting"`
	Oldest  float64 `json:"oldest_seconds"`
}

// Jobs is the other background work.
type Jobs struct {
	ExportsQueued  int     `json:"exports_queued"`
	ExportsRunning int     `json:"exports_running"`
	Mails          Backlog `json:"mails"`
	Themes         int     `json:"themes_processing"`
	Redactions     int     `json:"redactions"`
}

// Inspect reads the fleet and its work, shard by shard. Each figure reads a bounded number of rows.
func Inspect(ctx context.Context, s *ent.Store) (*View, error) {
	list, err := List(ctx, s)
	if err != nil {
		return nil, err
	}
	v := &View{Processes: append([]Seen{}, list...), Leases: []Lease{}, Shards: []Shard{}}
	readers, err := ent.Gather(ctx, s, func(ctx context.Context) ([]shardReader, error) {
		l := shardReader{Store: s}
		err := l.read(ctx)
		return []shardReader{l}, err
	})
	if err != nil {
		return nil, fmt.Errorf("look at the work: %w", err)
	}
	slices.SortFunc(readers, func(a, b shardReader) int { return strings.Compare(a.shard.Name, b.shard.Name) })
	for _, l := range readers {
		v.Shards = append(v.Shards, l.shard)
		v.Leases = append(v.Leases, l.leases...)
	}
	return v, nil
}

type shardReader struct {
	*ent.Store
	shard  Shard
	leases []Lease
}

func (l *shardReader) read(ctx context.Context) error {
	h, _ := ent.ShardOf(ctx)
	l.shard.Name = h.String()
	for _, read := range []func(context.Context) error{l.events, l.queues, l.exports, l.jobs} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *shardReader) figures(ctx context.Context, into []any, query string, args ...any) error {
	return ent.Read(ctx, l.Seek(ctx), func(rows *stdsql.Rows) error { return rows.Scan(into...) }, query, args...)
}

// aged reads a backlog whose oldest row is found by its id.
func (l *shardReader) aged(ctx context.Context, b *Backlog, from string, args ...any) error {
	var oldest *xid.ID
	err := l.figures(ctx, []any{&b.Waiting, &oldest},
		fmt.Sprintf("SELECT COUNT(*), MIN(id) FROM (SELECT id FROM %s LIMIT %d) t", from, maxCounted), args...)
	if err == nil && oldest != nil {
		b.Oldest = max(time.Since(oldest.Time().Time()).Seconds(), 0)
	}
	return err
}

func (l *shardReader) events(ctx context.Context) error {
	if err := l.aged(ctx, &l.shard.Outbox, "outbox WHERE "+bucket.Every+" AND store_id >= ?", xid.Nil); err != nil {
		return err
	}
	if err := l.aged(ctx, &l.shard.Deliveries, "deliveries WHERE store_id >= ?", xid.Nil); err != nil {
		return err
	}
	return l.count(ctx, &l.shard.SetAside, "outbox_failures WHERE store_id >= ?", xid.Nil)
}

// count counts rows up to [maxCounted].
func (l *shardReader) count(ctx context.Context, into *int, from string, args ...any) error {
	query := fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM %s LIMIT %d) t", from, maxCounted)
	return l.figures(ctx, []any{into}, query, args...)
}

// horizon is how far ahead lease ends are searched. No lease is longer.
const horizon = time.Hour

func (l *shardReader) queues(ctx context.Context) error {
	now, args := l.QueueClock()
	err := l.figures(ctx, []any{&l.shard.Queues.Waiting, &l.shard.Queues.Oldest},
		"SELECT COUNT(*), COALESCE(MAX(CASE WHEN due_at > 0 THEN "+now+" - due_at ELSE 0 END), 0) / 1000000.0"+
			" FROM webhook_queues WHERE "+bucket.Every+" AND due_at <= "+now, slices.Concat(args, args)...)
	if err != nil {
		return err
	}
	return l.held(ctx, "queues", "webhook_queues", now, args)
}

// held counts the leases per owner on the rows of a table.
func (l *shardReader) held(ctx context.Context, kind, table, now string, args []any) error {
	query := fmt.Sprintf("SELECT lease_owner, COUNT(*) FROM %s WHERE %s AND due_at <= %s + %d AND lease_until > %s"+
		" AND lease_owner IS NOT NULL GROUP BY lease_owner ORDER BY lease_owner",
		table, bucket.Every, now, horizon.Microseconds(), now)
	return ent.Read(ctx, l.Seek(ctx), func(rows *stdsql.Rows) error {
		var owner xid.ID
		one := Lease{Shard: l.shard.Name, Kind: kind}
		err := rows.Scan(&owner, &one.Held)
		one.Owner = owner.String()
		l.leases = append(l.leases, one)
		return err
	}, query, slices.Concat(args, args)...)
}

func (l *shardReader) exports(ctx context.Context) error {
	err := l.figures(ctx, []any{&l.shard.Jobs.ExportsQueued, &l.shard.Jobs.ExportsRunning},
		"SELECT COALESCE(SUM(CASE WHEN status = ? THEN 1 ELSE 0 END), 0),"+
			" COALESCE(SUM(CASE WHEN status = ? THEN 1 ELSE 0 END), 0) FROM exports WHERE "+bucket.Every+
			" AND due_at <= ?", string(state.ExportQueued), string(state.ExportRunning), micros.Now().Add(horizon))
	if err != nil {
		return err
	}
	return l.held(ctx, "exports", "exports", ent.Clock(l.Dialect()), nil)
}

func (l *shardReader) jobs(ctx context.Context) error {
	now, due := micros.Now(), micros.Time(0)
	err := l.figures(ctx, []any{&l.shard.Jobs.Mails.Waiting, &due},
		fmt.Sprintf("SELECT COUNT(*), COALESCE(MIN(due_at), 0) FROM (SELECT due_at FROM mails WHERE %s AND due_at >= ?"+
			" LIMIT %d) t", bucket.Every, maxCounted), 0)
	if err != nil {
		return err
	}
	if l.shard.Jobs.Mails.Waiting > 0 {
		l.shard.Jobs.Mails.Oldest = max(now.Time().Sub(due.Time()).Seconds(), 0)
	}
	err = l.count(ctx, &l.shard.Jobs.Themes, "themes WHERE "+bucket.Every+" AND due_at < ?", micros.Max)
	if err != nil {
		return err
	}
	// The rows of finished redactions stay for a while.
	return l.count(ctx, &l.shard.Jobs.Redactions, "redactions WHERE "+bucket.Every+" AND step <> '"+
		string(state.RedactDone)+"' AND due_at < ?", micros.Max)
}
