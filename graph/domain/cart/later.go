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

// networkHolds is how many times the pieces of one order the orders of a network may hold that it
// places in a store within a day.
const networkHolds = 5

// paidLater counts the pieces of counted stock that nobody else can buy until the order is paid, which
// may be never: it is placed without a payment.
func (v *View) paidLater() (pieces int64) {
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

// hold refuses an order that would hold too many pieces unpaid, by itself or with the others of the
// shopper's network, and counts it, once for each placement. Of two who place a cart at once, the one
// who does not make its order gives back what was counted ([placement.giveBack]).
func (p *placement) hold(ctx context.Context, v *View) error {
	pieces := v.paidLater()
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
		// as many at once as there are pieces
		Rate: ratelimit.Rate{Burst: int(networkHolds * p.most / pieces),
			Every: time.Duration(pieces) * (day / time.Duration(networkHolds*p.most))}}
	wait, err := ratelimit.Take(ctx, p.Store, charge.Key, charge.Rate)
	switch {
	case err != nil:
		return core.Explain("order", err)
	case wait > 0 && p.isPlaced(ctx):
		return sales.ErrMet
	case wait > 0:
		return &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
			Detail: "Your network has ordered too much today that is not paid yet: pay online, or order later."}
	}
	p.held = &charge
	return nil
}

// isPlaced reports whether the cart has become an order meanwhile.
func (p *placement) isPlaced(ctx context.Context) bool {
	row, err := p.any(ctx, p.token)
	return err == nil && row != nil && row.OrderID != nil
}

// giveBack returns what was counted for an order that this placement did not make.
func (p *placement) giveBack(ctx context.Context, err error) error {
	if p.held == nil {
		return err
	}
	failed := ratelimit.Return(ctx, p.Store, p.held.Key, p.held.Rate)
	if failed != nil && err == nil { // another placement made the order
		p.Logger.WarnContext(ctx, "unpaid pieces were counted twice", "error", failed)
		return nil
	}
	return errors.Join(err, failed)
}
