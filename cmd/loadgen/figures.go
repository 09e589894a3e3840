package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// figuresCommand prints the tables.
type figuresCommand struct {
	dataFlags
	Rounds   int           `default:"5" help:"Rounds of every figure; the sides take turns in each."`
	Duration time.Duration `default:"3s" help:"Length of one side's turn."`
	Quick    bool          `help:"Small data and short rounds: to try the command, not for figures."`
	Binary   string        `type:"path" help:"Measure this server instead of one that is built now."`
	Profile  string        `type:"path" placeholder:"DIR" help:"Save CPU and heap profiles of the server, taken in turns of their own."`
	Before   string        `type:"path" placeholder:"BINARY" help:"Compare with this older server. Its own loadgen prepares its data, of as many orders."`
	Older    string        `name:"before-data" type:"path" placeholder:"DIR" help:"Folder of the older server's data."`
	Only     string        `help:"Measure only the figures whose name contains this."`
}

// Run measures every engine and prints.
func (c *figuresCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Orders, c.Rounds, c.Duration = min(c.Orders, 20_000), 1, min(c.Duration, 300*time.Millisecond)
	}
	r := &report{quick: c.Quick}
	dir := c.store().dir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if c.Binary == "" {
		c.Binary = filepath.Join(dir, "storefront")
		size, err := build(ctx, c.Binary)
		if err != nil {
			return err
		}
		r.facts = append(r.facts, fact{"stripped binary", fmt.Sprintf("%.1f MB", float64(size)/1e6), "< 60 MB"})
	}
	measure := c.engine
	if c.Before != "" {
		measure = c.since
	}
	for _, engine := range c.engines() {
		if err := measure(ctx, r, engine); err != nil {
			return err
		}
	}
	r.print(os.Stdout)
	return nil
}

// engine measures everything on one engine.
func (c *figuresCommand) engine(ctx context.Context, r *report, engine string) error {
	d, err := c.store().open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	all := newChildren(c.store().dir, c.Binary, d)
	ring, err := keyring.Parse(all.secret)
	if err != nil {
		return err
	}
	if err := c.starts(ctx, r, all); err != nil {
		return err
	}
	server, err := all.server(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	return c.measure(ctx, r, d, requests{d.corpus, page.New(ring)}, server)
}

// starts measures from the start of the process to its first answer.
func (c *figuresCommand) starts(ctx context.Context, r *report, all *children) error {
	var took []time.Duration
	for range c.Rounds {
		begin := time.Now()
		p, err := all.server(ctx)
		if err != nil {
			return err
		}
		took = append(took, time.Since(begin))
		p.stop()
	}
	slices.Sort(took)
	bound := ""
	if all.data.engine == "sqlite" {
		bound = "< 0.3 s"
	}
	r.facts = append(r.facts, fact{
		"start to first answer, " + all.data.engine, fmt.Sprintf("%.3f s", took[len(took)/2].Seconds()), bound,
	})
	return nil
}

func (c *figuresCommand) measure(ctx context.Context, r *report, d *dataset, q requests, server *child) error {
	reads, err := q.reads(server)
	if err != nil {
		return err
	}
	if err := q.check(ctx, server); err != nil {
		return err
	}
	depths, err := q.depths(server)
	if err != nil {
		return err
	}
	m := meter{rounds: c.Rounds, duration: c.Duration, profiles: c.Profile}
	// The lists come first: their memory is the one that is asked for.
	if err := c.each(ctx, r, m, d.engine, reads); err != nil {
		return err
	}
	if c.Profile != "" {
		if err := save(ctx, "http://"+server.admin+"/debug/pprof/heap",
			filepath.Join(c.Profile, d.engine+"-heap.pprof")); err != nil {
			return err
		}
	}
	most, err := peak(server.pid())
	if err != nil {
		return err
	}
	r.facts = append(r.facts, fact{
		"memory under list load, most, " + d.engine, fmt.Sprintf("%.1f MB", float64(most)/1e6), "< 80 MB",
	})
	return c.each(ctx, r, m, d.engine, append(depths, q.writes(server)...))
}

func (c *figuresCommand) each(ctx context.Context, r *report, m meter, engine string, list []figure) error {
	for _, f := range list {
		if !strings.Contains(f.name, c.Only) {
			continue
		}
		found, err := m.measure(ctx, engine, f)
		if err != nil {
			return err
		}
		r.results = append(r.results, found)
	}
	return nil
}

// check fails if GraphQL does not answer with whole pages of orders.
func (r requests) check(ctx context.Context, server *child) error {
	graph, err := r.graph(20, fields)
	if err != nil {
		return err
	}
	return whole(ctx, server, graph, 20)
}
