package main

import (
	"context"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
)

// kind is what a figure compares.
type kind int

const (
	cpuPerRequest kind = iota // of server and database: at most bound times the reference
	latency                   // the median: at most bound times the reference
	throughput                // at least bound times the reference
)

// figure is one row of the issue: contestants that run in turns.
type figure struct {
	name  string
	kind  kind
	conns int
	bound float64
	sides []side
}

// side is one contestant. The first one is the reference, the last one is judged;
// those between are shown beside.
type side struct {
	name   string
	at     *child
	next   func(b []byte, conn, n int) []byte
	status int
	// fill, where it is set, prepares what a turn of the length uses up.
	fill func(ctx context.Context, turn time.Duration) error
	// took, where it is set, hears every answer.
	took func(conn int, body []byte) error
}

// ready prepares a turn of the length.
func (s side) ready(ctx context.Context, turn time.Duration) error {
	if s.fill == nil {
		return nil
	}
	return s.fill(ctx, turn)
}

// plain is a side whose requests use nothing up.
func plain(name string, at *child, next func(b []byte, conn, n int) []byte, status int) side {
	return side{name: name, at: at, next: next, status: status}
}

// graphEvery is the place of GraphQL with every field among the figures of reading.
const graphEvery = 4

// reads are the figures of reading.
func (r requests) reads(base, server *child) ([]figure, error) {
	list := []figure{{name: "GET /products?limit=100", bound: 1.25}}
	both := func(s series) []side {
		return []side{plain("baseline", base, s.next, 200), plain("server", server, s.next, 200)}
	}
	list[0].sides = both(r.products(100))
	for _, limit := range []int{100, 20} {
		s, err := r.orders(limit)
		if err != nil {
			return nil, err
		}
		list = append(list, figure{name: "GET /orders?limit=" + strconv.Itoa(limit), bound: 1.25, sides: both(s)})
	}
	one, err := r.order()
	if err != nil {
		return nil, err
	}
	list = append(list, figure{name: "GET /orders/{id}", bound: 1.25, sides: both(one)})
	for _, g := range []struct{ name, fields string }{
		{"GraphQL, the same 20 orders, every field", fields},
		{"GraphQL, the same 20 orders, a table's fields", summary},
	} {
		graph, err := r.graph(20, g.fields)
		if err != nil {
			return nil, err
		}
		sides := []side{list[2].sides[0], plain("server", server, graph.next, 200)} // the same pages
		list = append(list, figure{name: g.name, bound: 2, sides: sides})
	}
	for i := range list {
		list[i].kind, list[i].conns = cpuPerRequest, 16
	}
	return list, nil
}

// depths are the figures of pages far down the list of the largest store. The
// reference is the server's own first page; the baseline's pages are shown beside.
func (r requests) depths(base, server *child) ([]figure, error) {
	shop := r.corpus.Shops[0]
	first, err := r.page("")
	if err != nil {
		return nil, err
	}
	var list []figure
	add := func(name, order string) error {
		s, err := r.page(order)
		if err != nil || order == "" {
			return err
		}
		list = append(list, figure{name: name, kind: latency, conns: 1, bound: 1.25, sides: []side{
			plain("server, page 1", server, first.next, 200), plain("baseline, page 1", base, first.next, 200),
			plain("baseline, there", base, s.next, 200), plain("server, there", server, s.next, 200)}})
		return nil
	}
	deep := min(corpus.Deep, shop.Orders/corpus.PageSize/2)
	for _, p := range []int{deep, shop.Orders / corpus.PageSize} {
		name := "page " + strconv.Itoa(p)
		if p != deep {
			name += ", the last"
		}
		if err := add(name, shop.Marks[(p-1)*corpus.PageSize]); err != nil {
			return nil, err
		}
	}
	return list, add("a page inside "+strconv.Itoa(r.corpus.Size.Ties)+" orders of one microsecond", shop.Tied)
}

// writes are the figures of POST /products.
func (r requests) writes(base, server *child) []figure {
	var list []figure
	for _, conns := range []int{16, 64} {
		list = append(list, figure{name: "POST /products, " + strconv.Itoa(conns) + " connections", kind: throughput,
			conns: conns, bound: 0.8, sides: []side{
				plain("raw, the same statements", base, r.create(root+"/products"), 201),
				plain("raw, three inserts", base, r.create("/raw/products"), 201),
				plain("server", server, r.create(root+"/products"), 201)}})
	}
	return list
}
