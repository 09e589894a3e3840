package webhook_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// neighbors is how many rows two other endpoints have in each table, one in the same store and one
// in another.
const neighbors = 20_000

// examined is how many rows a statement with n keys may read.
func examined(n int) int { return 1000 + 4*n }

// hot are statements that must have run for the test to be meaningful.
var hot = []string{
	"DELETE FROM outbox", "INSERT INTO deliveries", "UPDATE webhook_queues SET last_sequence",
	"UPDATE webhook_queues SET lease_token", "UPDATE webhook_queues SET lease_until",
	"UPDATE webhook_queues SET lease_owner = NULL", "SELECT store_id, id, lease_token, lease_owner",
	"SELECT store_id, id, lease_token, epoch", "SELECT q.store_id",
	"AND d.sequence >= ? AND d.sequence <= ?", "AND d.sequence >= ? ORDER BY d.sequence LIMIT",
	"SELECT o.bucket", "SELECT e.store_id, e.id", "DELETE FROM deliveries", "INSERT INTO delivery_logs",
	"UPDATE deliveries SET attempts", "INSERT INTO attempts", "SELECT (SELECT COUNT(*) FROM delivery_logs",
	"SELECT e.id, e.type, e.resource_id", "SELECT id FROM outbox", "UPDATE webhook_queues SET failing_since",
	"UPDATE webhook_queues SET streak", "DELETE FROM attempts",
}

// TestStatementsReadWhatTheyName checks every statement of the engine beside large neighbors.
func TestStatementsReadWhatTheyName(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		seen := new(texts)
		s := opened(t, ent.Config{Database: storetest.SQLite(t), Inspect: seen.add})
		work(t, open(t, s), func(*db.WebhookEndpoint) func() { return func() {} })
		for _, query := range seen.ran(t) {
			for _, step := range plan(t, s, query) {
				if scans.MatchString(step) {
					t.Errorf("%s:\n%s", step, query)
				}
			}
		}
	})
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) {
			address := storetest.MySQL(t)
			s := opened(t, ent.Config{Database: address})
			if v, err := s.Version(t.Context()); err != nil || !strings.Contains(v, "MariaDB") {
				t.Logf("%s has neither MariaDB's sequences nor its log of slow statements: %v", v, err)
				return
			}
			shop := open(t, s)
			crowd(t, s, shop.store)
			read := logSlow(t, s)
			seen := new(texts)
			shop.s = opened(t, ent.Config{Database: address, Inspect: seen.add})
			shop.engine = engine(t, shop.s)
			work(t, shop, func(e *db.WebhookEndpoint) func() { return shop.holdUp(e, s) })
			seen.lists(t)
			seen.ran(t)
			reported := map[string]bool{}
			for query, rows := range read(address) {
				head := query[:min(len(query), 50)]
				if most := examined(strings.Count(query, "_binary'")); rows > most && !reported[head] {
					reported[head] = true
					t.Errorf("%d rows were read, want %d at most:\n%.300q", rows, most, query)
				}
			}
		})
	}
}

func opened(t *testing.T, c ent.Config) *ent.Store {
	t.Helper()
	s, err := ent.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// texts are the statements that ran.
type texts struct {
	mu  sync.Mutex
	all map[string]bool
}

func (x *texts) add(s ent.Statement) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == nil {
		x.all = map[string]bool{}
	}
	x.all[s.Query] = true
	return nil
}

// ran returns the statements, and checks that those of [hot] are among them.
func (x *texts) ran(t *testing.T) []string {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	all := slices.Sorted(maps.Keys(x.all))
	for _, head := range hot {
		if !slices.ContainsFunc(all, func(q string) bool { return strings.Contains(q, head) }) {
			t.Errorf("%q did not run", head)
		}
	}
	return all
}

// lists checks that deliveries were settled in short lists and in one longer than the server
// examines value by value for a plan (eq_range_index_dive_limit, 200).
func (x *texts) lists(t *testing.T) {
	t.Helper()
	var sizes []int
	for query := range x.all {
		if strings.HasPrefix(query, "DELETE FROM deliveries WHERE ") && !strings.Contains(query, "<=") {
			sizes = append(sizes, strings.Count(query, "?")/4)
		}
	}
	slices.Sort(sizes)
	if len(sizes) < 3 || sizes[0] != 1 || sizes[1] > 16 || sizes[len(sizes)-1] <= 200 {
		t.Errorf("lists of %d deliveries were settled", sizes)
	}
}

