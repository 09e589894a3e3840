package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// webhooksCommand measures deliveries: how fast a backlog drains, and how soon live events arrive.
type webhooksCommand struct {
	bench
	Deliveries int   `default:"60000" help:"Deliveries of each backlog."`
	Endpoints  []int `default:"1,100,10000" help:"Numbers of endpoints, in up to 100 stores."`
}

// hookSize is the size of the data. Events are all that matters, so orders are few.
var hookSize = corpus.Size{Orders: 4000, Stores: 100, Share: 1, Products: 10}

func (c *webhooksCommand) Run(ctx context.Context) error {
	live := 20 * time.Second
	if c.Quick {
		c.Deliveries, live = min(c.Deliveries, 5000), 3*time.Second
	}
	return c.run(ctx, c.dir(), func(ctx context.Context, engine string) error {
		d, err := store{dir: c.dir(), size: hookSize, fresh: true}.open(ctx, engine)
		if err != nil {
			return err
		}
		defer d.close()
		b := &hookBench{bench: &c.bench, children: newChildren(c.dir(), c.Binary, d)}
		own, err := ent.Open(ctx, ent.Config{Database: d.address})
		if err != nil {
			return err
		}
		defer own.Close()
		ring, err := keyring.Parse(b.secret)
		if err != nil {
			return err
		}
		if b.hooks, err = corpus.NewHooks(own, d.corpus, webhook.NewVault(ring)); err != nil {
			return err
		}
		if c.wants("drain") {
			for _, n := range c.Endpoints {
				if err := b.drains(ctx, spreadOf(n), c.Deliveries); err != nil {
					return fmt.Errorf("%d endpoints: %w", n, err)
				}
			}
		}
		if c.wants("live") {
			if err := errors.Join(b.live(ctx, live, 0), b.live(ctx, live, 30)); err != nil {
				return fmt.Errorf("live: %w", err)
			}
		}
		return b.hooks.Clear(ctx)
	})
}

func spreadOf(endpoints int) corpus.Spread {
	s := corpus.Spread{Stores: min(endpoints, hookSize.Stores), Types: []event.Type{event.OrderCreated}}
	s.Each = endpoints / s.Stores
	if s.Each%10 == 0 { // one in ten endpoints for each of ten types
		s.Types = append(s.Types, event.OrderUpdated, event.OrderPaid, event.OrderPartiallyPaid, event.OrderRefunded,
			event.OrderFulfilled, event.OrderPartiallyFulfilled, event.OrderCancelled, event.OrderCompleted,
			event.OrderNoteAdded)
	}
	return s
}

type hookBench struct {
	*bench
	*children
	hooks *corpus.Hooks
}

// begin empties the tables and registers endpoints that lead to a new sink.
func (b *hookBench) begin(ctx context.Context, spread corpus.Spread, path func(i int) string) (*child, error) {
	if err := b.hooks.Clear(ctx); err != nil {
		return nil, err
	}
	sink, err := b.sink(ctx)
	if err != nil {
		return nil, err
	}
	err = b.hooks.Register(ctx, spread, func(i int) string { return "http://" + sink.addr + path(i) })
	if err != nil {
		sink.stop()
	}
	return sink, err
}

// drained is the result of one drain. All values but the rate are per delivery.
type drained struct{ rate, cpu, database, statements float64 }

// drains drains a backlog in each round and reports the medians.
func (b *hookBench) drains(ctx context.Context, spread corpus.Spread, deliveries int) error {
	var list []drained
	for range b.Rounds {
		fmt.Fprintf(os.Stderr, "%s: %d endpoints\n", b.data.engine, spread.Endpoints())
		d, err := b.drain(ctx, spread, deliveries)
		if err != nil {
			return err
		}
		list = append(list, d)
	}
	show := func(form string, of func(drained) float64) string { return fmt.Sprintf(form, medianOf(list, of)) }
	b.report.add([]string{"drain", "engine", "deliveries/s", "CPU ms", "of the database", "statements"},
		fmt.Sprintf("%d endpoints of %d stores", spread.Endpoints(), spread.Stores), b.data.engine,
		show("%.0f", func(d drained) float64 { return d.rate }), show("%.3f", func(d drained) float64 { return d.cpu }),
		show("%.3f", func(d drained) float64 { return d.database }),
		show("%.3f", func(d drained) float64 { return d.statements }))
	return nil
}

