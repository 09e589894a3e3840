package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// soakCommand keeps a server busy for long and prints what became of it: errors, delays,
// memory, and whether every event was delivered.
type soakCommand struct {
	Engine   string        `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data     string        `type:"path" help:"Folder for the data; its path must be short. Default: a folder in the temporary one."`
	Binary   string        `type:"path" help:"Use this server instead of one that is built now."`
	Orders   int           `default:"40000" help:"Orders in a hundred stores."`
	Duration time.Duration `default:"30m" help:"Length of the load."`
	Share    float64       `default:"0.7" help:"Load, as a share of what the server takes at most."`
	Quick    bool          `help:"Small data and a short load: to try the command, not for figures."`
}

const (
	soakSamples  = 60               // of the load's time
	soakExports  = 20               // one after the other, in the load's time
	soakCapacity = 15 * time.Second // of the load that finds out what the server takes
	// soakGrowth is by how much memory may have grown between the second and the last
	// quarter of the load.
	soakGrowth = 1.15
)

// Run soaks every engine and prints.
func (c *soakCommand) Run(ctx context.Context) error {
	capacity := soakCapacity
	if c.Quick {
		c.Orders, c.Duration, capacity = min(c.Orders, 4000), min(c.Duration, 6*time.Second), 2*time.Second
	}
	place := dataFlags{Engine: c.Engine, Data: c.Data}
	dir := place.store().dir + "-soak"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := ready(ctx, &c.Binary, dir); err != nil {
		return err
	}
	r := &hookReport{quick: c.Quick}
	size := corpus.Size{Orders: c.Orders, Stores: liveSpread.Stores, Share: 20, Products: 10}
	hooks := &webhooksCommand{Binary: c.Binary}
	var failed error
	for _, engine := range place.engines() {
		err := hooks.bench(ctx, r, store{dir: dir, size: size, anew: true}, engine, func(b *hookBench) error {
			return c.engine(ctx, b, capacity)
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", engine, err))
		}
	}
	r.print(os.Stdout)
	return failed
}

// engine finds out what the server takes, and gives it a share of that for long.
func (c *soakCommand) engine(ctx context.Context, b *hookBench, capacity time.Duration) error {
	sink, err := b.begin(ctx, liveSpread, plainPath)
	if err != nil {
		return err
	}
	defer sink.stop()
	server, err := b.server(ctx, "--allow-loopback-webhooks")
	if err != nil {
		return err
	}
	defer server.stop()
	ring, err := keyring.Parse(b.secret)
	if err != nil {
		return err
	}
	mix, err := requests{b.data.corpus, page.New(ring)}.mixture()
	if err != nil {
		return err
	}
	s := &soak{addr: server.addr, mix: mix}
	start := time.Now()
	s.run(ctx, func(turns chan<- turn) {
		for n := 0; ctx.Err() == nil && time.Since(start) < capacity; n++ {
			turns <- turn{n, time.Now()}
		}
	})
	most := float64(s.take().requests) / time.Since(start).Seconds()

	loaded, stop := context.WithCancel(ctx)
	defer stop()
	var watching sync.WaitGroup
	var samples []soakSample
	var exported int
	var exporting error
	watching.Go(func() { samples = s.watch(loaded, c.Duration/soakSamples, server) })
	watching.Go(func() { exported, exporting = b.exports(loaded, server, c.Duration/soakExports) })
	s.run(ctx, func(turns chan<- turn) { stream{rate: c.Share * most}.beat(ctx, c.Duration, turns) })
	stop()
	watching.Wait()
	if _, err := b.quiet(ctx, sink, server); err != nil {
		return err
	}
	list, err := sink.receipts(ctx)
	if err != nil {
		return err
	}
	b.showSoak(samples)
	found := soakResult{most: most, exports: exported, made: s.made, errors: s.errors, first: s.first,
		deliveries: count(list), growth: growth(samples)}
	for _, x := range samples {
		found.requests += x.requests
	}
	b.showVerdict(found)
	return errors.Join(exporting, found.judge())
}

// step is one of the requests of a mixture.
type step struct {
	next   func(b []byte, conn, n int) []byte
	status int
}

// mixture is what a server does in a day's work: pages and single orders, for
// integrators and dashboards, and a write for each four reads.
func (r requests) mixture() ([]step, error) {
	twenty, err := r.orders(20)
	if err != nil {
		return nil, err
	}
	hundred, err := r.orders(100)
	if err != nil {
		return nil, err
	}
	one, err := r.order()
	if err != nil {
		return nil, err
	}
	graph, err := r.graph(20, summary)
	if err != nil {
		return nil, err
	}
	write := step{func(b []byte, _, n int) []byte { return made(b, r.corpus.Shops[n%len(r.corpus.Shops)].Key) },
		http.StatusCreated}
	read := func(s series) step { return step{s.next, http.StatusOK} }
	return []step{
		read(twenty), read(one), write, read(graph), read(twenty), read(one), read(hundred), write, read(twenty),
		read(r.products(20)), read(one), read(graph), write, read(twenty), read(one), read(twenty), write,
	}, nil
}

// soak is a load that goes on where a request fails, and counts.
type soak struct {
	addr string
	mix  []step

	mu      sync.Mutex
	current soakSample // since it was last taken
	made    int        // products
	errors  int
	first   string // error
}

// soakSample is what was seen in a part of the load's time.
type soakSample struct {
	at       time.Duration // its end, since the load began
	requests int
	latency  []time.Duration // from the moment at which each was due
	memory   int64           // of the server, in bytes, at its end
}

// run sends the turns that feed makes, until it returns and all are answered.
func (s *soak) run(ctx context.Context, feed func(turns chan<- turn)) {
	turns := make(chan turn, streamConns)
	var wg sync.WaitGroup
	for i := range streamConns {
		wg.Go(func() {
			var c *conn
			var request []byte
			for t := range turns {
				m := s.mix[t.n%len(s.mix)]
				request = m.next(request[:0], i, t.n/len(s.mix))
				c = s.send(ctx, c, request, m.status, t.due)
			}
			if c != nil {
				c.Close()
			}
		})
	}
	feed(turns)
	close(turns)
	wg.Wait()
}

// send sends a request over a connection, or over a new one where that is nil, and
// returns the connection if it can go on.
func (s *soak) send(ctx context.Context, c *conn, request []byte, status int, due time.Time) *conn {
	var got int
	var body []byte
	var err error
	if c == nil {
		c, err = dial(ctx, s.addr)
	}
	if err == nil {
		got, body, err = c.do(request)
	}
	took := time.Since(due)
	bad := err == nil && (got != status || bytes.HasPrefix(body, []byte(`{"errors"`)))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.requests++
	s.current.latency = append(s.current.latency, took)
	switch {
	case err != nil || bad:
		s.errors++
		if s.first == "" {
			s.first = fmt.Sprintf("%s: %d, %v: %.300s", line(request), got, err, body)
		}
	case status == http.StatusCreated:
		s.made++
	}
	if err != nil {
		if c != nil {
			c.Close()
		}
		return nil
	}
	return c
}

// take returns what was seen since it was last asked.
func (s *soak) take() soakSample {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.current
	s.current = soakSample{}
	return x
}

// watch takes a sample each time, until the context ends.
func (s *soak) watch(ctx context.Context, each time.Duration, server *child) (list []soakSample) {
	start := time.Now()
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return list
		case <-tick.C:
		}
		x := s.take()
		x.at = time.Since(start)
		slices.Sort(x.latency)
		var err error
		if x.memory, err = resident(server.pid()); err != nil {
			return list // it has ended, and every request says so
		}
		list = append(list, x)
	}
}

// exports lets the largest store export its orders, again and again, and returns how
// often that was done.
func (b *hookBench) exports(ctx context.Context, server *child, each time.Duration) (done int, err error) {
	shop := slices.MaxFunc(b.data.corpus.Shops, func(x, y corpus.Shop) int { return x.Orders - y.Orders })
	start := time.Now()
	for ctx.Err() == nil {
		var job exportJob
		err := server.api(ctx, shop.Key, http.MethodPost, "/exports", `{"kind": "orders"}`, &job)
		if err == nil {
			err = server.exported(ctx, shop.Key, &job)
		}
		if err != nil && ctx.Err() == nil {
			return done, err
		}
		if err == nil {
			done++
		}
		select {
		case <-ctx.Done(): // the load has ended, and maybe an export with it
		case <-time.After(each*time.Duration(done) - time.Since(start)):
		}
	}
	return done, nil
}

// growth is by how much the memory of the last quarter is more than that of the second.
func growth(samples []soakSample) float64 {
	mean := func(list []soakSample) (sum float64) {
		for _, x := range list {
			sum += float64(x.memory) / float64(len(list))
		}
		return sum
	}
	n := len(samples) / 4
	if n == 0 {
		return 0
	}
	return mean(samples[3*n:]) / mean(samples[n:2*n])
}

// soakResult is what a whole load came to.
type soakResult struct {
	most                   float64 // requests a second that the server takes
	requests, errors, made int
	first                  string // error
	exports                int
	deliveries             tally
	growth                 float64
}

// judge returns what may not be.
func (f soakResult) judge() error {
	var list []error
	if f.errors > 0 {
		list = append(list, fmt.Errorf("%d requests failed, the first: %s", f.errors, f.first))
	}
	if f.deliveries.distinct != f.made || f.deliveries.disorder > 0 {
		list = append(list, fmt.Errorf("%d products were made and %d deliveries came, %d of them out of order",
			f.made, f.deliveries.distinct, f.deliveries.disorder))
	}
	if f.exports == 0 {
		list = append(list, errors.New("nothing was exported"))
	}
	if f.growth > soakGrowth {
		list = append(list, fmt.Errorf("memory grew to %.2f of what it was", f.growth))
	}
	return errors.Join(list...)
}

// showSoak adds the graph.
func (b *hookBench) showSoak(samples []soakSample) {
	const width = 40
	most := int64(1)
	for _, x := range samples {
		most = max(most, x.memory)
	}
	about := []string{
		"Memory of the server over the time of the load, and what its requests took from the moment at which they",
		"were due.",
	}
	head := []string{"at", "engine", "requests/s", "p50 ms", "p99 ms", "MB", "memory"}
	last := time.Duration(0)
	for _, x := range samples {
		rate := float64(x.requests) / (x.at - last).Seconds()
		b.report.add(about, head, x.at.Round(time.Second).String(), b.data.engine, fmt.Sprintf("%.0f", rate),
			fmt.Sprintf("%.1f", at(x.latency, 0.5)), fmt.Sprintf("%.1f", at(x.latency, 0.99)),
			fmt.Sprintf("%.0f", float64(x.memory)/1e6), strings.Repeat("#", int(width*x.memory/most)))
		last = x.at
	}
}

// showVerdict adds the line of the whole.
func (b *hookBench) showVerdict(f soakResult) {
	b.report.add([]string{
		fmt.Sprintf("All of it. Memory is the last quarter's in parts of the second's, at most %.2f.", soakGrowth),
	}, []string{"load", "engine", "at most, requests/s", "requests", "errors", "products", "delivered",
		"doubled", "exports", "memory"},
		"mixture", b.data.engine, fmt.Sprintf("%.0f", f.most), fmt.Sprint(f.requests), fmt.Sprint(f.errors),
		fmt.Sprint(f.made), fmt.Sprint(f.deliveries.distinct), fmt.Sprint(f.deliveries.duplicates),
		fmt.Sprint(f.exports), fmt.Sprintf("%.2f", f.growth))
}