// scans matches a step of SQLite's plan that scans one of our tables, as opposed to a subquery.
var scans = regexp.MustCompile(`^SCAN (o|d|e|q|outbox|events|deliveries|delivery_logs|attempts|webhook_\w+)\b`)

// plan returns the steps of SQLite's plan.
func plan(t *testing.T, s *ent.Store, query string) (steps []string) {
	t.Helper()
	if !regexp.MustCompile("^(SELECT|INSERT|UPDATE|DELETE) ").MatchString(query) {
		return nil
	}
	rows, err := s.DB(t.Context()).QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query,
		make([]any, strings.Count(query, "?"))...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, detail)
	}
	return steps
}

// crowd fills the tables with rows of two other endpoints, one of them of the store.
func crowd(t *testing.T, s *ent.Store, store xid.ID) {
	t.Helper()
	const id = "UNHEX(LPAD(HEX(seq), 32, '0'))" // sorts before all ids of today
	tables := []struct{ name, columns, values string }{
		{"deliveries", "endpoint_id, sequence, id, event_id, resource_id",
			"?, seq, " + id + ", " + id + ", " + id},
		{"delivery_logs",
			"endpoint_id, sequence, id, event_id, resource_id, type, state, attempts, settled_at, outcome",
			"?, seq, " + id + ", " + id + ", " + id + ", 'product.updated', 'delivered', 1, 1, 'delivered'"},
		{"attempts", "endpoint_id, sequence, id, number, began_at, outcome", "?, seq, " + id + ", 1, 1, 'timeout'"},
		{"events", "id, type, resource_type, resource_id, sequence, body",
			id + ", 'product.updated', 'product', ?, seq, '{}'"},
		{"outbox", "bucket, id", "ORD(?) % 16, " + id},
		{"webhook_queues", "id, bucket, due_at", id + ", ORD(?) % 16, 9223372036854775807"},
		{"webhook_endpoints", "id, updated_at, url, events, status, secret, secret_hint",
			id + ", 1, 'https://example.com', 'product.updated', 'active', ?, ''"},
	}
	admin(t, s, func(conn *sql.Conn) error {
		for _, table := range tables {
			for _, of := range []xid.ID{store, xid.New()} {
				if of == store && !strings.Contains(table.columns, "sequence") {
					continue // the relay reads all endpoints of a store
				}
				other := xid.New()
				_, err := conn.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO %s (store_id, %s) SELECT ?, %s"+
					" FROM seq_1_to_%d", table.name, table.columns, table.values, neighbors), of[:], other[:])
				if err != nil {
					return fmt.Errorf("%s: %w", table.name, err)
				}
			}
			if _, err := conn.ExecContext(t.Context(), "ANALYZE TABLE "+table.name); err != nil {
				return err
			}
		}
		return nil
	})
}

