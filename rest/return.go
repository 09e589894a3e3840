package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listReturns(c *call) error {
	q := &c.query
	filter := model.ReturnFilter{State: enum[state.ReturnState](q, "state"), OrderID: q.id("order_id", xid.Order)}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Returns(sales.WithPacked(c.ctx), q.limit, q.cursor, &filter)
	return list(c, page, err, appendReturn)
}

func appendReturn(b []byte, r *model.Return) []byte { return wire.AppendReturn(b, r.OrderReturn) }

func (a *API) getReturn(c *call) error {
	r, err := a.Core.Query().OrderReturn(sales.WithPacked(c.ctx), c.pathID())
	if err != nil {
		return err
	}
	c.out = appendReturn(c.out, r)
	return nil
}

// createReturn is POST /orders/{id}/returns: a return on behalf of a shopper.
func (a *API) createReturn(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := model.ReturnInput{Note: r.String("note")}
	lines, given := r.Array("lines")
	for _, l := range lines {
		one := &model.ReturnLineInput{LineItemID: core.Deref(l.String("line_item_id")),
			Quantity: core.Deref(l.Int("quantity")), Reason: state.ReasonNone}
		core.Opt(l.String("reason"), func(s string) { one.Reason = state.ReturnReason(s) })
		in.Lines = append(in.Lines, one)
	}
	c.keep(present(r.Fields(), "lines", given))
	done, err := a.Core.Mutation().OrderReturnCreate(c.ctx, c.pathID(), in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/returns/"+done.Return.PublicID()
	c.out = appendReturn(c.out, done.Return)
	return nil
}

// returnChange changes a return that has a version.
type returnChange func(m graph.Mutation, id string, version int64) (*model.ReturnPayload, error)

// changeReturn reads the body with read and changes the return in the path, as [API.changeOrder] does. required
// names the member that the body must have, "" for none.
func (a *API) changeReturn(c *call, required string, read func(*wire.Reader) returnChange) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	expected := r.Int("expected_version")
	change := read(r)
	c.keep(present(r.Fields(), required, required == "" || r.Given(required)))
	of, err := a.Core.Query().OrderReturn(sales.WithPacked(c.ctx), c.pathID())
	if err != nil {
		return err
	}
	return atVersion(expected, of.Version, func(version int64) error {
		done, err := change(a.Core.Mutation(), of.PublicID(), version)
		if err != nil {
			return err
		}
		c.code, c.out = http.StatusOK, appendReturn(c.out, done.Return)
		return nil
	})
}

func (a *API) approveReturn(c *call) error {
	return a.changeReturn(c, "", func(r *wire.Reader) returnChange {
		in := model.ReturnApproveInput{Instructions: r.String("instructions"), LabelURL: r.String("label_url")}
		return func(m graph.Mutation, id string, version int64) (*model.ReturnPayload, error) {
			return m.OrderReturnApprove(c.ctx, id, version, in)
		}
	})
}

func (a *API) declineReturn(c *call) error {
	return a.changeReturn(c, "reason", func(r *wire.Reader) returnChange {
		reason := core.Deref(r.String("reason"))
		return func(m graph.Mutation, id string, version int64) (*model.ReturnPayload, error) {
			return m.OrderReturnDecline(c.ctx, id, version, reason)
		}
	})
}

func (a *API) receiveReturn(c *call) error {
	return a.changeReturn(c, "", func(r *wire.Reader) returnChange {
		location := r.String("location")
		return func(m graph.Mutation, id string, version int64) (*model.ReturnPayload, error) {
			return m.OrderReturnReceive(c.ctx, id, version, location)
		}
	})
}

// refundReturn refunds what the items are worth if there is no amount.
func (a *API) refundReturn(c *call) error {
	return a.changeReturn(c, "", func(r *wire.Reader) returnChange {
		amount := r.Int("amount_minor")
		in := model.ReturnRefundInput{AmountMinor: amount, Restock: core.Deref(r.Bool("restock")),
			Location: r.String("location")}
		return func(m graph.Mutation, id string, version int64) (*model.ReturnPayload, error) {
			return m.OrderReturnRefund(c.ctx, id, version, in)
		}
	})
}

// defaultPaymentDays is the default of GraphQL for PaymentRequestInput.
const defaultPaymentDays = 14

// exchangeReturn is POST /returns/{id}/exchange: a new order instead of a refund.
func (a *API) exchangeReturn(c *call) error {
	return a.changeReturn(c, "lines", func(r *wire.Reader) returnChange {
		in := model.ReturnExchangeInput{Lines: readOrderLines(r), Pricing: readPricing(r),
			Restock: core.Deref(r.Bool("restock")), Location: r.String("location"),
			RefundRest: core.Deref(r.Bool("refund_rest"))}
		if p := r.Object("payment"); p != nil {
			in.Payment = &model.PaymentRequestInput{Days: defaultPaymentDays, SendEmail: true}
			core.Opt(p.Int("days"), func(n int64) { in.Payment.Days = n })
			core.Opt(p.Bool("send_email"), func(b bool) { in.Payment.SendEmail = b })
			core.Opt(p.String("method"), func(s string) { in.Payment.Method = state.PaymentMethod(s) })
		}
		return func(m graph.Mutation, id string, version int64) (*model.ReturnPayload, error) {
			return m.OrderReturnExchange(c.ctx, id, version, in)
		}
	})
}
