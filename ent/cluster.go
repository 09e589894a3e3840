package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent/db"
)

const (
	// shardsAge is how long the list of shards is cached, and thus how long after a resharding work
	// may still be looked for on a shard that is gone.
	shardsAge = 5 * time.Second
	// shardConns limits the connections for finding work on one shard.
	shardConns = 4
	// asideConns limits the connections of [Store.Aside].
	asideConns = 8
)

var wholeDatabase = []Shard{{}}

// cluster is a store's state for the shards of Vitess. Each of its pools is bound to one shard,
// sees only that, and is used only to find work.
type cluster struct {
	list atomic.Pointer[[]Shard]

	aside  *stdsql.DB // for [Store.Aside]
	client *db.Client // uses aside

	mu    sync.Mutex
	read  time.Time
	pools map[string]*stdsql.DB
}

// discover finds out whether the database is sharded.
func (s *Store) discover(ctx context.Context) error {
	version, err := s.Version(ctx)
	if err != nil || !strings.Contains(version, "Vitess") {
		return err
	}
	c := &cluster{pools: map[string]*stdsql.DB{}}
	if c.aside, _, err = openMySQL(s.target, Config{MaxOpen: asideConns, Logger: s.log}, readTimeout); err != nil {
		return err
	}
	c.client = db.NewClient(db.Driver(&pool{store: s, db: c.aside}))
	s.cluster = c
	_, err = s.Shards(ctx)
	return err
}

// Shards returns the shards of the database, at least one. On Vitess the list is refreshed from
// time to time; if that fails, the previous list is returned.
func (s *Store) Shards(ctx context.Context) ([]Shard, error) {
	c := s.cluster
	if c == nil {
		return wholeDatabase, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.list.Load()
	if known != nil && time.Since(c.read) < shardsAge {
		return *known, nil
	}
	list, err := s.readShards(ctx)
	switch {
	case err == nil:
		c.read = time.Now()
		c.list.Store(&list)
		return list, c.forget(list)
	case known != nil:
		s.log.WarnContext(ctx, "the shards cannot be read", "error", err)
		return *known, nil
	}
	return nil, err
}

// Sharded reports whether stores and people may be on different shards, which a statement cannot
// always join.
func (s *Store) Sharded() bool { return s.cluster != nil }

func (s *Store) known() []Shard {
	if s.cluster == nil {
		return wholeDatabase
	}
	return *s.cluster.list.Load()
}

func (s *Store) readShards(ctx context.Context) (list []Shard, err error) {
	err = Read(ctx, s.readers, func(rows *stdsql.Rows) error {
		var whole string
		err := rows.Scan(&whole)
		keyspace, name, _ := strings.Cut(whole, "/")
		if err != nil || keyspace != s.target.name {
			return err
		}
		h, err := parseShard(name)
		list = append(list, h)
		return err
	}, "SHOW VITESS_SHARDS")
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("keyspace %s has none", s.target.name)
	}
	if err != nil {
		return nil, fmt.Errorf("read shards: %w", err)
	}
	return list, nil
}

// forget closes the connections to shards that are gone. The lock is held.
func (c *cluster) forget(list []Shard) error {
	var errs []error
	for name, pool := range c.pools {
		if !slices.ContainsFunc(list, func(h Shard) bool { return h.name == name }) {
			delete(c.pools, name)
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

func (c *cluster) close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.forget(nil), c.aside.Close())
}

// EachShard runs f for every shard, concurrently if there are several, with a context in which
// [Store.Seek] reads that shard, and waits for all of them. An error ends the work on its own shard
// only. In a context that is already on a shard, f runs for that one.
//
// Writes inside go to the shard of their store, in single-shard transactions: what was read on one
// shard is on that shard.
func (s *Store) EachShard(ctx context.Context, f func(ctx context.Context) error) error {
	if _, ok := ShardOf(ctx); ok {
		return f(ctx)
	}
	list, err := s.Shards(ctx)
	if err != nil {
		return err
	}
	if len(list) == 1 {
		return f(on(ctx, list[0]))
	}
	errs, panics := make([]error, len(list)), make([]any, len(list))
	var group sync.WaitGroup
	for i, h := range list {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panics[i] = fmt.Sprintf("on shard %s: %v\n%s", h, v, debug.Stack())
				}
			}()
			if errs[i] = f(on(ctx, h)); errs[i] != nil {
				errs[i] = fmt.Errorf("shard %s: %w", h, errs[i])
			}
		})
	}
	group.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v) // in the goroutine that guards the work
		}
	}
	return errors.Join(errs...)
}

// OnShards runs f for every shard as [Store.EachShard] does, until ctx ends: for continuous work.
// Its context ends when its shard is gone, and f starts on new shards.
func (s *Store) OnShards(ctx context.Context, f func(ctx context.Context)) {
	if s.cluster == nil {
		f(on(ctx, wholeDatabase[0]))
		return
	}
	var group sync.WaitGroup
	defer group.Wait()
	running := map[string]context.CancelFunc{}
	tick := time.NewTicker(shardsAge)
	defer tick.Stop()
	for {
		list, err := s.Shards(ctx)
		if err != nil {
			list = s.known()
		}
		for name, end := range running {
			if !slices.ContainsFunc(list, func(h Shard) bool { return h.name == name }) {
				end()
				delete(running, name)
			}
		}
		for _, h := range list {
			if running[h.name] == nil {
				inside, end := context.WithCancel(on(ctx, h))
				running[h.name] = end
				group.Go(func() { defer end(); f(inside) })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Seek returns the client for finding work in all stores of the shard that ctx is on: it reads
// outside any transaction and does not see other shards. The work itself uses [Store.DB] and
// [Store.InTx].
func (s *Store) Seek(context.Context) *db.Client { return s.seeking }

func (s *Store) reader(ctx context.Context) (*stdsql.DB, error) {
	c := s.cluster
	if c == nil {
		return s.readers, nil
	}
	h, ok := ShardOf(ctx)
	if !ok {
		return nil, ErrNoShard
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if pool := c.pools[h.name]; pool != nil {
		return pool, nil
	}
	there := s.target
	there.name += ":" + h.name
	pool, _, err := openMySQL(there, Config{MaxOpen: shardConns, Logger: s.log}, readTimeout)
	if err == nil {
		c.pools[h.name] = pool
	}
	return pool, err
}
