package main

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
)

// costBound is the share that writing the event may add to POST /products.
const costBound = 0.15

// cost compares POST /products without layers with itself without the event, and
// what is between them with the server's own POST.
func (b *hookBench) cost(ctx context.Context) error {
	if err := b.hooks.Clear(ctx); err != nil {
		return err
	}
	base, err := b.baseline(ctx)
	if err != nil {
		return err
	}
	defer base.stop()
	server, err := b.server(ctx, "--no-dispatch")
	if err != nil {
		return err
	}
	defer server.stop()
	q := requests{corpus: b.data.corpus}
	f := figure{name: "POST /products, 16 connections", kind: throughput, conns: 16, sides: []side{
		plain("raw, without the event", base, q.create(baseline.Silent), 201),
		plain("raw", base, q.create(root+"/products"), 201),
		plain("server", server, q.create(root+"/products"), 201)}}
	m := meter{rounds: max(b.Rounds, 5), duration: 2 * time.Second}
	if b.Quick {
		m.rounds, m.duration = 1, 500*time.Millisecond
	}
	r, err := m.measure(ctx, b.data.engine, f)
	if err != nil {
		return err
	}
	b.showCost(r)
	return nil
}

// added is the share that the event adds to a request of the raw handler and to
// one of the server, in percent: the medians over the rounds.
func added(r *result) (raw, server float64) {
	var ofRaw, ofServer []float64
	for i := range r.sides[0] {
		without, with, whole := 1/r.sides[0][i].rate, 1/r.sides[1][i].rate, 1/r.sides[2][i].rate
		event := with - without
		ofRaw = append(ofRaw, 100*event/without)
		ofServer = append(ofServer, 100*event/(whole-event))
	}
	return median(ofRaw), median(ofServer)
}

// showCost adds a line.
func (b *hookBench) showCost(r *result) {
	line := []string{r.name, b.data.engine}
	for i := range r.sides {
		m := r.middle(i)
		line = append(line, fmt.Sprintf("%.0f/s, %s µs", m.rate, micros(m.server+m.database)))
	}
	raw, server := added(r)
	b.report.add([]string{
		"The cost of an event, requests a second and CPU of handler and database for each: the raw handler of POST " +
			"/products, without",
		"layers, beside itself without the rows of the event and of its place in the outbox, and the server, in " +
			"turns. What the event adds",
		"to the server's POST is the time by which the raw handlers differ, as a share of the rest of the server's. " +
			"Nobody relays meanwhile.",
	}, []string{"event", "engine", "raw, without the event", "raw", "server", "adds to raw", "adds to the server's"},
		append(line, fmt.Sprintf("%.1f %%", raw), most(server, 100*costBound, "%.1f %%"))...)
}
