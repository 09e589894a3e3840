package main

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
)

// costBound is the share that writing the event may add to POST /products.
const costBound = 0.15

// cost compares POST /products without layers with itself without the event.
func (b *hookBench) cost(ctx context.Context) error {
	if err := b.hooks.Clear(ctx); err != nil {
		return err
	}
	base, err := b.baseline(ctx)
	if err != nil {
		return err
	}
	defer base.stop()
	q := requests{corpus: b.data.corpus}
	f := figure{name: "POST /products, 16 connections", kind: throughput, conns: 16, bound: 1 / (1 + costBound), sides: []side{
		plain("without the event", base, q.create(baseline.Silent), 201),
		plain("with the event", base, q.create(root+"/products"), 201)}}
	m := meter{rounds: max(b.Rounds, 5), duration: 2 * time.Second, database: b.data.pid}
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

// showCost adds a line: the time that a request takes more is the inverse of the
// rate that is left.
func (b *hookBench) showCost(r *result) {
	without, with := r.middle(0), r.middle(1)
	cpu := func(v reading) string { return micros(v.server + v.database) }
	b.report.add([]string{
		"The cost of an event: the raw handler of POST /products, without layers, beside itself without the rows of the event and of its",
		"place in the outbox; in turns, the median of the rounds. Nobody relays meanwhile.",
	}, []string{"event", "engine", "without it /s", "with it /s", "it adds %", "CPU µs without it", "CPU µs with it"},
		r.name, b.data.engine, fmt.Sprintf("%.0f", without.rate), fmt.Sprintf("%.0f", with.rate),
		most(100*(1/r.ratio()-1), 100*costBound, "%.1f"), cpu(without), cpu(with))
}