// drain measures a process that starts on a backlog. A lost or misordered delivery is an error.
func (b *hookBench) drain(ctx context.Context, spread corpus.Spread, deliveries int) (d drained, err error) {
	sink, err := b.begin(ctx, spread, func(i int) string { return fmt.Sprint("/", i) })
	if err != nil {
		return d, err
	}
	defer sink.stop()
	want, err := b.hooks.Backlog(ctx, deliveries)
	if err != nil {
		return d, err
	}
	before, err := cpu(b.data.pid)
	if err != nil {
		return d, err
	}
	dispatcher, err := b.dispatcher()
	if err != nil {
		return d, err
	}
	defer dispatcher.stop()
	err = dispatcher.until(ctx, 20*time.Millisecond, func() (bool, error) {
		if n, err := sink.answered(ctx); err != nil || n < want {
			return false, err
		}
		return b.hooks.Settled(ctx)
	})
	if err != nil {
		return d, err
	}
	own, err1 := cpu(dispatcher.pid())
	after, err2 := cpu(b.data.pid)
	statements, err3 := dispatcher.statements(ctx)
	list, err4 := sink.receipts(ctx)
	left, err5 := b.hooks.Left(ctx)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return d, err
	}
	t := count(list)
	if t.distinct != want || t.disorder > 0 || left != (corpus.Left{Delivered: want}) {
		return d, fmt.Errorf("of %d deliveries %d came, %d out of order, and the tables hold %+v", want, t.distinct,
			t.disorder, left)
	}
	each := func(used time.Duration) float64 { return used.Seconds() * 1000 / float64(want) }
	return drained{float64(want) / time.Duration(t.last-t.first).Seconds(), each(own + after - before),
		each(after - before), statements / float64(want)}, nil
}

// live creates products in a process that also delivers their events, each to the one endpoint of
// its store, of which some never answer. It reports how soon the others get theirs.
func (b *hookBench) live(ctx context.Context, duration time.Duration, hanging int) error {
	fmt.Fprintf(os.Stderr, "%s: live\n", b.data.engine)
	hangs := func(i int) bool { return i%100 < hanging }
	spread := corpus.Spread{Stores: 100, Each: 1, Types: []event.Type{event.ProductCreated}}
	sink, err := b.begin(ctx, spread, func(i int) string {
		if hangs(i) {
			return fmt.Sprint(hangPath, i)
		}
		return fmt.Sprint("/", i)
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
	begin := time.Now()
	posts, err := stream{server.addr, b.data.corpus.Shops, liveRate}.run(ctx, warmUp+duration)
	if err != nil {
		return err
	}
	last, since := -1, time.Now()
	err = server.until(ctx, 20*time.Millisecond, func() (bool, error) { // until nothing more arrives
		n, err := sink.answered(ctx)
		if n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 500*time.Millisecond, err
	})
	if err != nil {
		return err
	}
	list, err := sink.receipts(ctx)
	if err != nil {
		return err
	}
	want := 0
	for i := range posts {
		if !hangs(i % spread.Stores) {
			want++
		}
	}
	list = slices.DeleteFunc(list, func(r receipt) bool { return hangs(r.Endpoint) })
	t := count(list)
	if t.distinct != want || t.disorder > 0 {
		return fmt.Errorf("of %d deliveries %d came, %d out of order", want, t.distinct, t.disorder)
	}
	took, err := delays(list, begin.Add(warmUp))
	if err != nil {
		return err
	}
	slices.Sort(posts)
	b.report.add([]string{"live", "engine", "p50 ms", "p99 ms", "p99 ms of the POST", "deliveries"},
		fmt.Sprintf("%d endpoints, beside %d that hang", spread.Stores-hanging, hanging), b.data.engine,
		millis(percentile(took, 0.5)), millis(percentile(took, 0.99)), millis(percentile(posts, 0.99)),
		fmt.Sprint(want))
	return nil
}
