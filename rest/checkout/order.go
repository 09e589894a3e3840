package checkout

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest/paper"
)

// addressTime is how long the page of an order shows the address: its link may stay in emails and
// browser histories for years.
const addressTime = 90 * 24 * time.Hour

// order is GET /orders/{token}. The address alone opens it, so it is never sent as a referrer.
func (v *visit) order(token string) {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	id, ok := v.Links.Order(v.store, token)
	if !ok {
		v.missing()
		return
	}
	o, err := v.Core.Order(v.ctx, id)
	if err == nil && o.Held && away(o) && v.lookups.allow(v.lookups.orders, v.store, id) {
		o, err = v.returned(o)
	}
	if err != nil {
		v.failed(err)
		return
	}
	v.orderPage(o, http.StatusOK, "")
}

// invoice is GET /orders/{token}/invoices/{id}, a page to print.
func (v *visit) invoice(token, id string) {
	order, ok := v.Links.Order(v.store, token)
	if !ok {
		v.missing()
		return
	}
	o, err := v.Core.Order(v.ctx, order)
	if err != nil {
		v.failed(err)
		return
	}
	for _, i := range shownInvoices(o) {
		if i.PublicID() == id {
			if err := paper.Show(v.w, v.r, []*db.Invoice{i}, v.brand.Logo); err != nil {
				v.failed(err)
			}
			return
		}
	}
	v.missing()
}

// buyAgain is POST /orders/{token}/again: it puts what was ordered into the cart.
func (v *visit) buyAgain(token string) {
	id, ok := v.Links.Order(v.store, token)
	if !ok {
		v.missing()
		return
	}
	o, err := v.Core.Order(v.ctx, id)
	if err != nil {
		v.failed(err)
		return
	}
	v.fill(amountsOf(o))
}

// fill puts items into the cart and shows it.
func (v *visit) fill(list []cart.Amount) {
	kept, skipped, err := v.Carts.AddAll(v.ctx, v.token(), list)
	switch {
	case err != nil:
		v.failed(err)
	case kept == "":
		v.cartAgain(http.StatusConflict, v.texts.Say(phrase.Gone))
	default:
		v.keep(kept)
		to(v.w, cartPath+map[bool]string{false: "?added", true: "?skipped"}[skipped])
	}
}

// amountsOf returns the products of an order that a cart can hold; custom items have none.
func amountsOf(o *storefront.ShopperOrder) (list []cart.Amount) {
	for _, l := range o.Lines {
		if l.ProductID != nil && len(list) < limit.CartLines {
			of := cart.ProductRef{Product: *l.ProductID, Variant: core.Deref(l.VariantID)}
			list = append(list, cart.Amount{ProductRef: of, Quantity: l.Quantity})
		}
	}
	return list
}

// shownInvoices returns the invoices that the page of an order shows: they hold the address, so they
// are shown as long as it is, and not after the customer was redacted.
func shownInvoices(o *storefront.ShopperOrder) []*db.Invoice {
	if o.Email == nil || time.Since(o.PlacedOn) >= addressTime {
		return nil
	}
	return o.Invoices
}

// orderPage shows an order.
func (v *visit) orderPage(o *storefront.ShopperOrder, status int, problem string) {
	page, err := v.statusPage(o)
	if err != nil {
		v.failed(err)
		return
	}
	page.Problem = problem
	mine := v.placed(o.ID)
	page.Reopens = mine && o.Held
	if may, err := v.Carts.MayCancel(v.ctx, o.Order); err != nil {
		v.failed(err)
		return
	} else if may {
		page.CancelURL = v.orderPath(o.ID) + cancelSuffix
	}
	if page.Thanks = mine && !o.Held && o.Status != state.OrderCancelled; page.Thanks {
		page.Title = v.texts.Say(phrase.ThankYou)
	}
	v.show(v.w, v.r, status, page)
}

// paying opens an order that awaits its payment. Any other order's page is shown.
func (v *visit) paying(token string, then func(o *storefront.ShopperOrder)) func() {
	return func() {
		id, ok := v.Links.Order(v.store, token)
		if !ok {
			v.missing()
			return
		}
		o, err := v.Core.Order(v.ctx, id)
		switch {
		case err != nil:
			v.failed(err)
		case !o.Held:
			to(v.w, orderRoot+token)
		default:
			then(o)
		}
	}
}

// canceling opens an order that its shopper may cancel. Any other order's page is shown.
func (v *visit) canceling(token string, then func(o *storefront.ShopperOrder)) func() {
	return func() {
		v.w.Header().Set("Referrer-Policy", "no-referrer")
		id, ok := v.Links.Order(v.store, token)
		if !ok {
			v.missing()
			return
		}
		o, err := v.Core.Order(v.ctx, id)
		may := false
		if err == nil {
			may, err = v.Carts.MayCancel(v.ctx, o.Order)
		}
		switch {
		case err != nil:
			v.failed(err)
		case !may && o.Status != state.OrderCancelled:
			v.orderPage(o, http.StatusConflict, v.texts.Say(phrase.CancelLate))
		case !may:
			to(v.w, orderRoot+token)
		default:
			then(o)
		}
	}
}

