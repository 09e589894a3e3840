package main

import (
	"context"

	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// since measures an older server and the server in turns, each on its own data: an older
// program may not know the newer one's tables.
func (c *figuresCommand) since(ctx context.Context, r *report, engine string) error {
	before, older, err := c.side(ctx, store{dir: c.Older, size: c.store().size, kept: true}, engine, c.Before)
	if err != nil {
		return err
	}
	defer before.close()
	now, newer, err := c.side(ctx, c.store(), engine, c.Binary)
	if err != nil {
		return err
	}
	defer now.close()
	list, err := changes(older, newer, before.server, now.server)
	if err != nil {
		return err
	}
	return c.each(ctx, r, meter{rounds: c.Rounds, duration: c.Duration, profiles: c.Profile}, engine, list)
}

// contestant is a server on its data.
type contestant struct {
	data   *dataset
	server *child
}

func (c *contestant) close() {
	c.server.stop()
	c.data.close()
}

// side starts a program on the data of a folder.
func (c *figuresCommand) side(ctx context.Context, s store, engine, binary string) (*contestant, requests, error) {
	d, err := s.open(ctx, engine)
	if err != nil {
		return nil, requests{}, err
	}
	all := newChildren(s.dir, binary, d)
	ring, err := keyring.Parse(all.secret)
	if err != nil {
		d.close()
		return nil, requests{}, err
	}
	server, err := all.server(ctx)
	if err != nil {
		d.close()
		return nil, requests{}, err
	}
	return &contestant{d, server}, requests{d.corpus, page.New(ring)}, nil
}

// changes are the figures of two servers, of which the first one is the older.
func changes(older, newer requests, before, now *child) ([]figure, error) {
	first, err := older.reads(before)
	if err != nil {
		return nil, err
	}
	list, err := newer.reads(now)
	if err != nil {
		return nil, err
	}
	first, list = append(first, older.writes(before)...), append(list, newer.writes(now)...)
	for i := range list {
		list[i].bound = 1
		list[i].sides = []side{named("before", first[i].sides[0]), list[i].sides[0]}
	}
	return list, nil
}

// named gives a side another name.
func named(name string, s side) side {
	s.name = name
	return s
}
