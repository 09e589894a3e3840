package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// figure is one row of a table. Several sides take turns; the last one is compared with the first.
type figure struct {
	name  string
	conns int
	of    metric // which is compared
	most  string // the bound of the ratio; "" for none
	sides []side
}

type side struct {
	name   string
	at     *child
	next   func(b []byte, conn, n int) []byte
	status int
	// fill, if set, prepares what a round of this length consumes.
	fill func(ctx context.Context, length time.Duration) error
}

type reading struct {
	cpu, database time.Duration // per request; cpu is the sum of server and database
	p50, p99      time.Duration
	rate          float64 // requests per second
}

type metric func(reading) float64

func cpuTime(r reading) float64 { return float64(r.cpu) }
func latency(r reading) float64 { return float64(r.p50) }
func rate(r reading) float64    { return r.rate }

var figuresHead = []string{
	"figure", "engine", "side", "CPU µs", "of the database", "p50 ms", "p99 ms", "requests/s", "ratio",
}

// measure runs the sides of a figure in turns, so that other work on the machine affects all of
// them, and reports the medians. The first round warms caches and is not counted.
func (b *bench) measure(ctx context.Context, engine string, list ...figure) error {
	for _, f := range list {
		if !b.wants(f.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", engine, f.name)
		readings := make([][]reading, len(f.sides))
		for round := range b.Rounds + 1 {
			for i, s := range f.sides {
				length := b.Duration
				if round == 0 {
					length /= 3
				}
				got, err := turn(ctx, s, f.conns, length)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", f.name, s.name, err)
				}
				if round > 0 {
					readings[i] = append(readings[i], got)
				}
			}
		}
		b.show(engine, f, readings)
	}
	return nil
}

func turn(ctx context.Context, s side, conns int, length time.Duration) (r reading, err error) {
	if s.fill != nil {
		if err := s.fill(ctx, length); err != nil {
			return r, err
		}
	}
	own, database, err := s.at.used()
	if err != nil {
		return r, err
	}
	out, err := load{addr: s.at.addr, conns: conns, duration: length, status: s.status, next: s.next}.run(ctx)
	if err != nil {
		return r, err
	}
	ownAfter, databaseAfter, err := s.at.used()
	if err != nil {
		return r, err
	}
	n := time.Duration(max(len(out.latency), 1))
	database = (databaseAfter - database) / n
	return reading{cpu: (ownAfter-own)/n + database, database: database, p50: percentile(out.latency, 0.5),
		p99: percentile(out.latency, 0.99), rate: out.rate()}, nil
}

func (b *bench) show(engine string, f figure, readings [][]reading) {
	for i, s := range f.sides {
		middle := func(of metric) float64 { return medianOf(readings[i], of) }
		ratio := ""
		if i > 0 {
			ratio = strings.TrimSpace(fmt.Sprintf("%.2f %s", compared(f.of, readings[0], readings[i]), f.most))
		}
		b.report.add(figuresHead, f.name, engine, s.name, micros(time.Duration(middle(cpuTime))),
			micros(time.Duration(middle(func(r reading) float64 { return float64(r.database) }))),
			millis(time.Duration(middle(latency))),
			millis(time.Duration(middle(func(r reading) float64 { return float64(r.p99) }))),
			fmt.Sprintf("%.0f", middle(rate)), ratio)
	}
}

// compared returns the median over the rounds of the ratio of two sides.
func compared(of metric, first, last []reading) float64 {
	list := make([]float64, len(first))
	for i := range first {
		list[i] = of(last[i]) / of(first[i])
	}
	return median(list)
}

func medianOf[T any](list []T, of func(T) float64) float64 {
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = of(v)
	}
	return median(values)
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	if n := len(list); n%2 == 0 {
		return (list[n/2-1] + list[n/2]) / 2
	}
	return list[len(list)/2]
}
