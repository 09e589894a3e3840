package main

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent/event"
)

const (
	// slotStores have slotEach endpoints each: as many queues as a process holds at most.
	slotStores, slotEach = 100, 50
	// slotWarm deliveries to each endpoint are answered, so that it may have several at
	// once; of slotWait others each hangs.
	slotWarm, slotWait = 4, 6
	// slotLook is how long is looked, and how often.
	slotLook, slotTick = 30 * time.Second, 100 * time.Millisecond
	// slotMost is how much memory the process may hold, in MB.
	slotMost = 200
)

// slots measures the memory of a dispatcher whose slots all wait for an answer: all its
// receivers have answered at once, and then hang.
func (b *hookBench) slots(ctx context.Context) error {
	spread := corpus.Spread{Stores: slotStores, Each: slotEach, Types: []event.Type{event.ProductCreated}}
	if b.Quick {
		spread.Each = 5
	}
	sink, err := b.begin(ctx, spread, func(i int) string { return fmt.Sprint(turnPath, i) })
	if err != nil {
		return err
	}
	defer sink.stop()
	p, err := b.dispatcher("dispatcher")
	if err != nil {
		return err
	}
	defer p.stop()
	warm, err := b.hooks.Backlog(ctx, slotWarm*spread.Endpoints())
	if err != nil {
		return err
	}
	if err := p.until(ctx, func() (bool, error) {
		n, err := sink.answered(ctx)
		return n >= warm, err
	}); err != nil {
		return err
	}
	if _, err := fetch(ctx, "http://"+sink.addr+turnedPath); err != nil {
		return err
	}
	if _, err := b.hooks.Backlog(ctx, slotWait*spread.Endpoints()); err != nil {
		return err
	}
	seen, err := p.fill(ctx)
	if err != nil {
		return err
	}
	b.report.add([]string{
		fmt.Sprintf("Slots: a dispatcher of its own. Its receivers answer %d deliveries each at once, and then hang; "+
			"others follow", slotWarm),
		fmt.Sprintf("until it has as many attempts in flight as it may, or for %s. The memory is what the process "+
			"holds resident at that moment, and at most from the first that hangs on.", slotLook),
	}, []string{"engine", "endpoints", "slots", "in flight", "MB then", "MB at most"},
		b.data.engine, fmt.Sprint(spread.Endpoints()), fmt.Sprint(seen.slots), fmt.Sprint(seen.inflight),
		fmt.Sprintf("%.0f", mb(seen.then)), most(mb(seen.peak), slotMost, "%.0f"))
	return nil
}

func mb(n int64) float64 { return float64(n) / 1e6 }

// filled is what was seen of a dispatcher's slots and memory.
type filled struct {
	slots, inflight int
	then, peak      int64 // bytes: with as many in flight, and at most
}

// fill looks at a dispatcher until all its slots are taken, or for some time.
func (p *child) fill(ctx context.Context) (f filled, err error) {
	tick := time.NewTicker(slotTick)
	defer tick.Stop()
	for end := time.Now().Add(slotLook); f.slots == 0 || f.inflight < f.slots && time.Now().Before(end); {
		n, err := p.figure(ctx, "storefront_webhook_attempts_in_flight")
		if err != nil {
			return f, err
		}
		slots, err := p.figure(ctx, "storefront_webhook_attempts_in_flight_max")
		if err != nil {
			return f, err
		}
		now, err := resident(p.pid())
		if err != nil {
			return f, err
		}
		f.peak = max(f.peak, now)
		if f.slots = int(slots); int(n) > f.inflight {
			f.inflight, f.then = int(n), now
		}
		select {
		case <-ctx.Done():
			return f, ctx.Err()
		case <-tick.C:
		}
	}
	return f, nil
}
