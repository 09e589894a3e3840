package main

import (
	"context"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

// kind is what a figure compares.
type kind int

const (
	cpuPerRequest kind = iota // of server and database: at most bound times the reference
	latency                   // the median: at most bound times the reference
	throughput                // at least bound times the reference
)

// figure is one row of a table: one side, or several that take turns.
type figure struct {
	name  string
	kind  kind
	conns int
	bound float64 // of the last side beside the first; 0 without a comparison
	sides []side
}

// side is one contestant. The first is the reference, the last is compared with it.
type side struct {
	name   string
	at     *child
	next   func(b []byte, conn, n int) []byte
	status int
	// fill, where it is set, prepares what a turn of the length uses up.
	fill func(ctx context.Context, turn time.Duration) error
	// took, if set, is called with every answer.
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

// reads are the figures of reading.
func (r requests) reads(server *child) ([]figure, error) {
	list := []figure{{name: "GET /products?limit=100", sides: only(server, r.products(100))}}
	for _, limit := range []int{100, 20} {
		s, err := r.orders(limit)
		if err != nil {
			return nil, err
		}
		list = append(list, figure{name: "GET /orders?limit=" + strconv.Itoa(limit), sides: only(server, s)})
	}
	one, err := r.order()
	if err != nil {
		return nil, err
	}
	list = append(list, figure{name: "GET /orders/{id}", sides: only(server, one)})
	for _, g := range []struct{ name, fields string }{
		{"GraphQL, the same 20 orders, every field", fields},
		{"GraphQL, the same 20 orders, a table's fields", summary},
	} {
		graph, err := r.graph(20, g.fields)
		if err != nil {
			return nil, err
		}
		list = append(list, figure{name: g.name, sides: only(server, graph)})
	}
	for i := range list {
		list[i].kind, list[i].conns = cpuPerRequest, 16
	}
	return list, nil
}

// only is the side of a figure without a comparison.
func only(server *child, s series) []side { return []side{plain("server", server, s.next, 200)} }

// depths compare pages far down the list of the largest store with its first page.
func (r requests) depths(server *child) ([]figure, error) {
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
			plain("page 1", server, first.next, 200), plain("server", server, s.next, 200)}})
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
func (r requests) writes(server *child) []figure {
	var list []figure
	for _, conns := range []int{16, 64} {
		list = append(list, figure{name: "POST /products, " + strconv.Itoa(conns) + " connections", kind: throughput,
			conns: conns, sides: []side{plain("server", server, r.create(root+"/products"), 201)}})
	}
	return list
}