// cancelPage is GET /orders/{token}/cancel, which asks for a confirmation.
func (v *visit) cancelPage(o *storefront.ShopperOrder) {
	if o.Language != nil {
		v.texts = phrase.In(*o.Language)
	}
	v.show(v.w, v.r, http.StatusOK, CancelPage{Frame: v.frame(phrase.CancelOrder), Back: v.orderPath(o.ID),
		Number: strconv.FormatInt(o.Number, 10)})
}

// cancel is POST /orders/{token}/cancel.
func (v *visit) cancel(o *storefront.ShopperOrder) {
	err := v.Carts.CancelOrder(v.ctx, o.Order)
	if fault.IsState(err, fault.InvalidTransition) { // a shipment, or another cancellation, came first
		v.canceling(strings.TrimPrefix(v.orderPath(o.ID), orderRoot), func(o *storefront.ShopperOrder) {
			v.orderPage(o, http.StatusConflict, v.texts.Say(phrase.CancelLate))
		})()
		return
	}
	if err != nil {
		v.failed(err)
		return
	}
	to(v.w, v.orderPath(o.ID))
}

// payPage is GET /orders/{token}/pay, the page of a test payment. Other payments begin at the page
// of the order.
func (v *visit) payPage(o *storefront.ShopperOrder) {
	if away(o) {
		to(v.w, v.orderPath(o.ID))
		return
	}
	v.payForm(o, http.StatusOK, "")
}

func (v *visit) payForm(o *storefront.ShopperOrder, status int, problem string) {
	page := PayPage{Frame: v.frame(phrase.TestPayment), Number: strconv.FormatInt(o.Number, 10),
		Total: v.texts.Money(o.TotalMinor-o.PaidMinor, o.Currency), Action: v.orderPath(o.ID) + paySuffix,
		Reopens: v.placed(o.ID)}
	page.Problem = problem
	v.show(v.w, v.r, status, page)
}

// pay is POST /orders/{token}/pay.
func (v *visit) pay(o *storefront.ShopperOrder) {
	if away(o) {
		if !v.lookups.allow(v.lookups.leaves, v.store, o.ID) {
			v.crowded(5 * time.Second)
			return
		}
		v.leave(o)
		return
	}
	if v.value("outcome") != "pay" {
		v.payForm(o, http.StatusPaymentRequired, v.texts.Say(phrase.Declined))
		return
	}
	// If the order accepts no test payment, its page says why.
	if _, err := v.Carts.PayTest(v.ctx, o.Order); noCart(err) { // it was disabled
		v.payForm(o, http.StatusConflict, v.texts.Say(phrase.PaymentAway))
		return
	} else if err != nil {
		v.failed(err)
		return
	}
	to(v.w, v.orderPath(o.ID))
}

// placed reports whether the order was placed from the cart in this browser.
func (v *visit) placed(id xid.ID) bool {
	c, err := v.Carts.View(v.ctx, v.token())
	return err == nil && c != nil && c.Order == id
}

// statusPage returns the page of an order as it is now.
func (v *visit) statusPage(o *storefront.ShopperOrder) (StatusPage, error) {
	if o.Language != nil {
		v.texts = phrase.In(*o.Language)
	}
	number := strconv.FormatInt(o.Number, 10)
	page := StatusPage{Frame: v.frame(phrase.OrderNumber), Number: number, States: v.states(o),
		Date: v.texts.Date(o.PlacedOn)}
	page.Title = v.texts.Say(phrase.OrderNumber, number)
	if o.PaidMinor < o.TotalMinor && o.Status == state.OrderOpen {
		page.Instructions = o.Instructions
	}
	if !o.PayBy.IsZero() {
		page.PayBy = v.texts.Say(phrase.PayBy, v.texts.Date(o.PayBy))
	}
	if o.Held {
		page.PayURL, page.Total = v.orderPath(o.ID)+paySuffix, v.texts.Money(o.TotalMinor-o.PaidMinor, o.Currency)
		page.Away = away(o)
	}
	for _, p := range o.Parcels {
		items, err := v.itemsOf(o, p)
		if err != nil {
			return page, err
		}
		page.Parcels = append(page.Parcels, Parcel{Carrier: text(p.Carrier), Number: text(p.TrackingNumber),
			URL: text(p.TrackingURL), Items: items,
			Sent: v.texts.Say(phrase.SentOn, v.texts.Date(p.ID.Time().Time().In(o.PlacedOn.Location())))})
	}
	if len(amountsOf(o)) > 0 && !o.Held {
		page.AgainURL = v.orderPath(o.ID) + againSuffix
	}
	page.Downloads = v.downloads(o)
	for _, i := range shownInvoices(o) {
		title := phrase.Invoice
		if i.Kind == state.InvoiceCredit {
			title = phrase.CreditNote
		}
		page.Invoices = append(page.Invoices, Option{v.orderPath(o.ID) + invoiceRoot + i.PublicID(),
			v.texts.Say(title, model.FullNumber(i))})
	}
	if time.Since(o.PlacedOn) < addressTime {
		address, err := o.ShippingAddress.Fields()
		if err != nil {
			return page, err
		}
		page.Address = sales.AddressLines(v.texts, address)
	}
	for _, l := range o.Lines {
		options, err := l.Options.List()
		if err != nil {
			return page, err
		}
		page.Lines = append(page.Lines, Line{Title: l.Title, Options: strings.Join(options, " / "),
			Quantity: l.Quantity, Unit: v.texts.Money(l.UnitPriceMinor, o.Currency),
			Total: v.texts.Money(l.UnitPriceMinor*l.Quantity, o.Currency), Notes: v.lineStates(o, l)})
	}
	var err error
	if page.Sums, err = v.orderSums(o); err != nil {
		return page, err
	}
	return page, v.addReturns(&page, o)
}

