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

// delivery is GET /checkout/delivery.
func (v *visit) delivery(c *cart.View) {
	chosen := map[string]string{}
	if c.Rate != nil {
		chosen["rate"] = c.Rate.ID
	}
	if c.Method != nil {
		chosen["payment"] = string(c.Method.Kind)
	}
	v.deliveryPage(c, chosen, nil, http.StatusOK)
}

// deliveryPage shows the choices of the delivery with what is chosen and the errors.
func (v *visit) deliveryPage(c *cart.View, chosen, wrong map[string]string, status int) {
	page := DeliveryPage{StepPage: v.stepPage(c, cart.StepDelivery), Ships: c.Ships}
	if c.Ships {
		page.Groups = append(page.Groups, v.rates(c))
	}
	page.Groups = append(page.Groups, v.methods(c))
	for i := range page.Groups {
		g := &page.Groups[i]
		g.Error = wrong[g.Name]
		for j := range g.Choices {
			g.Choices[j].Chosen = g.Choices[j].Value == chosen[g.Name] || len(g.Choices) == 1
		}
	}
	v.show(v.w, v.r, status, page)
}

// rates returns the choice of a shipping rate.
func (v *visit) rates(c *cart.View) ChoiceGroup {
	g := ChoiceGroup{Name: "rate", Title: v.texts.Say(phrase.StepShipping), None: v.texts.Say(phrase.NoRates)}
	for _, rate := range c.Rates {
		choice := Choice{Value: rate.ID, Label: rate.Name, Amount: v.texts.Money(rate.CostMinor, c.Currency)}
		if rate.CostMinor == 0 {
			choice.Amount = v.texts.Say(phrase.Free)
		}
		if rate.Kind == state.ShippingPickup {
			choice.Detail = v.texts.Say(phrase.Collection)
		}
		g.Choices = append(g.Choices, choice)
	}
	return g
}

// methods returns the choice of a payment method.
func (v *visit) methods(c *cart.View) ChoiceGroup {
	g := ChoiceGroup{Name: "payment", Title: v.texts.Say(phrase.StepPayment), None: v.texts.Say(phrase.NoMethods)}
	for _, m := range c.Methods {
		g.Choices = append(g.Choices, Choice{Value: string(m.Kind), Label: sales.MethodName(v.texts, m)})
	}
	return g
}

// setDelivery is POST /checkout/delivery.
func (v *visit) setDelivery() {
	chosen := map[string]string{"rate": v.value("rate"), "payment": v.value("payment")}
	var rate *string
	if v.form.Has("ships") {
		rate = new(chosen["rate"])
	}
	err := v.Carts.SetDelivery(v.ctx, v.token(), rate, new(state.PaymentMethod(chosen["payment"])))
	v.done(cart.StepDelivery, err, func(c *cart.View, wrong map[string]string) {
		v.deliveryPage(c, chosen, wrong, http.StatusUnprocessableEntity)
	})
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
	page := ReviewPage{StepPage: v.stepPage(c, cart.StepReview), Total: v.texts.Money(c.Sums.TotalMinor, c.Currency),
		Shown: strconv.FormatInt(c.Sums.TotalMinor, 10), Goods: c.Contents(),
		Away: c.Method.Kind == state.PaymentStripe}
	page.Problem = problem
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
	add := func(label phrase.Key, s cart.Step, lines []string) {
		page.Parts = append(page.Parts, Part{Label: v.texts.Say(label), URL: pathOf(s), Lines: lines})
	}
	add(phrase.StepContact, cart.StepDetails, contact)
	if c.Ships {
		add(phrase.StepAddress, cart.StepDetails, sales.AddressLines(v.texts, c.Address))
	}
	if c.Billing != nil {
		add(phrase.BillingAddress, cart.StepDetails, sales.AddressLines(v.texts, c.Billing))
	}
	if c.Gift != "" && c.Ships {
		add(phrase.GiftMessage, cart.StepDetails, []string{c.Gift})
	}
	if c.Ships {
		add(phrase.StepShipping, cart.StepDelivery, []string{c.Rate.Name})
	}
	add(phrase.StepPayment, cart.StepDelivery, []string{sales.MethodName(v.texts, *c.Method)})
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
