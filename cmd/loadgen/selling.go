package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
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
	Profile  string        `type:"path" placeholder:"DIR" help:"Save CPU and heap profiles of the server, taken in turns of their own."`
}

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
	if c.Binary == "" {
		c.Binary = filepath.Join(s.dir, "storefront")
		if _, err := build(ctx, c.Binary); err != nil {
			return err
		}
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
	return nil
}
