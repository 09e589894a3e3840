package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent/event"
)

const (
	// healthyStores have one endpoint each, which answers after 10 ms and gets
	// healthyRate events a second.
	healthyStores, healthyRate = 10, 5
	// lateTime is how long the last healthy deliveries may take after a load.
	lateTime = time.Minute
)

// healthyPath is that of an endpoint which answers after 10 ms.
func healthyPath(i int) string { return fmt.Sprint(waitPath, "10/", i) }

// nobody is an address on which nobody listens.
const nobody = "http://127.0.0.1:1"

// pressure is a load beside which endpoints that answer get their events.
type pressure struct {
	name          string
	stores, every int // stores of it, and endpoints of each
	// path is the path of an endpoint, a whole URL where nobody listens, or "" where
	// it is one more healthy endpoint.
	path func(i int) string
	// Events a second and store: by requests, or in stores without a healthy endpoint
	// by rows, which cost less.
	posts int
	rows  float64
	warm  bool // the events come from the beginning
	held  bool // deliveries wait, and are let go
}

// pressures are the loads that are measured.
var pressures = [...]pressure{
	{name: "24 begin to hang", stores: 24, every: 1, rows: 15, warm: true,
		path: func(i int) string { return fmt.Sprint(turnPath, i) }},
	{name: "24 answer after 4.5 s", stores: 24, every: 1, rows: 15,
		path: func(i int) string { return fmt.Sprint(waitPath, "4500/", i) }},
	{name: "600 of one store hang", stores: 1, every: 601, posts: 2, path: func(i int) string {
		if i == 0 {
			return ""
		}
		return fmt.Sprint(hangPath, i)
	}},
	{name: "a backlog recovers", stores: 20, every: 1, path: plainPath, held: true},
	{name: "90 % are bad", stores: 50, every: 10, posts: 1, path: mostlyBad},
}

// mostlyBad is a load of ten endpoints a store of which one is healthy: three hang,
// three are slow, three fail or cannot be reached.
func mostlyBad(i int) string {
	switch i % 10 {
	case 0:
		return ""
	case 1, 2, 3:
		return fmt.Sprint(hangPath, i)
	case 4, 5, 6:
		return fmt.Sprint(waitPath, "4500/", i)
	case 7:
		return fmt.Sprint(nobody, "/", i)
	}
	return fmt.Sprint(failPath, i)
}

// fairBench is one load under measurement.
type fairBench struct {
	*hookBench
	pressure
	healthy, others, server *child
	sent                    posted // all that healthy endpoints are to get
}

// measure measures the delays of healthy endpoints without the load and beside it.
func (p pressure) measure(b *hookBench, ctx context.Context) error { //nolint:revive // as method expressions of b are
	f := &fairBench{hookBench: b, pressure: p, sent: posted{}}
	defer f.stop()
	if err := f.open(ctx); err != nil {
		return err
	}
	stopWarm := func() error { return nil }
	if p.warm {
		stopWarm = f.write(ctx)
	}
	_, err := f.posts(ctx, warmUp, false)
	var quiet, during posted
	if err == nil {
		quiet, err = f.posts(ctx, b.Duration, false)
	}
	var used []float64
	if err == nil {
		during, used, err = f.press(ctx)
	}
	if err := errors.Join(err, stopWarm()); err != nil {
		return err
	}
	return f.judge(ctx, quiet, during, used)
}

// open registers the endpoints and starts all processes.
func (f *fairBench) open(ctx context.Context) (err error) {
	if err := f.hooks.Clear(ctx); err != nil {
		return err
	}
	if f.healthy, err = f.sink(ctx, "sink-healthy"); err != nil {
		return err
	}
	if f.others, err = f.sink(ctx, "sink"); err != nil {
		return err
	}
	types := []event.Type{event.ProductCreated}
	err = f.hooks.Register(ctx, corpus.Spread{Stores: healthyStores, Each: 1, Types: types}, f.ofHealthy)
	if err != nil {
		return err
	}
	err = f.hooks.Register(ctx, corpus.Spread{From: healthyStores, Stores: f.stores, Each: f.every, Types: types},
		func(i int) string {
			switch path := f.path(i); {
			case path == "":
				return f.ofHealthy(healthyStores + i)
			case path[0] != '/':
				return path
			default:
				return "http://" + f.others.addr + path
			}
		})
	if err == nil && f.held {
		err = f.hooks.Hold(ctx, f.Recovering)
	}
	if err == nil {
		f.server, err = f.children.server(ctx, "--allow-loopback-webhooks")
	}
	return err
}

func (f *fairBench) ofHealthy(i int) string { return "http://" + f.healthy.addr + healthyPath(i) }

func (f *fairBench) stop() {
	for _, p := range []*child{f.server, f.healthy, f.others} {
		if p != nil {
			p.stop()
		}
	}
}

