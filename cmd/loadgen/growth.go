package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// growthCommand prints what requests and deliveries cost as there is more of everything.
type growthCommand struct {
	Engine     string        `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data       string        `type:"path" help:"Folder that keeps the data between runs; its path must be short. Default: a folder in the temporary one."`
	Binary     string        `type:"path" help:"Measure this server instead of one that is built now."`
	Orders     []int         `default:"1000,10000,100000,1000000,5000000" help:"Numbers of orders, in 41 stores."`
	Stores     []int         `default:"1,100,10000" help:"Numbers of stores, with 100,000 orders in all."`
	Endpoints  []int         `default:"1,100,10000,100000" help:"Numbers of endpoints, up to 100 of each store."`
	Deliveries int           `default:"60000" help:"Deliveries that are drained, or one for each endpoint where these are more."`
	Rounds     int           `default:"3" help:"Rounds of every figure; the median is shown."`
	Duration   time.Duration `default:"2s" help:"Length of a round."`
	Quick      bool          `help:"Small data and short rounds: to try the command, not for figures."`
}

// growing is one size of what grows.
type growing struct {
	name string // of what grows
	n    int
	size corpus.Size
}

// Run measures every engine and prints.
func (c *growthCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Orders, c.Stores, c.Endpoints = []int{1000, 2000}, []int{1, 10}, []int{1, 10}
		c.Deliveries, c.Rounds, c.Duration = 500, 1, min(c.Duration, 300*time.Millisecond)
	}
	place := dataFlags{Engine: c.Engine, Data: c.Data}
	dir := place.store().dir + "-growth"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := ready(ctx, &c.Binary, dir); err != nil {
		return err
	}
	r := &hookReport{quick: c.Quick}
	defer r.print(os.Stdout) // what was found before an error, too
	for _, engine := range place.engines() {
		for _, g := range c.sizes() {
			s := store{dir: filepath.Join(dir, g.name+"-"+strconv.Itoa(g.n)), size: g.size}
			if err := c.requests(ctx, r, s, engine, g); err != nil {
				return fmt.Errorf("%s: %d %s: %w", engine, g.n, g.name, err)
			}
		}
		for _, n := range c.Endpoints {
			if err := c.deliveries(ctx, r, dir, engine, n); err != nil {
				return fmt.Errorf("%s: %d endpoints: %w", engine, n, err)
			}
		}
	}
	return nil
}

// sizes are those of which requests are made.
func (c *growthCommand) sizes() (list []growing) {
	for _, n := range c.Orders {
		list = append(list, growing{"orders", n, corpus.Million.Scaled(n)})
	}
	orders := 100_000
	if c.Quick {
		orders = 1000
	}
	for _, n := range c.Stores {
		list = append(list, growing{"stores", n,
			corpus.Size{Orders: orders, Stores: n, Share: max(100/n, 1), Ties: 50, Products: 10}})
	}
	return list
}

// requests measures the requests of one size, each on its own.
func (c *growthCommand) requests(ctx context.Context, r *hookReport, s store, engine string, g growing) error {
	d, err := s.open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	own, err := ent.Open(ctx, ent.Config{Database: d.address})
	if err != nil {
		return err
	}
	defer own.Close()
	all := newChildren(s.dir, c.Binary, d)
	ring, err := keyring.Parse(all.secret)
	if err != nil {
		return err
	}
	server, err := all.server(ctx, "--no-dispatch")
	if err != nil {
		return err
	}
	defer server.stop()
	sides, err := requests{d.corpus, page.New(ring)}.growing(server)
	if err != nil {
		return err
	}
	m := meter{rounds: c.Rounds, duration: c.Duration}
	for _, at := range sides {
		cost, err := m.cost(ctx, engine, own, at)
		if err != nil {
			return err
		}
		most, err := peak(server.pid())
		if err != nil {
			return err
		}
		v := cost.middle(0)
		r.add([]string{
			"What one request costs: CPU of server and database, rows that the database read, statements. Memory is the " +
				"server's most so far.",
		}, []string{"of", "engine", "request", "CPU µs", "rows", "statements", "p50 ms", "memory MB"},
			fmt.Sprintf("%d %s", g.n, g.name), engine, at.name, micros(v.server+v.database), cost.rows,
			fmt.Sprintf("%.2f", cost.statements), millis(v.p50), fmt.Sprintf("%.0f", float64(most)/1e6))
	}
	return nil
}

// growing are the requests whose costs are compared between sizes.
func (r requests) growing(server *child) ([]side, error) {
	list, err := r.orders(20)
	if err != nil {
		return nil, err
	}
	one, err := r.order()
	if err != nil {
		return nil, err
	}
	var nothing, products series
	for _, s := range r.corpus.Shops {
		nothing = append(nothing, get(root+"/orders?status=cancelled&fulfillment_status=fulfilled&limit=20", s.Key))
		products = append(products, get(root+"/products?limit=20", s.Key))
	}
	return []side{
		plain("GET /orders?limit=20", server, list.next, 200),
		plain("GET /orders/{id}", server, one.next, 200),
		plain("GET /orders of two states", server, nothing.next, 200),
		plain("GET /products?limit=20", server, products.next, 200),
		plain("POST /products", server, r.create(root+"/products"), 201),
	}, nil
}

// cost is what one request of a side takes.
type cost struct {
	*result
	rows       string // "" where the database does not count them
	statements float64
}

// cost measures a side that has the server to itself.
func (m meter) cost(ctx context.Context, engine string, own *ent.Store, at side) (cost, error) {
	var answers atomic.Int64
	at.took = func(int, []byte) error { answers.Add(1); return nil }
	rows, statements, err := counted(ctx, engine, own, at.at)
	if err != nil {
		return cost{}, err
	}
	found, err := m.measure(ctx, engine, figure{name: at.name, conns: 4, sides: []side{at}})
	if err != nil {
		return cost{}, err
	}
	rowsNow, statementsNow, err := counted(ctx, engine, own, at.at)
	if err != nil {
		return cost{}, err
	}
	n := float64(max(answers.Load(), 1))
	c := cost{result: found, statements: (statementsNow - statements) / n}
	if engine == "mariadb" {
		c.rows = fmt.Sprintf("%.1f", (rowsNow-rows)/n)
	}
	return c, nil
}

// counted returns how many rows the database has read since its start, where it says so, and
// how many statements the server has sent since its own.
func counted(ctx context.Context, engine string, own *ent.Store, server *child) (rows, statements float64, err error) {
	if statements, err = server.statements(ctx); err != nil || engine != "mariadb" {
		return 0, statements, err
	}
	err = own.Admin(ctx, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, "SELECT SUM(variable_value) FROM information_schema.global_status "+
			"WHERE variable_name LIKE 'HANDLER_READ%'").Scan(&rows)
	})
	return rows, statements, err
}

// deliveries drains a backlog of so many endpoints.
func (c *growthCommand) deliveries(ctx context.Context, r *hookReport, dir, engine string, endpoints int) error {
	const each = 100 // of one store at most
	stores := max(endpoints/each, 1)
	spread := corpus.Spread{Stores: stores, Each: endpoints / stores, Types: orderTypes}
	if spread.Each%len(orderTypes) != 0 { // as many are of each type
		spread.Types = orderTypes[:1]
	}
	w := &webhooksCommand{Engine: engine, Binary: c.Binary, Deliveries: max(c.Deliveries, endpoints), Rounds: c.Rounds}
	s := store{dir: filepath.Join(dir, "endpoints-"+strconv.Itoa(endpoints)), anew: true,
		size: corpus.Size{Orders: 40 * max(stores, 50), Stores: max(stores, 50), Share: 2, Products: 10}}
	return w.bench(ctx, r, s, engine, func(b *hookBench) error {
		var list []drained
		for range c.Rounds {
			d, err := b.drain(ctx, spread)
			if err != nil {
				return err
			}
			list = append(list, d)
		}
		b.showDrain(spread, list)
		return nil
	})
}
