package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

// sellingCommand prints the tables of a shop that sells.
type sellingCommand struct {
	Engine   string        `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data     string        `type:"path" help:"Folder that keeps the data between runs; its path must be short. Default: a folder in the temporary one."`
	Binary   string        `type:"path" help:"Measure this server instead of one that is built now."`
	Products int           `default:"100000" help:"Products of the store."`
	Rounds   int           `default:"5" help:"Rounds of every figure; the sides take turns in each."`
	Duration time.Duration `default:"3s" help:"Length of one side's turn."`
	Quick    bool          `help:"Few products and one short round: to try the command, not for figures."`
	Only     string        `help:"Measure only the figures whose name contains this."`
	Profile  string        `type:"path" placeholder:"DIR" help:"Save CPU profiles of the server, taken in turns of their own."`
}

// shopDomain follows the handle in the host of a store.
const shopDomain = "shops.localhost"

// quickProducts is the size of the store of a quick run.
const quickProducts = 2000

// Run measures every engine and prints.
func (c *sellingCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Rounds, c.Duration, c.Products = 1, min(c.Duration, 300*time.Millisecond), min(c.Products, quickProducts)
	}
	place := dataFlags{Engine: c.Engine, Data: c.Data}
	s := store{dir: fmt.Sprintf("%s-goods-%d", place.store().dir, c.Products),
		size: corpus.Size{Orders: 1000, Stores: 2, Share: 60, Ties: 50, Products: 100, Goods: c.Products}}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	if err := ready(ctx, &c.Binary, s.dir); err != nil {
		return err
	}
	r := &report{quick: c.Quick}
	for _, engine := range place.engines() {
		if err := c.engine(ctx, r, s, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	r.print(os.Stdout)
	return nil
}

// engine measures everything on one engine.
func (c *sellingCommand) engine(ctx context.Context, r *report, s store, engine string) error {
	d, err := s.open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	fmt.Fprintln(os.Stderr, "the store opens: shelves, shipping, tax, payment")
	sells, err := openSeller(ctx, s.dir, d)
	if err != nil {
		return err
	}
	defer sells.Close()
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
	if shop.preview, err = shop.signedQuery(all.secret, d.corpus.Shops[0].ID); err != nil {
		return err
	}
	m := meter{rounds: c.Rounds, duration: c.Duration, profiles: c.Profile}
	if err := c.pages(ctx, r, m, engine, shop); err != nil {
		return err
	}
	return c.buying(ctx, r, m, engine, sells, shop)
}

// pages measures the pages that shoppers look at.
func (c *sellingCommand) pages(ctx context.Context, r *report, m meter, engine string, shop *shopper) error {
	for _, f := range pageFigures(c.Products) {
		if !strings.Contains(f.name, c.Only) {
			continue
		}
		if err := shop.look(ctx, r, m, engine, f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// buying measures carts and orders.
func (c *sellingCommand) buying(
	ctx context.Context, r *report, m meter, engine string, sells *seller, shop *shopper,
) error {
	for _, f := range sells.adding(shop.server, shop.host) {
		if !strings.Contains(f.name, c.Only) {
			continue
		}
		found, err := m.measure(ctx, engine, f)
		if err != nil {
			return err
		}
		r.pages = append(r.pages, pageRow{result: found, bound: addBound, asked: "2 ms"})
	}
	figures := figuresCommand{Only: c.Only}
	return figures.each(ctx, r, m, engine, sells.placing(shop.server, shop.host))
}
