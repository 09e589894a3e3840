package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
)

// storefrontCommand prints the tables of themes and of the storefront.
type storefrontCommand struct {
	Engine   string        `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data     string        `type:"path" help:"Folder that keeps the data between runs; its path must be short. Default: a folder in the temporary one."`
	Binary   string        `type:"path" help:"Measure this server instead of one that is built now."`
	Rounds   int           `default:"5" help:"Rounds of every figure; the sides take turns in each."`
	Duration time.Duration `default:"3s" help:"Length of one side's turn."`
	Quick    bool          `help:"One short round: to try the command, not for figures."`
}

// storefrontSize is the data: a storefront shows no orders, and a few hundred
// products are more than a page of it.
var storefrontSize = corpus.Size{Orders: 1000, Stores: 2, Share: 60, Ties: 50, Products: 300}

// shopDomain is what follows the handle in the host of a store. Both sides are
// given, since the addresses of assets hold it.
const shopDomain = "shops.localhost"

// Run measures every engine and prints.
func (c *storefrontCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Rounds, c.Duration = 1, min(c.Duration, 300*time.Millisecond)
	}
	place := dataFlags{Engine: c.Engine, Data: c.Data}
	s := store{dir: place.store().dir + "-themes", size: storefrontSize}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	if err := ready(ctx, &c.Binary, s.dir); err != nil {
		return err
	}
	samples, err := sampleAssets()
	if err != nil {
		return err
	}
	if err := writeAssets(filepath.Join(s.dir, "assets"), samples); err != nil {
		return err
	}
	r := &report{quick: c.Quick}
	for _, engine := range place.engines() {
		if err := c.engine(ctx, r, s, engine, samples); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	r.print(os.Stdout)
	return nil
}

// engine measures everything on one engine.
func (c *storefrontCommand) engine(ctx context.Context, r *report, s store, engine string, samples []file) error {
	d, err := s.open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	all := newChildren(s.dir, c.Binary, d)
	server, err := all.server(ctx, "--no-dispatch", "--store-domain", shopDomain)
	if err != nil {
		return err
	}
	defer server.stop()
	shop, err := newShopper(ctx, server, d.corpus.Shops[0].Key)
	if err != nil {
		return err
	}
	m := meter{rounds: c.Rounds, duration: c.Duration}
	if err := c.beside(ctx, r, m, all, shop, samples); err != nil {
		return err
	}
	if err := shop.home(ctx, r, m, engine); err != nil {
		return err
	}
	return shop.switches(ctx, r, all, c.Rounds)
}

// beside measures what there is a baseline for.
func (c *storefrontCommand) beside(
	ctx context.Context, r *report, m meter, all *children, shop *shopper, samples []file,
) error {
	base, err := all.baseline(ctx, "--store-domain", shopDomain, "--assets", filepath.Join(all.dir, "assets"))
	if err != nil {
		return err
	}
	defer base.stop()
	for _, f := range shop.figures(base, samples) {
		if err := same(ctx, base, shop.server, series{f.sides[0].next(nil, 0, 0)}); err != nil {
			return err
		}
		found, err := m.measure(ctx, all.data.engine, f)
		if err != nil {
			return err
		}
		r.results = append(r.results, found)
	}
	return nil
}

// figures are those with a baseline. What the sizes are close to is what themes
// have: a stylesheet of 20 kB and a photograph of 100 kB.
func (s *shopper) figures(base *child, samples []file) []figure {
	both := func(request []byte) []side {
		next := series{request}.next
		return []side{plain("baseline", base, next, 200), plain("server", s.server, next, 200)}
	}
	list := []figure{{name: "GET /themes/{id}/assets, " + fmt.Sprint(len(s.active.assets)) + " of them",
		kind: cpuPerRequest, conns: 16, bound: 1.25, sides: both(get(root+"/themes/"+s.active.ID+"/assets", s.key))}}
	for _, kind := range []struct {
		name, contentType string
		size              int
	}{{"stylesheet", "text/css; charset=utf-8", 20_000}, {"preview", "image/jpeg", 100_000}} {
		if f, ok := closest(samples, kind.contentType, kind.size); ok {
			list = append(list, figure{name: fmt.Sprintf("an asset: %s of %.1f kB", kind.name,
				float64(len(f.body))/1e3),
				kind: throughput, conns: 16, bound: 0.8, sides: both(visit(s.host, f.address))})
		}
	}
	return list
}
