package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// reading is one round of one side.
type reading struct {
	server, database time.Duration // CPU per request
	p50, p99         time.Duration
	rate             float64 // requests per second
}

// value is what the figure's kind compares.
func (r reading) value(k kind) float64 {
	switch k {
	case cpuPerRequest:
		return float64(r.server + r.database)
	case latency:
		return float64(r.p50)
	}
	return r.rate
}

// result is a figure with its readings: rounds of every side.
type result struct {
	figure
	engine string
	sides  [][]reading
}

// meter measures figures.
type meter struct {
	rounds   int
	duration time.Duration
	// profiles is the folder for a profile of each figure; "" for none.
	profiles string
}

// measure runs the sides of a figure in turns, so that what else the machine
// does meets all of them. A first turn that is not counted warms caches.
func (m meter) measure(ctx context.Context, engine string, f figure) (*result, error) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", engine, f.name)
	r := &result{figure: f, engine: engine, sides: make([][]reading, len(f.sides))}
	for round := range m.rounds + 1 {
		for i, s := range f.sides {
			duration := m.duration
			if round == 0 {
				duration /= 3
			}
			got, err := m.turn(ctx, s, f.conns, duration)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", f.name, s.name, err)
			}
			if round > 0 {
				r.sides[i] = append(r.sides[i], got)
			}
		}
	}
	if m.profiles == "" {
		return r, nil
	}
	return r, m.profile(ctx, engine, f)
}

func (m meter) turn(ctx context.Context, s side, conns int, duration time.Duration) (reading, error) {
	if err := s.ready(ctx, duration); err != nil {
		return reading{}, err
	}
	server, database, err := s.at.cpu()
	if err != nil {
		return reading{}, err
	}
	out, err := load{addr: s.at.addr, conns: conns, duration: duration, status: s.status, next: s.next,
		took: s.took}.run(ctx)
	if err != nil {
		return reading{}, err
	}
	server2, database2, err := s.at.cpu()
	if err != nil {
		return reading{}, err
	}
	n := time.Duration(max(out.requests, 1))
	return reading{server: (server2 - server) / n, database: (database2 - database) / n,
		p50: out.percentile(0.5), p99: out.percentile(0.99), rate: out.rate()}, nil
}

func (p *child) cpu() (server, database time.Duration, err error) {
	if server, err = cpu(p.pid()); err != nil {
		return 0, 0, err
	}
	database, err = cpu(p.database)
	return server, database, err
}

// ratio is the median over the rounds of the last side to the first one.
func (r *result) ratio() float64 {
	list := make([]float64, 0, len(r.sides[0]))
	last := r.sides[len(r.sides)-1]
	for i, reference := range r.sides[0] {
		list = append(list, last[i].value(r.kind)/reference.value(r.kind))
	}
	return median(list)
}

// kept reports whether the figure keeps its bound.
func (r *result) kept() bool {
	if r.kind == throughput {
		return r.ratio() >= r.bound
	}
	return r.ratio() <= r.bound
}

// middle is the median of every value of a side on its own.
func (r *result) middle(i int) reading {
	pick := func(f func(reading) float64) float64 {
		list := make([]float64, 0, len(r.sides[i]))
		for _, v := range r.sides[i] {
			list = append(list, f(v))
		}
		return median(list)
	}
	return reading{
		server:   time.Duration(pick(func(v reading) float64 { return float64(v.server) })),
		database: time.Duration(pick(func(v reading) float64 { return float64(v.database) })),
		p50:      time.Duration(pick(func(v reading) float64 { return float64(v.p50) })),
		p99:      time.Duration(pick(func(v reading) float64 { return float64(v.p99) })),
		rate:     pick(func(v reading) float64 { return v.rate }),
	}
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

// ask sends one request and returns the body of a 200.
func ask(ctx context.Context, c *child, request []byte) ([]byte, error) {
	conn, err := dial(ctx, c.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	status, body, err := conn.do(request)
	if err == nil && status != 200 {
		err = fmt.Errorf("%s: %s answers %d: %.300s", line(request), c.name, status, body)
	}
	return body, err
}

// whole checks that GraphQL answers with pages of orders: its errors have the
// status 200 too.
func whole(ctx context.Context, c *child, s series, orders int) error {
	for _, request := range s[:min(len(s), 40)] {
		body, err := ask(ctx, c, request)
		if err != nil {
			return err
		}
		if bytes.Contains(body, []byte(`"errors"`)) || bytes.Count(body, []byte(`"subtotalMinor"`)) > orders {
			return fmt.Errorf("%s answers wrongly: %.300s", line(request), body)
		}
	}
	return nil
}
