package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
)

// takeover kills a dispatcher while it drains a backlog. On MariaDB another one
// is at work beside it; on SQLite it is started again at once.
func (b *hookBench) takeover(ctx context.Context) error {
	sink, err := b.begin(ctx, corpus.Spread{Stores: 100, Each: 1, Types: orderTypes[:1]}, plainPath)
	if err != nil {
		return err
	}
	defer sink.stop()
	want, err := b.hooks.Backlog(ctx, b.Deliveries)
	if err != nil {
		return err
	}
	victim, other, err := b.pair(ctx, sink, want/5)
	if err != nil {
		return err
	}
	if other != nil {
		defer other.stop()
	}
	defer victim.stop()
	leased, err := victim.figure(ctx, "storefront_webhook_queues_leased")
	if err != nil {
		return err
	}
	inflight, err := victim.figure(ctx, "storefront_webhook_attempts_in_flight")
	if err != nil {
		return err
	}
	moment := time.Now()
	victim.kill()
	if other == nil {
		if other, err = b.dispatcher("dispatcher"); err != nil {
			return err
		}
		defer other.stop()
	}
	if err := b.distinct(ctx, sink, other, want); err != nil {
		return err
	}
	return b.showTakeover(ctx, sink, moment, want, inflight, leased)
}

// pair starts the dispatchers and waits until so many deliveries were answered.
// The victim is the one that owns more queues; on SQLite it is alone.
func (b *hookBench) pair(ctx context.Context, sink *child, answers int) (victim, other *child, err error) {
	if victim, err = b.dispatcher("dispatcher"); err != nil {
		return nil, nil, err
	}
	list := []*child{victim}
	if b.data.engine == "mariadb" {
		if other, err = b.dispatcher("dispatcher-2"); err != nil {
			victim.stop()
			return nil, nil, err
		}
		list = append(list, other)
	}
	err = victim.until(ctx, func() (bool, error) {
		n, err := sink.answered(ctx)
		return n >= answers, err
	})
	var owns [2]float64
	for i, p := range list {
		var lost error
		owns[i], lost = p.figure(ctx, "storefront_webhook_queues_leased")
		err = errors.Join(err, lost)
	}
	if err != nil {
		for _, p := range list {
			p.stop()
		}
		return nil, nil, err
	}
	if owns[1] > owns[0] {
		victim, other = other, victim
	}
	return victim, other, nil
}

// distinct waits until every delivery was answered at least once and nothing
// waits in the hot table. Repeats are answered too, so the receipts decide.
func (b *hookBench) distinct(ctx context.Context, sink, by *child, want int) error {
	err := b.delivered(ctx, sink, by, want)
	if err != nil {
		return err
	}
	return by.until(ctx, func() (bool, error) {
		left, err := b.hooks.Left(ctx)
		return left == corpus.Left{Delivered: want}, err
	})
}

func (b *hookBench) showTakeover(
	ctx context.Context, sink *child, moment time.Time, want int, inflight, leased float64,
) error {
	list, err := sink.receipts(ctx)
	if err != nil {
		return err
	}
	t := count(list)
	name := "killed, another goes on"
	if b.data.engine == "sqlite" {
		name = "killed and started again"
	}
	b.report.add([]string{
		"Take-over: a dispatcher is killed with -9 when a fifth of a backlog is delivered, on MariaDB the one of two " +
			"that owns more queues.",
		"The gap is the longest time after the kill in which an endpoint with more to come got nothing. The queues " +
			"and attempts in flight",
		"are those that the killed one reported right before.",
	}, []string{"take-over", "engine", "deliveries", "longest gap s", "lost", "out of order", "repeats", "its queues",
		"in flight"},
		name, b.data.engine, fmt.Sprint(want), most(longestGap(list, moment).Seconds(), 7, "%.2f"),
		most(float64(want-t.distinct), 0, "%.0f"), most(float64(t.disorder), 0, "%.0f"), fmt.Sprint(t.duplicates),
		fmt.Sprintf("%.0f", leased), fmt.Sprintf("%.0f", inflight))
	return nil
}