// write commits the rows of the load until the function that it returns is called.
func (f *fairBench) write(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- f.hooks.Stream(ctx, f.rows) }()
	return func() error { cancel(); return <-ended }
}

// posts makes the events of healthy endpoints for so long, and those of the load
// that are made by requests if it is on. One stream makes them all: connections
// of a seldom one would be closed between two requests.
func (f *fairBench) posts(ctx context.Context, duration time.Duration, on bool) (posted, error) {
	shops := slices.Repeat(f.data.corpus.Shops[:healthyStores], healthyRate)
	if on {
		shops = append(shops, slices.Repeat(f.data.corpus.Shops[healthyStores:][:f.stores], f.pressure.posts)...)
	}
	mathrand.New(mathrand.NewPCG(3, 4)).Shuffle(len(shops), func(i, j int) { shops[i], shops[j] = shops[j], shops[i] })
	sent, err := stream{f.server.addr, shops, float64(len(shops))}.run(ctx, duration)
	maps.Copy(f.sent, sent)
	return sent, err
}

// press applies the load, and returns what healthy endpoints are to get meanwhile
// and the CPU that the processes use, in percent of one.
func (f *fairBench) press(ctx context.Context) (sent posted, used []float64, err error) {
	before, err := f.spentCPU()
	if err != nil {
		return nil, nil, err
	}
	began := time.Now()
	stop := func() error { return nil }
	switch {
	case f.held:
		err = f.hooks.Release(ctx)
	case f.warm:
		_, err = fetch(ctx, "http://"+f.others.addr+turnedPath)
	case f.rows > 0:
		stop = f.write(ctx)
	}
	if err == nil {
		sent, err = f.posts(ctx, f.Duration, true)
	}
	took := time.Since(began)
	after, lost := f.spentCPU()
	for i := range after {
		used = append(used, 100*(after[i]-before[i]).Seconds()/took.Seconds())
	}
	return sent, used, errors.Join(err, lost, stop())
}

// spentCPU is the CPU time of the server, of the database, of the receivers and of
// the load client.
func (f *fairBench) spentCPU() (list []time.Duration, err error) {
	for _, pids := range [][]int{{f.server.pid()}, {f.data.pid}, {f.healthy.pid(), f.others.pid()}, {os.Getpid()}} {
		var sum time.Duration
		for _, pid := range pids {
			used, err := cpu(pid)
			if err != nil {
				return nil, err
			}
			sum += used
		}
		list = append(list, sum)
	}
	return list, nil
}

// judge waits for what healthy endpoints are still to get and adds a line.
func (f *fairBench) judge(ctx context.Context, quiet, during posted, used []float64) error {
	limit := time.Now().Add(lateTime)
	err := f.server.until(ctx, func() (bool, error) {
		n, err := f.healthy.answered(ctx)
		return n >= len(f.sent) || time.Now().After(limit), err
	})
	if err != nil {
		return err
	}
	list, err := f.healthy.receipts(ctx)
	if err != nil {
		return err
	}
	all := func(int) bool { return false }
	before, err := delays(list, quiet, all)
	if err != nil {
		return err
	}
	beside, err := delays(list, during, all)
	if err != nil {
		return err
	}
	f.show(before, beside, len(f.sent)-beside.seen, used)
	return nil
}

// show adds a line.
func (f *fairBench) show(before, beside *liveResult, missing int, used []float64) {
	ms := func(list []time.Duration, share float64) string { return fmt.Sprintf("%.1f", at(list, share)) }
	cpu := fmt.Sprintf("%.0f, %.0f, %.0f, %.0f", used[0], used[1], used[2], used[3])
	name := f.name
	if f.held {
		name = fmt.Sprintf("%s: %d", name, f.Recovering)
	}
	p99 := at(beside.event, 0.99)
	f.report.add([]string{
		fmt.Sprintf("Fairness: %d endpoints of as many stores answer after 10 ms and get %d events a second each, "+
			"made by POST /products; those", healthyStores, healthyRate),
		"of a load that answer too count with them. The delay to the receipt is counted from the time in the " +
			"event's id, as for live loads,",
		"before the load and from its first moment on. Missing is what had not come a minute after it. The CPU is " +
			"that of the server, the",
		"database, the receivers and the load client during the load, in percent of one.",
	}, []string{"beside", "engine", "events", "p50 ms before", "p99 ms before", "p50 ms", "p99 ms", "times that before",
		"worst ms", "p99 ms from the answer", "p99 ms of the POST", "missing", "CPU %"},
		name, f.data.engine, fmt.Sprint(beside.count), ms(before.event, 0.5), ms(before.event, 0.99),
		ms(beside.event, 0.5), most(p99, 100, "%.1f"), most(p99/at(before.event, 0.99), 3, "%.1f"), ms(beside.event, 1),
		ms(beside.answer, 0.99), ms(beside.post, 0.99), most(float64(missing), 0, "%.0f"), cpu)
}
