package corpus

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

const samples = 2000

// span is the time over which the orders are spread.
const span = 2 * 365 * 24 * time.Hour

// customers is how many customers a store has, if it has that many orders.
const customers = 200

type filler struct {
	conn *sql.Conn
	rand *rand.Rand
	now  micros.Time
	all  map[string]*bulk
	rows int // since the last commit
}

// Fill creates the rows in an empty, migrated database.
func Fill(ctx context.Context, s *ent.Store, size Size) (c *Corpus, err error) {
	err = s.Admin(ctx, func(conn *sql.Conn) error {
		f := &filler{conn: conn, rand: rand.New(rand.NewPCG(1, 2)), now: micros.Now()}
		f.tables()
		if err := f.settings(ctx, s.Dialect()); err != nil {
			return err
		}
		if c, err = f.fill(ctx, size); err != nil {
			return err
		}
		return f.finish(ctx, s.Dialect())
	})
	if err != nil {
		return nil, fmt.Errorf("fill the database: %w", err)
	}
	return c, nil
}

// settings turn off durability: an interrupted fill starts over.
func (f *filler) settings(ctx context.Context, engine string) error {
	list := []string{"SET SESSION unique_checks = 0"}
	if engine == dialect.SQLite {
		list = []string{"PRAGMA synchronous = off", "PRAGMA cache_size = -400000"}
	}
	return exec(ctx, f.conn, append(list, "BEGIN")...)
}

// finish updates the statistics and checkpoints SQLite's log, as on a server that runs for long.
func (f *filler) finish(ctx context.Context, engine string) error {
	if engine == dialect.SQLite {
		return exec(ctx, f.conn, "COMMIT", "PRAGMA synchronous = full", "PRAGMA wal_checkpoint(TRUNCATE)",
			"PRAGMA cache_size = -8000")
	}
	// One table at a time, as Vitess requires.
	return exec(ctx, f.conn, "COMMIT", "ANALYZE TABLE `orders`", "ANALYZE TABLE `products`")
}

// fill creates one store after the other: their ids ascend, so every row is appended to its table.
func (f *filler) fill(ctx context.Context, size Size) (*Corpus, error) {
	c := &Corpus{Version: Version, Size: size}
	first := size.Orders * size.Share / 100
	for i := range size.Stores {
		n := first
		if i > 0 {
			n = (size.Orders - first) / (size.Stores - 1)
		}
		shop, ids, err := f.shop(ctx, i, n, size)
		if err != nil {
			return nil, err
		}
		c.Shops = append(c.Shops, *shop)
		for range max(samples*n/size.Orders, 1) {
			if n > 0 {
				c.Samples = append(c.Samples, Sample{i, xid.Order.Format(ids[f.rand.IntN(n)])})
			}
		}
	}
	return c, nil
}

// shop creates a store with all of its rows. It also returns the ids of the orders, oldest first.
func (f *filler) shop(ctx context.Context, i, orders int, size Size) (*Shop, []xid.ID, error) {
	id := xid.At(f.now.Add(-span - time.Hour + time.Duration(i)*time.Second))
	shop := &Shop{ID: xid.Store.Format(id), Orders: orders, Marks: map[int]string{}}
	if err := f.store(ctx, id, i, orders, shop); err != nil {
		return nil, nil, err
	}
	goods, err := f.products(ctx, id, size.Products)
	if err != nil {
		return nil, nil, err
	}
	if i == 0 {
		if err := f.goods(ctx, id, size.Goods); err != nil {
			return nil, nil, err
		}
	}
	people, err := f.people(ctx, id, min(customers, max(orders, 1)))
	if err != nil {
		return nil, nil, err
	}
	ties := 0
	if i == 0 {
		ties = min(size.Ties, orders)
	}
	ids, tied := f.ids(orders, ties)
	if ties > 0 {
		shop.Tied = xid.Order.Format(tied)
	}
	shop.mark(ids)
	if err := f.orders(ctx, id, ids, goods, people); err != nil {
		return nil, nil, err
	}
	return shop, ids, f.flush(ctx)
}

func (f *filler) store(ctx context.Context, id xid.ID, i, orders int, shop *Shop) error {
	handle := fmt.Sprintf("load-%d", i+1)
	secret := apikey.Mint(apikey.Key)
	shop.Key = secret.Reveal()
	hash, key := secret.Hash(), xid.At(id.Time())
	names := scope.Of(scope.OrdersRead, scope.ProductsWrite, scope.CustomersRead, scope.ExportsWrite, scope.ThemesWrite)
	for _, r := range []struct {
		table  string
		values []any
	}{
		{"store_handles", []any{handle, id[:]}},
		{"stores", []any{id[:], 1, 0, int64(f.now), handle, fmt.Sprintf("Load shop %d", i+1), "EUR", "Europe/Berlin",
			"open", 1001 + orders, false, false}},
		{"credentials", []any{hash[:], id[:], key[:], string(apikey.Key)}},
		{"api_keys", []any{id[:], key[:], key[:], 1, "load", apikey.Hint(secret), names.String()}},
	} {
		if err := f.add(ctx, r.table, r.values...); err != nil {
			return err
		}
	}
	return nil
}

// add inserts a row and commits now and then.
func (f *filler) add(ctx context.Context, table string, values ...any) error {
	if err := f.all[table].add(ctx, values...); err != nil {
		return err
	}
	if f.rows++; f.rows < batch*commitEvery {
		return nil
	}
	f.rows = 0
	return exec(ctx, f.conn, "COMMIT", "BEGIN")
}

func (f *filler) flush(ctx context.Context) error {
	for _, b := range f.all {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}
