package ucp

import (
	"net/http"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// order is an order as programs see it.
type order struct {
	UCP         metadata         `json:"ucp"`
	ID          string           `json:"id"`
	CheckoutID  string           `json:"checkout_id"`
	Permalink   string           `json:"permalink_url"`
	LineItems   []orderLine      `json:"line_items"`
	Fulfillment orderFulfillment `json:"fulfillment"`
	Adjustments []adjustment     `json:"adjustments,omitempty"`
	Totals      []total          `json:"totals"`
}

type orderLine struct {
	ID       string   `json:"id"`
	Item     item     `json:"item"`
	Quantity quantity `json:"quantity"`
	Totals   []total  `json:"totals"`
	Status   string   `json:"status"`
}

type quantity struct {
	Total     int64 `json:"total"`
	Fulfilled int64 `json:"fulfilled"`
}

type orderFulfillment struct {
	Expectations []expectation `json:"expectations"`
	Events       []shipment    `json:"events"`
}

type expectation struct {
	ID          string      `json:"id"`
	Lines       []lineCount `json:"line_items"`
	Method      string      `json:"method_type"`
	Destination destination `json:"destination"`
	Description string      `json:"description,omitempty"`
}

type lineCount struct {
	ID       string `json:"id"`
	Quantity int64  `json:"quantity"`
}

type shipment struct {
	ID         string      `json:"id"`
	OccurredAt string      `json:"occurred_at"`
	Type       string      `json:"type"`
	Lines      []lineCount `json:"line_items"`
	Number     string      `json:"tracking_number,omitempty"`
	URL        string      `json:"tracking_url,omitempty"`
	Carrier    string      `json:"carrier,omitempty"`
}

type adjustment struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	OccurredAt string `json:"occurred_at"`
	Status     string `json:"status"`
	Amount     int64  `json:"amount"`
}

// order is GET /orders/{id}. The id is the token of the order's page, which nobody can guess.
func (c *call) order(token string) (answer, error) {
	id, ok := c.Links.Order(c.store, token)
	if !ok {
		return answer{}, unknown("Order not found.")
	}
	o, err := c.Core.Order(c.ctx, id)
	if isMissing(err, "order") {
		return answer{}, unknown("Order not found.")
	}
	if err != nil {
		return answer{}, err
	}
	a := order{UCP: named("order"), ID: token, CheckoutID: token, Permalink: c.origin() + ordersPath + token,
		LineItems: []orderLine{}, Totals: totalsOf(sumsOf(o), o.ShippingMethod != nil)}
	if o.CartID != nil {
		session, err := c.Carts.SessionToken(c.ctx, *o.CartID, c.Links.SessionTokens(c.store, *o.CartID))
		if err != nil {
			return answer{}, err
		}
		if session != "" {
			a.CheckoutID = session
		}
	}
	for _, l := range o.Lines {
		a.LineItems = append(a.LineItems, orderLine{ID: l.PublicID(), Item: orderItem(l), Totals: orderTotals(l),
			Quantity: quantity{l.Quantity, l.FulfilledQuantity}, Status: progress(l)})
	}
	if a.Fulfillment, err = fulfillmentOf(o); err != nil {
		return answer{}, err
	}
	if o.RefundedMinor > 0 {
		a.Adjustments = []adjustment{{"refunds", "refund", moment(o.UpdatedAt.Time()), "completed", o.RefundedMinor}}
	}
	return answer{status: http.StatusOK, body: a}, nil
}

// progress returns how much of a line was fulfilled.
func progress(l *db.OrderLine) string {
	switch {
	case l.FulfilledQuantity == 0:
		return "processing"
	case l.FulfilledQuantity < l.Quantity:
		return "partial"
	}
	return "fulfilled"
}

// fulfillmentOf returns what the shopper can expect, and the parcels.
func fulfillmentOf(o *storefront.ShopperOrder) (f orderFulfillment, err error) {
	f = orderFulfillment{Expectations: []expectation{}, Events: []shipment{}}
	to, err := o.ShippingAddress.Fields()
	if err != nil {
		return f, err
	}
	if to != nil {
		e := expectation{ID: "delivery", Method: "shipping", Description: text(o.ShippingMethod),
			Destination: destinationOf("", "", "", to), Lines: []lineCount{}}
		for _, l := range o.Lines {
			if l.RequiresShipping {
				e.Lines = append(e.Lines, lineCount{l.PublicID(), l.Quantity})
			}
		}
		f.Expectations = append(f.Expectations, e)
	}
	for _, p := range o.Parcels {
		lines, err := p.Lines.List()
		if err != nil {
			return f, err
		}
		s := shipment{ID: p.PublicID(), OccurredAt: moment(p.CreatedAt().Time()), Type: "shipped",
			Number: text(p.TrackingNumber), URL: text(p.TrackingURL), Carrier: text(p.Carrier)}
		for _, l := range lines {
			s.Lines = append(s.Lines, lineCount{l.LineID, l.Quantity})
		}
		f.Events = append(f.Events, s)
	}
	return f, nil
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
