package rollup

import (
	"context"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Unexported constants for the tests outside of the package.
const (
	Width   = width
	Walked  = walkBatch
	MaxLive = maxLive
)

// SumWith sums up all pending intervals on the one shard of ctx, and calls between after reading
// the orders and before writing their sums.
func (k *Keeper) SumWith(ctx context.Context, between func()) error {
	list, err := k.due(ctx, row{}, xid.First(micros.Now()))
	if err != nil || len(list) == 0 {
		return err
	}
	all, err := k.orders(ctx, list)
	if err != nil {
		return err
	}
	between()
	return k.store.InTx(ctx, func(ctx context.Context) error { return k.write(ctx, list, all) })
}

// Part is a part of a span.
type Part struct {
	Span
	Orders bool
}

// Split returns the parts of a span.
func (s Span) Split(live []micros.Time) (list []Part) {
	for _, p := range s.split(nil, 0, live) {
		list = append(list, Part{p.Span, p.orders})
	}
	return list
}