func admin(t *testing.T, s *ent.Store, f func(*sql.Conn) error) {
	t.Helper()
	if err := s.Admin(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

// logSlow makes the server log each statement of new connections. It returns a function that reads
// the statements of a database with the rows that each examined.
func logSlow(t *testing.T, s *ent.Store) (read func(address string) map[string]int) {
	set := func(values ...string) {
		admin(t, s, func(conn *sql.Conn) error {
			for _, v := range values {
				if _, err := conn.ExecContext(context.Background(), v); err != nil {
					return err
				}
			}
			return nil
		})
	}
	set("SET GLOBAL log_output = 'TABLE'", "SET GLOBAL long_query_time = 0", "SET GLOBAL slow_query_log = 1")
	t.Cleanup(func() {
		set("SET GLOBAL slow_query_log = 0", "SET GLOBAL long_query_time = 10", "SET GLOBAL log_output = 'FILE'",
			"TRUNCATE TABLE mysql.slow_log")
	})
	return func(address string) map[string]int {
		found := map[string]int{}
		admin(t, s, func(conn *sql.Conn) error {
			rows, err := conn.QueryContext(t.Context(), "SELECT sql_text, rows_examined FROM mysql.slow_log WHERE db = ?",
				address[strings.LastIndexByte(address, '/')+1:])
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var query string
				var n int
				if err := rows.Scan(&query, &n); err != nil {
					return err
				}
				found[query] = max(found[query], n)
			}
			return rows.Err()
		})
		return found
	}
}

// work makes the engine do everything it can, with lists of one, of two and of many.
func work(t *testing.T, s *shop, holdUp func(*db.WebhookEndpoint) (release func())) {
	t.Helper()
	m := new(moody)
	var once sync.Once
	gate, came := make(chan struct{}), make(chan struct{})
	r, p := receive(t, func(g receipt) int {
		if g.header.Get("X-Service-Event") == string(event.ProductDeleted) {
			once.Do(func() { close(came) })
			<-gate
		}
		return m.answer(g)
	}), product{id: xid.New()}
	m.well.Store(true)
	e := s.endpoint(r.URL, event.ProductUpdated, event.ProductDeleted)
	s.endpoint(r.URL, event.ProductUpdated) // for lists of two queues
	s.engine.Start(t.Context())
	for _, n := range []int{1, 3, 1000} {
		before := r.accepted()
		release := holdUp(e)
		s.many(n)
		until(t, "all events", func() bool { return r.accepted() == before+n })
		release()
		until(t, "all to be settled", func() bool { return len(s.waiting(e)) == 0 })
	}
	m.well.Store(false)
	s.write(&p, 3, event.ProductUpdated, `{}`)
	until(t, "a failure", func() bool { return s.queueOf(e).Streak == 1 })
	for _, act := range []func(context.Context) (bool, error){
		func(ctx context.Context) (bool, error) { return s.engine.RetryNow(ctx, s.waiting(e)[0]) },
		func(ctx context.Context) (bool, error) { return s.engine.SkipOne(ctx, s.waiting(e)[0]) },
	} {
		s.tx(func(ctx context.Context) error { _, err := act(ctx); return err })
	}
	m.well.Store(true)
	until(t, "the rest", func() bool { return len(s.waiting(e)) == 0 })
	s.write(&p, 1, event.ProductDeleted, `{}`)
	<-came
	s.tx(func(ctx context.Context) error { _, err := s.engine.SkipOne(ctx, s.waiting(e)[0]); return err })
	close(gate)
	s.tx(func(ctx context.Context) error {
		return s.engine.Replay(ctx, e.ID, micros.Now().Add(-time.Hour), micros.Now().Add(time.Hour))
	})
	until(t, "the replay", func() bool { return s.queueOf(e).ReplayFrom == nil && len(s.waiting(e)) == 0 })
	s.turn(e, state.EndpointDisabled, s.engine.Hold)
	s.many(5)
	until(t, "a missed event", func() bool { return s.queueOf(e).MissedFrom != nil })
	s.turn(e, state.EndpointActive, s.engine.Resume)
	until(t, "what was missed", func() bool { return s.queueOf(e).MissedFrom == nil && len(s.waiting(e)) == 0 })
	s.history(e, 100_000, 3, micros.Now().Add(-webhook.Retention-time.Minute))
	if _, err := s.engine.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop(s.engine)
}

// holdUp blocks the write of an endpoint's next outcome until release is called.
func (s *shop) holdUp(e *db.WebhookEndpoint, by *ent.Store) (release func()) {
	s.t.Helper()
	tx, err := by.RawTx(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = tx.ExecContext(s.t.Context(), "INSERT INTO delivery_logs (store_id, endpoint_id, sequence, id, event_id,"+
		" type, resource_id, state, attempts, settled_at, outcome) VALUES (?, ?, ?, '', '', '', '', '', 0, 0, '')",
		s.store[:], e.ID[:], s.queueOf(e).LastSequence+1)
	if err != nil {
		s.t.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}

// many writes events about n resources in one transaction.
func (s *shop) many(n int) {
	s.t.Helper()
	s.tx(func(ctx context.Context) error {
		for range n {
			if err := s.changeIn(ctx, &product{id: xid.New()}); err != nil {
				return err
			}
		}
		return nil
	})
}