// itemsOf returns what a shipment contains.
func (v *visit) itemsOf(o *storefront.ShopperOrder, p *db.Fulfillment) (list []string, err error) {
	parts, err := p.Lines.List()
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if list, err = addItem(list, o, part.LineID, part.Quantity); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// addItem adds units of a line of an order to a list.
func addItem(list []string, o *storefront.ShopperOrder, line string, quantity int64) ([]string, error) {
	for _, l := range o.Lines {
		if l.PublicID() == line {
			title, err := titleOf(l)
			return append(list, fmt.Sprintf("%d × %s", quantity, title)), err
		}
	}
	return list, nil
}

// lineStates describe what was shipped of a line, if only part of the order was, and what was
// refunded.
func (v *visit) lineStates(o *storefront.ShopperOrder, l *db.OrderLine) (list []string) {
	if l.FulfilledQuantity > 0 && o.FulfillmentStatus == state.FulfillmentPartiallyFulfilled {
		list = append(list, v.texts.Say(phrase.LineShipped, strconv.FormatInt(l.FulfilledQuantity, 10)))
	}
	if l.RefundedQuantity > 0 {
		list = append(list, v.texts.Say(phrase.LineRefunded, strconv.FormatInt(l.RefundedQuantity, 10)))
	}
	return list
}

// orderSums returns the sums of an order.
func (v *visit) orderSums(o *storefront.ShopperOrder) ([]Sum, error) {
	taxes, err := sales.ShownOfOrder(v.texts, o.Order)
	if err != nil {
		return nil, err
	}
	list := []Sum{v.sum(phrase.Subtotal, o.SubtotalMinor, o.Currency)}
	if o.DiscountMinor > 0 {
		list = append(list, v.sum(phrase.Discount, -o.DiscountMinor, o.Currency))
	}
	ships := slices.ContainsFunc(o.Lines, func(l *db.OrderLine) bool { return l.RequiresShipping })
	if taxes.ShippingMinor > 0 || ships {
		list = append(list, v.shippingSum(taxes.ShippingMinor, o.Currency))
	}
	list = append(list, v.lastSums(taxes, o.TotalMinor, o.Currency)...)
	if o.RefundedMinor > 0 {
		list = append(list, v.sum(phrase.Refunded, o.RefundedMinor, o.Currency))
	}
	if o.PaidMinor > 0 && o.PaidMinor < o.TotalMinor && o.Status != state.OrderCancelled {
		list = append(list, v.sum(phrase.StillToPay, o.TotalMinor-o.PaidMinor, o.Currency))
	}
	return list, nil
}

// states describe the progress of an order.
func (v *visit) states(o *storefront.ShopperOrder) []string {
	var list []string
	say := func(k phrase.Key) { list = append(list, v.texts.Say(k)) }
	cancelled := o.Status == state.OrderCancelled
	if cancelled {
		say(phrase.Cancelled)
	}
	switch o.FinancialStatus {
	case state.FinancialPending, state.FinancialPartiallyPaid:
		if !cancelled {
			say(phrase.WaitingForPayment)
		}
	case state.FinancialPaid:
		say(phrase.Paid)
	case state.FinancialPartiallyRefunded:
		if !cancelled && o.PaidMinor < o.TotalMinor {
			say(phrase.WaitingForPayment)
		}
		say(phrase.PartlyRefunded)
	case state.FinancialRefunded:
		say(phrase.Refunded)
	}
	switch o.FulfillmentStatus {
	case state.FulfillmentPartiallyFulfilled:
		say(phrase.PartlyShipped)
	case state.FulfillmentFulfilled:
		say(phrase.Shipped)
	}
	return list
}
