package checkout

import (
	"slices"

	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// step is a step of the checkout with its name.
type step struct {
	cart.Step
	label phrase.Key
}

// steps are in order; never changed.
var steps = []step{
	{cart.StepDetails, phrase.StepDetails}, {cart.StepDelivery, phrase.StepDelivery},
	{cart.StepReview, phrase.StepReview},
}

// labelOf returns the name of a step. What is not shipped needs no delivery.
func (v *visit) labelOf(c *cart.View, s step) phrase.Key {
	if s.Step == cart.StepDelivery && !c.Ships {
		return phrase.StepPayment
	}
	return s.label
}

// placeOf returns the position of a step; the cart's own step comes before all.
func placeOf(s cart.Step) int {
	return slices.IndexFunc(steps, func(one step) bool { return one.Step == s })
}

// pathOf returns the page of a step.
func pathOf(s cart.Step) string {
	if s == cart.StepCart {
		return cartPath
	}
	return checkoutPath + "/" + string(s)
}

// begin is GET /checkout: it redirects to the first incomplete step.
func (v *visit) begin() { v.at(cart.StepDetails, func(c *cart.View) { to(v.w, pathOf(c.Next())) })() }

// at shows a step if all steps before it are complete, and otherwise redirects to the first
// incomplete one. If the cart was ordered, it redirects to the order.
func (v *visit) at(s cart.Step, show func(*cart.View)) func() {
	return func() {
		c, err := v.view()
		switch {
		case err != nil:
			v.failed(err)
		case c == nil:
			to(v.w, cartPath)
		case !c.Order.IsNil():
			to(v.w, v.orderPath(c.Order))
		case placeOf(c.Next()) < placeOf(s):
			to(v.w, pathOf(c.Next()))
		default:
			show(c)
		}
	}
}

// trail returns the steps as the page of one of them shows them.
func (v *visit) trail(c *cart.View, now cart.Step) []Step {
	var list []Step
	for i, s := range steps {
		list = append(list, Step{Label: v.texts.Say(v.labelOf(c, s)), URL: pathOf(s.Step), Now: s.Step == now,
			Done: s.Step != now && i <= placeOf(c.Next())})
	}
	return list
}

// done goes on after the form of a step: to the next incomplete step, or to the review.
func (v *visit) done(s cart.Step, err error, again func(*cart.View, map[string]string)) {
	switch wrong := v.wrongOf(err); {
	case wrong != nil:
		v.at(s, func(c *cart.View) { again(c, wrong) })()
	case noCart(err):
		to(v.w, cartPath)
	case err != nil:
		v.failed(err)
	default:
		v.keep(v.token())
		v.begin()
	}
}

// stepPage returns what the steps have in common.
func (v *visit) stepPage(c *cart.View, s cart.Step) StepPage {
	at := placeOf(s)
	page := StepPage{Frame: v.frame(v.labelOf(c, steps[at])), Steps: v.trail(c, s), Back: cartPath, Sums: v.sums(c)}
	if at > 0 {
		page.Back = pathOf(steps[at-1].Step)
	}
	page.Problem = v.refusal(c)
	for _, l := range c.Lines {
		page.Lines = append(page.Lines, v.cartLine(l, c.Currency))
	}
	return page
}
