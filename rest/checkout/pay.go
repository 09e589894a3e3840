package checkout

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// returnTime is how long a page waits for the outcome of a payment. A background job learns it in
// any case.
const returnTime = 5 * time.Second

// stripePages is where Stripe hosts its pages, for merchants without a host of their own.
const stripePages = "https://checkout.stripe.com/"

// away reports whether an order is paid on the pages of a payment provider.
func away(o *storefront.ShopperOrder) bool {
	return o.PaymentMethod != nil && *o.PaymentMethod == state.PaymentStripe
}

// leave redirects to the payment provider's page for an order.
func (v *visit) leave(o *storefront.ShopperOrder) {
	texts := v.texts
	if o.Language != nil {
		texts = phrase.In(*o.Language)
	}
	page, title := v.orderPath(o.ID), texts.Say(phrase.OrderNumber, strconv.FormatInt(o.Number, 10))
	address, err := v.Carts.BeginPayment(v.ctx, o.Order, title, v.Core.ShopOrigin(v.shop.Handle, v.shop.Domain)+page)
	f, _ := errors.AsType[*fault.Error](err)
	switch {
	case f != nil && f.Kind == fault.Unavailable:
		v.Logger.WarnContext(v.ctx, "a payment cannot be started", slog.Any("error", errors.Join(err, f.Err)))
		v.w.Header().Set("Retry-After", "30")
		v.orderPage(o, http.StatusServiceUnavailable, texts.Say(phrase.PaymentAway))
	case err != nil:
		v.failed(err)
	case address == "": // the order's page says why
		to(v.w, page)
	case !strings.HasPrefix(address, stripePages):
		// The merchant has the pages at a custom host, which the policy does not name: browsers
		// follow a link there, but no redirect of a form.
		v.show(v.w, v.r, http.StatusOK, LeavePage{Frame: Frame{Texts: texts, Shop: v.shop.Name, Title: title},
			URL: address, Total: texts.Money(o.TotalMinor-o.PaidMinor, o.Currency)})
	default:
		to(v.w, address)
	}
}

// returned asks the provider for the payment of an order whose shopper comes back, and returns the
// order as it is then.
func (v *visit) returned(o *storefront.ShopperOrder) (*storefront.ShopperOrder, error) {
	ctx, cancel := context.WithTimeout(v.ctx, returnTime)
	defer cancel()
	if err := v.Carts.SettlePayment(ctx, o.Order); err != nil {
		v.Logger.WarnContext(v.ctx, "a payment cannot be checked", slog.Any("error", err))
	}
	return v.Core.Order(v.ctx, o.ID)
}
