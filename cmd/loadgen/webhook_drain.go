package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent/event"
)

// orderTypes are the types of the backlog of many endpoints.
var orderTypes = []event.Type{event.OrderCreated, event.OrderUpdated, event.OrderPaid, event.OrderPartiallyPaid,
	event.OrderRefunded, event.OrderFulfilled, event.OrderPartiallyFulfilled, event.OrderCancelled,
	event.OrderCompleted, event.OrderNoteAdded}

// drainBound is what a drain is held to, in deliveries a second.
func drainBound(engine string) float64 {
	if engine == "sqlite" {
		return 5000
	}
	return 8000
}

// drains are those of one, of a hundred and of ten thousand endpoints.
func (b *hookBench) drains(ctx context.Context) error {
	for _, spread := range []corpus.Spread{
		{Stores: 1, Each: 1, Types: orderTypes[:1]},
		{Stores: 100, Each: 1, Types: orderTypes[:1]},
		{Stores: 100, Each: 100, Types: orderTypes},
	} {
		var list []drained
		for range b.Rounds {
			d, err := b.drain(ctx, spread)
			if err != nil {
				return fmt.Errorf("%d endpoints: %w", spread.Endpoints(), err)
			}
			list = append(list, d)
			fmt.Fprintf(os.Stderr, "%s: %d endpoints: %.0f deliveries/s\n", b.data.engine, spread.Endpoints(), d.rate)
		}
		b.showDrain(spread, list)
	}
	return nil
}

// drained is one round of a drain; all but the rate is per delivery.
type drained struct {
	deliveries                             int
	rate                                   float64 // deliveries a second
	dispatcher, database, sink, statements float64 // ms of CPU, and a number
	repeats                                float64 // of all
}

// drain lets a backlog be delivered by one process, which is started on it.
func (b *hookBench) drain(ctx context.Context, spread corpus.Spread) (found drained, err error) {
	sink, err := b.begin(ctx, spread, plainPath)
	if err != nil {
		return found, err
	}
	defer sink.stop()
	if found.deliveries, err = b.hooks.Backlog(ctx, b.Deliveries); err != nil {
		return found, err
	}
	before, err := cpu(b.data.pid)
	if err != nil {
		return found, err
	}
	dispatcher, err := b.dispatcher("dispatcher")
	if err != nil {
		return found, err
	}
	defer dispatcher.stop()
	if err := b.delivered(ctx, sink, dispatcher, found.deliveries); err != nil {
		return found, err
	}
	if err := b.spent(ctx, &found, before, dispatcher, sink); err != nil {
		return found, err
	}
	t, err := b.whole(ctx, sink, found.deliveries)
	if err != nil {
		return found, err
	}
	if t.disorder > 0 {
		return found, fmt.Errorf("%d deliveries came out of order", t.disorder)
	}
	found.repeats = float64(t.duplicates)
	found.rate = float64(t.distinct) / t.span().Seconds()
	return found, nil
}

// spent reads what a drain has cost: of the dispatcher all since its start, of
// the sink all since its own.
func (b *hookBench) spent(ctx context.Context, d *drained, before time.Duration, dispatcher, sink *child) error {
	each := func(used time.Duration) float64 { return used.Seconds() * 1000 / float64(d.deliveries) }
	for _, p := range []struct {
		pid   int
		since time.Duration
		to    *float64
	}{{dispatcher.pid(), 0, &d.dispatcher}, {b.data.pid, before, &d.database}, {sink.pid(), 0, &d.sink}} {
		used, err := cpu(p.pid)
		if err != nil {
			return err
		}
		*p.to = each(used - p.since)
	}
	n, err := dispatcher.statements(ctx)
	d.statements = n / float64(d.deliveries)
	return err
}

// delivered waits until so many deliveries were answered and nothing waits in
// the hot table.
func (b *hookBench) delivered(ctx context.Context, sink, by *child, want int) error {
	return by.until(ctx, func() (bool, error) {
		if n, err := sink.answered(ctx); err != nil || n < want {
			return false, err
		}
		return b.hooks.Settled(ctx)
	})
}

// whole checks that every delivery came, that the tables say the same, and
// returns what the receipts say.
func (b *hookBench) whole(ctx context.Context, sink *child, want int) (t tally, err error) {
	list, err := sink.receipts(ctx)
	if err != nil {
		return t, err
	}
	t = count(list)
	left, err := b.hooks.Left(ctx)
	if err != nil {
		return t, err
	}
	if t.distinct != want || left != (corpus.Left{Delivered: want}) {
		return t, fmt.Errorf("of %d deliveries %d came, and the tables hold %+v", want, t.distinct, left)
	}
	return t, nil
}

// showDrain adds the medians of the rounds.
func (b *hookBench) showDrain(spread corpus.Spread, list []drained) {
	pick := func(f func(drained) float64) float64 {
		values := make([]float64, 0, len(list))
		for _, d := range list {
			values = append(values, f(d))
		}
		return median(values)
	}
	b.report.add([]string{
		"Draining a backlog of events of 1 KB, which lie in the outbox when one process begins to relay and deliver " +
			"them: relaying is part",
		"of every figure. The rate is from the first receipt to the last; CPU and statements are those of all the " +
			"process did since its",
		"start, per delivery. All receivers are one process at one address. Nothing was lost or out of order, and " +
			"afterwards outbox and hot",
		"table are empty and the log is complete: else the command fails.",
	}, []string{"drain", "engine", "fan-out", "deliveries", "deliveries/s", "dispatcher CPU ms", "database CPU ms",
		"sink CPU ms", "statements", "repeats"},
		drainName(spread), b.data.engine, fmt.Sprint(spread.FanOut()), fmt.Sprint(list[0].deliveries),
		least(pick(func(d drained) float64 { return d.rate }), drainBound(b.data.engine), "%.0f"),
		most(pick(func(d drained) float64 { return d.dispatcher }), 0.15, "%.3f"),
		b.ofDatabase(pick(func(d drained) float64 { return d.database })),
		fmt.Sprintf("%.3f", pick(func(d drained) float64 { return d.sink })),
		most(pick(func(d drained) float64 { return d.statements }), 0.3, "%.3f"),
		fmt.Sprintf("%.0f", pick(func(d drained) float64 { return d.repeats })))
}

func drainName(s corpus.Spread) string {
	if s.Endpoints() == 1 {
		return "1 endpoint"
	}
	return fmt.Sprintf("%d endpoints of %d stores", s.Endpoints(), s.Stores)
}

// ofDatabase shows the CPU of the database's process, where it has one.
func (b *hookBench) ofDatabase(ms float64) string {
	if b.data.pid == 0 {
		return "in the dispatcher's"
	}
	return fmt.Sprintf("%.3f", ms)
}
