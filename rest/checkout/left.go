package checkout

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// left opens the cart of a reminder. If this browser has it, or it was ordered or has expired, the present
// cart is shown. Otherwise the link shows its items alone: the person who opens it may be another one.
func (v *visit) left(token string, then func(c *cart.View)) func() {
	return func() {
		v.w.Header().Set("Referrer-Policy", "no-referrer")
		id, ok := v.Links.Cart(v.store, token)
		if !ok {
			v.missing()
			return
		}
		c, err := v.Carts.Left(v.ctx, id)
		if err != nil {
			v.failed(err)
			return
		}
		own, err := v.Carts.View(v.ctx, v.token())
		switch {
		case err != nil:
			v.failed(err)
		case c == nil, own != nil && own.ID == id:
			to(v.w, cartPath)
		default:
			then(c)
		}
	}
}

// leftPage is GET /cart/left/{token}. It changes nothing, because mail programs open links too.
func (v *visit) leftPage(c *cart.View) {
	page := LeftPage{Frame: v.frame(phrase.Cart), Action: v.r.URL.Path}
	for _, l := range c.Lines {
		page.Lines = append(page.Lines, v.cartLine(l, c.Currency))
	}
	v.show(v.w, v.r, http.StatusOK, page)
}

// fetchLeft is POST /cart/left/{token}: it puts the items into the cart of this browser.
func (v *visit) fetchLeft(c *cart.View) {
	var list []cart.Amount
	for _, l := range c.Lines {
		if len(list) < limit.CartLines {
			list = append(list, cart.Amount{ProductRef: l.ProductRef, Quantity: l.Quantity})
		}
	}
	v.fill(list)
}
