package checkout

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// ResumeRoot precedes the id of a checkout session of the shop's API, in the address at which its
// shopper continues it.
const ResumeRoot = checkoutPath + "/resume/"

// FindPath is where a shopper asks for the link to an order.
const FindPath = orderRoot + "find"

// resume is GET /checkout/resume/{id}: it makes a session of the shop's API the cart of this browser.
// From then on no program can change it.
func (v *visit) resume(token string) {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	found, err := v.Carts.HandOver(v.ctx, token)
	switch {
	case err != nil:
		v.failed(err)
	case !found:
		to(v.w, cartPath)
	default:
		v.keep(token)
		to(v.w, checkoutPath)
	}
}

// TryCode counts a try of a discount code for a cart, together with the tries on the pages. A valid code
// gives its try back.
func (c *Checkout) TryCode(r *http.Request, store xid.ID, token string) (d ratelimit.Decision, giveBack func()) {
	by := guess{network: network{store: store}}
	if sum, ok := digest.OfToken(token); ok {
		by.cart = sum
	}
	by.network.prefix, _ = ratelimit.Network(c.ClientOf(r))
	return c.guesses.take(by), func() { c.guesses.giveBack(by) }
}
