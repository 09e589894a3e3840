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
	// shardsAge is how long the list of shards is believed: after a resharding nobody
	// looks for work on a shard that is gone for longer.
	shardsAge = 5 * time.Second
	// shardConns bounds the connections that look for work on one shard.
	shardConns = 4
	// asideConns bounds the connections of [Store.Aside].
	asideConns = 8
)

// everything is the one shard of a database that has no others.
var everything = []Shard{{}}

// cluster is what a store knows of the shards of Vitess. Its connections are bound to one
// shard each: they see nothing else, and only look for work.
type cluster struct {
	list atomic.Pointer[[]Shard]

	aside  *stdsql.DB // of [Store.Aside]
	client *db.Client // speaks to aside

	mu    sync.Mutex
	read  time.Time
	pools map[string]*stdsql.DB
}

// discover finds out whether there are shards.
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

// Shards returns the shards of the database, at least one. On Vitess it asks again now and
// then, and believes what it knows while nobody answers.
func (s *Store) Shards(ctx context.Context) ([]Shard, error) {
	c := s.cluster
	if c == nil {
		return everything, nil
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

// Sharded reports whether stores and people lie on different shards, which a statement
// cannot always join.
func (s *Store) Sharded() bool { return s.cluster != nil }

// known returns the shards as they were last read.
func (s *Store) known() []Shard {
	if s.cluster == nil {
		return everything
	}
	return *s.cluster.list.Load()
}

// readShards asks vtgate for the shards of the keyspace that serve.
func (s *Store) readShards(ctx context.Context) (list []Shard, err error) {
	rows, err := s.readers.QueryContext(ctx, "SHOW VITESS_SHARDS")
	if err != nil {
		return nil, fmt.Errorf("read shards: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var whole string
		if err := rows.Scan(&whole); err != nil {
			return nil, fmt.Errorf("read shards: %w", err)
		}
		keyspace, name, _ := strings.Cut(whole, "/")
		if keyspace != s.target.name {
			continue
		}
		h, err := parseShard(name)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read shards: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("read shards: keyspace %s has none", s.target.name)
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

// close closes every connection.
func (c *cluster) close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.forget(nil), c.aside.Close())
}

// EachShard runs f for every shard, with a context in which [Store.Seek] reads that shard,
// and waits for all of them: at once where there are several, each in a goroutine. An
// error ends the work on its own shard. In a context that is on a shard already f runs
// for that one.
//
// Writes inside go to where their stores are, in transactions of one shard: what was read
// on one shard lies on one.
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
			panic(v) // in the goroutine of whoever guards the work
		}
	}
	return errors.Join(errs...)
}

// OnShards runs f for every shard as [Store.EachShard] does, until ctx ends: for work that
// goes on. What f does on a shard that is gone ends, and begins on one that is new.
func (s *Store) OnShards(ctx context.Context, f func(ctx context.Context)) {
	if s.cluster == nil {
		f(on(ctx, everything[0]))
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

// Seek returns the client that looks for work in all stores of the shard at which ctx is:
// it reads, outside of any transaction, and sees nothing that lies on other shards. What
// is found is worked on through [Store.DB] and [Store.InTx].
func (s *Store) Seek(context.Context) *db.Client { return s.seeking }

// reader returns the pool of connections to the shard that ctx is at.
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
