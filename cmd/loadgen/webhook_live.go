package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// liveRate is how many products are made in a second. Each store has one
	// endpoint, so it is that of the deliveries too.
	liveRate = 200
	// warmUp is how long the load runs before what it does is counted, settleTime how
	// long the last deliveries may take.
	warmUp     = 2 * time.Second
	settleTime = 10 * time.Second
)

// liveSpread are the endpoints of live loads.
var liveSpread = corpus.Spread{Stores: 100, Each: 1, Types: []event.Type{event.ProductCreated}}

// hangs reports whether an endpoint never answers in the load with thirty that hang.
func hangs(i int) bool { return i%10 < 3 }

// lives are the live loads: of endpoints that answer, and with some that hang.
func (b *hookBench) lives(ctx context.Context) error {
	cost, err := b.perPost(ctx)
	if err != nil {
		return err
	}
	for _, hang := range []func(int) bool{func(int) bool { return false }, hangs} {
		if err := b.live(ctx, cost, hang); err != nil {
			return err
		}
	}
	return nil
}

// perPost measures how many statements a request of the load takes in a process
// that delivers nothing.
func (b *hookBench) perPost(ctx context.Context) (float64, error) {
	if err := b.hooks.Clear(ctx); err != nil {
		return 0, err
	}
	server, err := b.server(ctx, "--no-dispatch")
	if err != nil {
		return 0, err
	}
	defer server.stop()
	before, err := server.statements(ctx)
	if err != nil {
		return 0, err
	}
	sent, err := stream{server.addr, b.data.corpus.Shops, liveRate}.run(ctx, min(b.Duration, 3*time.Second))
	if err != nil {
		return 0, err
	}
	after, err := server.statements(ctx)
	return (after - before) / float64(len(sent)), err
}

// live makes products in a process that also delivers their events, and shows
// what became of them.
func (b *hookBench) live(ctx context.Context, cost float64, hang func(int) bool) error {
	healthy := 0
	sink, err := b.begin(ctx, liveSpread, func(i int) string {
		if hang(i) {
			return fmt.Sprint(hangPath, i)
		}
		healthy++
		return plainPath(i)
	})
	if err != nil {
		return err
	}
	defer sink.stop()
	server, err := b.server(ctx, "--allow-loopback-webhooks")
	if err != nil {
		return err
	}
	defer server.stop()
	load := stream{server.addr, b.data.corpus.Shops, liveRate}
	warm, err := load.run(ctx, warmUp)
	if err != nil {
		return err
	}
	before, err := server.statements(ctx)
	if err != nil {
		return err
	}
	sent, err := load.run(ctx, b.Duration)
	if err != nil {
		return err
	}
	after, err := b.quiet(ctx, sink, server)
	if err != nil {
		return err
	}
	list, err := sink.receipts(ctx)
	if err != nil {
		return err
	}
	l, err := delays(list, sent, hang)
	if err != nil {
		return err
	}
	l.posts, l.statements = len(sent), (after-before-cost*float64(len(sent)))/float64(max(l.count, 1))
	l.lost, l.perPost = expected(len(warm), hang)+expected(len(sent), hang)-l.seen, cost
	b.showLive(len(warm)+len(sent), healthy, l)
	return nil
}

// expected is how many of so many requests, in turns, go to healthy endpoints.
func expected(posts int, hang func(int) bool) (n int) {
	for i := range posts {
		if !hang(i % liveSpread.Endpoints()) {
			n++
		}
	}
	return n
}

// quiet waits until nothing more is answered, and returns how many statements
// the server has sent by then.
func (b *hookBench) quiet(ctx context.Context, sink, server *child) (float64, error) {
	last, since := -1, time.Now()
	err := server.until(ctx, func() (bool, error) {
		n, err := sink.answered(ctx)
		if n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 500*time.Millisecond, err
	})
	if err != nil {
		return 0, err
	}
	return server.statements(ctx)
}

// liveResult is what a live load found, of the healthy endpoints.
type liveResult struct {
	posts, count, seen, lost int
	// Sorted: from the POST's answer, and from the time in the event's id, to the
	// receipt; and what the POSTs themselves took.
	answer, event, post []time.Duration
	statements, perPost float64
}

// delays matches the receipts of healthy endpoints with the requests that made
// their events.
func delays(list []receipt, sent posted, hang func(int) bool) (*liveResult, error) {
	t := count(list)
	if t.disorder > 0 {
		return nil, fmt.Errorf("%d deliveries came out of order", t.disorder)
	}
	l, seen := new(liveResult), map[string]bool{}
	for _, r := range list {
		if hang(r.Endpoint) || seen[r.Event] {
			continue
		}
		seen[r.Event] = true
		post, ok := sent[r.Resource]
		if !ok {
			continue // of the time before
		}
		id, err := xid.Event.Parse(r.Event)
		if err != nil {
			return nil, err
		}
		l.event = append(l.event, time.Duration(r.At-id.Time().Time().UnixNano()))
		l.answer = append(l.answer, time.Duration(max(r.At-post.at.UnixNano(), 0)))
		l.post = append(l.post, post.took)
	}
	l.count, l.seen = len(l.event), len(seen)
	if l.count == 0 {
		return nil, errors.New("nothing was delivered")
	}
	slices.Sort(l.answer)
	slices.Sort(l.event)
	slices.Sort(l.post)
	return l, nil
}

// at is the delay that a share of the sorted list kept, in ms.
func at(list []time.Duration, share float64) float64 {
	o := outcome{latency: list}
	return o.percentile(share).Seconds() * 1000
}

// showLive adds a line.
func (b *hookBench) showLive(posts, healthy int, l *liveResult) {
	ms := func(v float64) string { return fmt.Sprintf("%.1f", v) }
	name, p50, p99 := fmt.Sprintf("%d endpoints", healthy), most(at(l.event, 0.5), 25, "%.1f"),
		most(at(l.event, 0.99), 60, "%.1f")
	statements := most(l.statements, 3, "%.2f")
	if hanging := liveSpread.Endpoints() - healthy; hanging > 0 {
		name = fmt.Sprintf("%d endpoints, beside %d that hang", healthy, hanging)
		p50, p99, statements = ms(at(l.event, 0.5)), most(at(l.event, 0.99), 250, "%.1f"),
			fmt.Sprintf("%.2f", l.statements)
	}
	b.report.add([]string{
		fmt.Sprintf("Live: one server takes %d POST /products a second, at random times, and delivers each event to "+
			"the one endpoint of its store.", liveRate),
		"The delay to the receipt is counted from the time in the event's id, when its transaction was under way, so " +
			"the commit is part of",
		"it; from the answer to the POST it is shown beside. Statements are all that the server sent in that time, " +
			"less those of the POSTs,",
		"which a server with --no-dispatch was counted for. Figures are of the endpoints that answer, after a " +
			"warm-up of 2 s.",
	}, []string{"live", "engine", "POSTs", "p50 ms", "p99 ms", "p50 ms from the answer", "p99 ms from the answer",
		"p99 ms of the POST", "statements", "of a POST", "lost"},
		name, b.data.engine, fmt.Sprint(posts), p50, p99, ms(at(l.answer, 0.5)), ms(at(l.answer, 0.99)),
		ms(at(l.post, 0.99)), statements, fmt.Sprintf("%.1f", l.perPost), fmt.Sprint(l.lost))
}
