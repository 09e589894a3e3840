package cart

import (
	"context"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// networkHolds bounds the unpaid pieces that one network may order from a store within a day, as a
// multiple of the limit of one order.
const networkHolds = 5

// unpaidPieces counts the pieces of tracked stock that the order reserves until it is paid, which
// may be never: the order is placed without an online payment.
func (v *View) unpaidPieces() (pieces int64) {
	if v.Sums.TotalMinor == 0 || v.Method.Kind.Online() {
		return 0
	}
	for _, l := range v.Lines {
		if !l.Gone && l.item.variant.InventoryQuantity != nil {
			pieces += l.Quantity
		}
	}
	return pieces
}

// hold refuses an order that would reserve too many unpaid pieces, alone or with other orders of
// the shopper's network, and charges it to the network, once per placement. Of two concurrent
// placements of a cart, the one that does not make the order refunds its charge
// ([placement.refund]).
func (p *placement) hold(ctx context.Context, v *View) error {
	pieces := v.unpaidPieces()
	if pieces == 0 || p.held != nil {
		return nil
	}
	limits, err := p.LimitsOf(v.store)
	if err != nil {
		return core.Explain("store", err)
	}
	if p.most = limits.Of(limit.UnpaidPieces); pieces > p.most {
		return core.Reached(limit.UnpaidPieces, p.most)
	}
	network, counted := ratelimit.Network(viewer.OriginOf(ctx).Client)
	if !counted {
		return nil
	}
	const day = 24 * time.Hour
	charge := ratelimit.Charge{Key: ratelimit.Key("unpaid pieces", v.store.ID.String()+network.String()),
		// a burst of as many orders as the pieces allow
		Rate: ratelimit.Rate{Burst: int(networkHolds * p.most / pieces),
			Every: time.Duration(pieces) * (day / time.Duration(networkHolds*p.most))}}
	wait, err := ratelimit.Take(ctx, p.Store, charge.Key, charge.Rate)
	switch {
	case err != nil:
		return core.Explain("order", err)
	case wait > 0 && p.isPlaced(ctx):
		return sales.ErrConflict
	case wait > 0:
		return &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
			Detail: "Your network has too many unpaid orders today. Pay online, or order later."}
	}
	p.held = &charge
	return nil
}

// isPlaced reports whether the cart became an order meanwhile.
func (p *placement) isPlaced(ctx context.Context) bool {
	row, err := p.findAny(ctx, p.token)
	return err == nil && row != nil && row.OrderID != nil
}

// refund refunds the charge of [placement.hold], unless this placement made the order.
func (p *placement) refund(ctx context.Context, err error) error {
	if p.held == nil {
		return err
	}
	failed := ratelimit.Return(ctx, p.Store, p.held.Key, p.held.Rate)
	if failed != nil && err == nil { // another placement made the order
		p.Logger.WarnContext(ctx, "unpaid units were counted twice", "error", failed)
		return nil
	}
	return errors.Join(err, failed)
}
