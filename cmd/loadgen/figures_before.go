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
	first, err := older.reads(before, before)
	if err != nil {
		return nil, err
	}
	list, err := newer.reads(now, now)
	if err != nil {
		return nil, err
	}
	every := list[graphEvery] // beside REST's page, by the same server
	every.name += ", beside REST's page"
	every.sides[0].name, every.bound = "REST", 1.5
	for i := range list {
		list[i].bound = 1
		list[i].sides = []side{last(first[i], "before"), last(list[i], "server")}
	}
	list = append(list, every)
	writes := newer.writes(now, now)
	for i, f := range older.writes(before, before) {
		writes[i].bound, writes[i].sides = 1, []side{last(f, "before"), last(writes[i], "server")}
	}
	return append(list, writes...), nil
}

// last is the judged side of a figure under a name.
func last(f figure, name string) side {
	s := f.sides[len(f.sides)-1]
	s.name = name
	return s
}
