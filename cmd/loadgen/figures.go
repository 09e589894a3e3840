package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

type figuresCommand struct {
	bench
	Orders int    `default:"1000000" help:"Orders in all stores, two lines each."`
	Before string `type:"path" placeholder:"BINARY" help:"Compare with this older server. Its own loadgen prepares its data, of as many orders."`
	Older  string `name:"before-data" type:"path" placeholder:"DIR" help:"Folder of the older server's data."`
}

func (c *figuresCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Orders = min(c.Orders, 20_000)
	}
	return c.run(ctx, c.dir(), c.engine)
}

func (c *figuresCommand) engine(ctx context.Context, engine string) error {
	now, err := startOn(ctx, store{dir: c.dir(), size: sized(c.Orders)}, engine, c.Binary)
	if err != nil {
		return err
	}
	defer now.close()
	reads, others := now.figures()
	if c.Before != "" {
		before, err := startOn(ctx, store{dir: c.Older, size: sized(c.Orders), foreign: true}, engine, c.Before)
		if err != nil {
			return err
		}
		defer before.close()
		older, olderOthers := before.figures()
		versus(older, reads)
		versus(olderOthers, others)
	}
	// The reads come first: the fact about memory is about them.
	if err := c.measure(ctx, engine, reads...); err != nil {
		return err
	}
	if err := c.facts(ctx, now); err != nil {
		return err
	}
	return c.measure(ctx, engine, others...)
}

// versus lets the figures of a newer server compete with those of an older one.
func versus(older, newer []figure) {
	for i := range newer {
		first, last := older[i].sides[len(older[i].sides)-1], newer[i].sides[len(newer[i].sides)-1]
		first.name = "before"
		newer[i].sides, newer[i].most = []side{first, last}, ""
	}
}

type contestant struct {
	requests
	data   *dataset
	server *child
	took   time.Duration // from its start to its first answer
}

func (c *contestant) close() {
	c.server.stop()
	c.data.close()
}

func startOn(ctx context.Context, s store, engine, binary string) (*contestant, error) {
	d, err := s.open(ctx, engine)
	if err != nil {
		return nil, err
	}
	all := newChildren(s.dir, binary, d)
	c := &contestant{data: d}
	if c.requests, err = newRequests(d.corpus, all.secret); err == nil {
		begin := time.Now()
		c.server, err = all.server(ctx)
		c.took = time.Since(begin)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	body, err := ask(ctx, c.server, c.graph(20, fields)[0])
	if err == nil && bytes.Contains(body, []byte(`"errors"`)) {
		err = fmt.Errorf("GraphQL answers with errors: %.300s", body)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// facts reports single values: the time to start, memory, and an export of the largest store.
func (c *figuresCommand) facts(ctx context.Context, at *contestant) error {
	fact := func(name, value string) {
		c.report.add([]string{"fact", "engine", "value"}, name, at.data.engine, value)
	}
	memory := func(name string) error {
		most, err := peak(at.server.pid())
		fact(name, fmt.Sprintf("%.1f MB", float64(most)/1e6))
		return err
	}
	fact("start to first answer", fmt.Sprintf("%.3f s", at.took.Seconds()))
	if err := memory("memory at most, under lists"); err != nil || !c.wants("export") {
		return err
	}
	speed, err := export(ctx, at.server, at.corpus.Shops[0].Key)
	if err != nil {
		return err
	}
	fact("export of "+strconv.Itoa(at.corpus.Shops[0].Orders)+" orders as CSV", fmt.Sprintf("%.0f rows/s", speed))
	return memory("memory at most, after the export")
}

func export(ctx context.Context, server *child, key string) (float64, error) {
	var job struct {
		ID, Status  string
		RowCount    int64     `json:"row_count"`
		StartedAt   time.Time `json:"started_at"`
		CompletedAt time.Time `json:"completed_at"`
	}
	path := "http://" + server.addr + root + "/exports"
	b, err := fetch(ctx, http.MethodPost, path, key, `{"kind":"orders"}`)
	if err == nil {
		err = json.Unmarshal(b, &job)
	}
	for err == nil && job.Status != "completed" {
		if job.Status == "failed" || ctx.Err() != nil {
			return 0, fmt.Errorf("the export is %s: %w", job.Status, ctx.Err())
		}
		time.Sleep(50 * time.Millisecond)
		if b, err = fetch(ctx, http.MethodGet, path+"/"+job.ID, key, ""); err == nil {
			err = json.Unmarshal(b, &job)
		}
	}
	return float64(job.RowCount) / job.CompletedAt.Sub(job.StartedAt).Seconds(), err
}

// figures returns the figures of reading, and all others: pages by their depth, and writes.
func (c *contestant) figures() (reads, others []figure) {
	served := func(name string, s series) side { return side{name, c.server, s.next, http.StatusOK, nil} }
	for _, f := range []struct {
		name string
		series
	}{
		{"GET /products?limit=100", c.products(100)},
		{"GET /orders?limit=100", c.orders(100)},
		{"GET /orders?limit=20", c.orders(20)},
		{"GET /orders/{id}", c.order()},
		{"GraphQL, the same 20 orders, every field", c.graph(20, fields)},
		{"GraphQL, the same 20 orders, a table's fields", c.graph(20, summary)},
	} {
		reads = append(reads, figure{name: f.name, conns: 16, of: cpuTime, sides: []side{served("server", f.series)}})
	}
	shop := &c.corpus.Shops[0]
	front := served("page 1", c.page(""))
	for _, p := range []struct{ name, order string }{
		{"page " + strconv.Itoa(shop.DeepPage()), shop.Marks[(shop.DeepPage()-1)*corpus.PageSize]},
		{"page " + strconv.Itoa(shop.LastPage()) + ", the last", shop.Marks[(shop.LastPage()-1)*corpus.PageSize]},
		{"a page inside " + strconv.Itoa(c.corpus.Size.Ties) + " orders of one microsecond", shop.Tied},
	} {
		others = append(others, figure{name: p.name, conns: 1, of: latency, most: "(at most 1.25)",
			sides: []side{front, served("server", c.page(p.order))}})
	}
	for _, conns := range []int{16, 64} {
		others = append(others, figure{name: "POST /products, " + strconv.Itoa(conns) + " connections", conns: conns,
			of: rate, sides: []side{{"server", c.server, c.create, http.StatusCreated, nil}}})
	}
	return reads, others
}
