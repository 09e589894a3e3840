package checkout

import (
	"net/http"
	"strconv"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// shipping is GET /checkout/shipping.
func (v *visit) shipping(c *cart.View) { v.shippingForm(c, "") }

func (v *visit) shippingForm(c *cart.View, wrong string) {
	page := ChoicePage{Frame: v.frame(phrase.StepShipping), Name: "rate", Error: wrong,
		Back: before(c, cart.StepShipping), None: v.texts.Say(phrase.NoRates)}
	for _, rate := range c.Rates {
		choice := Choice{Value: rate.ID, Label: rate.Name, Amount: v.texts.Money(rate.CostMinor, c.Currency),
			Chosen: c.Rate != nil && c.Rate.ID == rate.ID || len(c.Rates) == 1}
		if rate.CostMinor == 0 {
			choice.Amount = v.texts.Say(phrase.Free)
		}
		if rate.Kind == state.ShippingPickup {
			choice.Detail = v.texts.Say(phrase.Collection)
		}
		page.Choices = append(page.Choices, choice)
	}
	v.choicePage(c, cart.StepShipping, page)
}

// payment is GET /checkout/payment.
func (v *visit) payment(c *cart.View) { v.paymentForm(c, "") }

func (v *visit) paymentForm(c *cart.View, wrong string) {
	page := ChoicePage{Frame: v.frame(phrase.StepPayment), Name: "payment", Error: wrong,
		Back: before(c, cart.StepPayment), None: v.texts.Say(phrase.NoMethods)}
	for i := range c.Methods {
		m := &c.Methods[i]
		page.Choices = append(page.Choices, Choice{Value: string(m.Kind), Label: sales.MethodName(v.texts, *m),
			Chosen: c.Method != nil && c.Method.Kind == m.Kind || len(c.Methods) == 1})
	}
	v.choicePage(c, cart.StepPayment, page)
}

// choicePage shows a step with one choice.
func (v *visit) choicePage(c *cart.View, s cart.Step, page ChoicePage) {
	page.Steps, page.Action, page.Sums, page.Problem = v.trail(c, s), pathOf(s), v.sums(c), v.refusal(c)
	status := http.StatusOK
	if page.Error != "" {
		status = http.StatusUnprocessableEntity
	}
	v.show(v.w, v.r, status, page)
}

// review is GET /checkout/review.
func (v *visit) review(c *cart.View) {
	if err := v.Carts.Seen(v.ctx, v.token(), c); err != nil {
		v.failed(err)
		return
	}
	v.reviewPage(c, http.StatusOK, v.refusal(c))
}

func (v *visit) reviewPage(c *cart.View, status int, problem string) {
	page := ReviewPage{Frame: v.frame(phrase.StepReview), Steps: v.trail(c, cart.StepReview), Sums: v.sums(c),
		Total: v.texts.Money(c.Sums.TotalMinor, c.Currency), Back: pathOf(cart.StepPayment),
		Shown: strconv.FormatInt(c.Sums.TotalMinor, 10), Goods: c.Contents()}
	page.Problem, page.Away = problem, c.Method.Kind == state.PaymentStripe
	contact := []string{c.Email}
	if c.Phone != "" {
		contact = append(contact, c.Phone)
	}
	if c.AsksCountry() && c.Country != "" {
		contact = append(contact, v.texts.Country(c.Country))
		if c.Region != "" {
			contact = append(contact, c.Region)
		}
	}
	said := [][]string{contact, sales.AddressLines(v.texts, c.Address), nil, {sales.MethodName(v.texts, *c.Method)}}
	if c.Ships {
		said[2] = []string{c.Rate.Name}
	}
	for i, lines := range said {
		if has(c, steps[i].Step) {
			page.Parts = append(page.Parts, Part{Label: v.texts.Say(steps[i].label), URL: pathOf(steps[i].Step),
				Lines: lines})
		}
	}
	for _, l := range c.Lines {
		page.Lines = append(page.Lines, v.cartLine(l, c.Currency))
	}
	v.show(v.w, v.r, status, page)
}

// place is POST /checkout/place. A cart creates one order, however often this is sent.
func (v *visit) place() {
	total, err := strconv.ParseInt(v.value("total"), 10, 64)
	if err != nil {
		v.begin()
		return
	}
	goods := v.value("goods")
	placed, err := v.Carts.Place(v.ctx, v.token(), cart.Shown{TotalMinor: total, Contents: goods})
	switch {
	case err == nil:
		v.ordered(placed)
	case fault.IsState(err, fault.DiscountUnavailable):
		v.reviewAgain(func(*cart.View) string { return v.texts.Say(phrase.CodeTakenOff, placed.Refused) })
	case fault.IsState(err, fault.LimitReached):
		v.reviewAgain(func(*cart.View) string {
			return v.texts.Say(phrase.UnpaidMost, strconv.FormatInt(placed.Limit, 10))
		})
	case fault.IsState(err, fault.VersionMismatch):
		v.reviewAgain(func(c *cart.View) string {
			if goods != "" && goods != c.Contents() {
				return v.texts.Say(phrase.ItemsChanged)
			}
			return v.texts.Say(phrase.PricesChanged)
		})
	case fault.IsState(err, fault.OutOfStock):
		v.soldOut()
	case fault.IsState(err, fault.InvalidTransition):
		v.begin()
	case noCart(err):
		to(v.w, cartPath)
	default:
		v.failed(err)
	}
}

// soldOut shows the cart of an order with unavailable items.
func (v *visit) soldOut() {
	problem := phrase.StockChanged
	if c, err := v.Carts.View(v.ctx, v.token()); err == nil && c != nil && c.Gone() {
		problem = phrase.ItemsUnavailable
	}
	v.cartAgain(http.StatusConflict, v.texts.Say(problem))
}

// reviewAgain shows the current review of an order that was not placed, with what has changed.
func (v *visit) reviewAgain(problem func(*cart.View) string) {
	v.at(cart.StepReview, func(c *cart.View) { v.reviewPage(c, http.StatusConflict, problem(c)) })()
}

// ordered redirects to the payment of a new order, or to its page if it is not paid online.
func (v *visit) ordered(p cart.Placed) {
	if !p.Online {
		to(v.w, v.orderPath(p.Order))
		return
	}
	o, err := v.Core.Order(v.ctx, p.Order)
	switch {
	case err == nil && o.Held && away(o):
		v.leave(o)
	case err == nil && o.Held:
		to(v.w, v.orderPath(p.Order)+paySuffix)
	default:
		to(v.w, v.orderPath(p.Order)) // which shows the error
	}
}

// orderPath returns the page of an order, for the shopper who placed it.
func (v *visit) orderPath(id xid.ID) string { return orderRoot + v.Links.OrderToken(v.store, id) }
