package rest

import (
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// orderChange changes an order that was read in the same transaction.
type orderChange func(c *call, m graph.Mutation, o *model.Order, version int64) (*model.OrderPayload, error)

// changeOrder reads the body with read and changes the order in the path. Without expected_version
// in the body, the change applies to the present version: if another change commits first, the
// transaction runs again.
func (a *API) changeOrder(c *call, code int, read func(*wire.Reader) orderChange) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	expected := r.Int("expected_version")
	change := read(r)
	c.keep(r.Fields())
	o, err := a.Core.Query().Order(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	var done *model.OrderPayload
	err = atVersion(expected, o.Version, func(version int64) (err error) {
		done, err = change(c, a.Core.Mutation(), o, version)
		return err
	})
	if err != nil {
		return err
	}
	if c.code = code; code == http.StatusCreated {
		c.location = Base + "/orders/" + o.PublicID() // what was added has no address of its own
	}
	w := orderWriter{lines: &c.lines}
	c.out = w.append(c.out, done.Order)
	return w.err
}

// atVersion changes a row at the expected version or, without one, at the present version. In the
// second case, the transaction runs again if another change commits first.
func atVersion(expected *int64, present int64, change func(version int64) error) error {
	if expected != nil {
		return change(*expected)
	}
	err := change(present)
	if fault.IsState(err, fault.VersionMismatch) {
		return ent.Again(err)
	}
	return err
}

func (a *API) cancelOrder(c *call) error {
	return a.changeOrder(c, http.StatusOK, func(r *wire.Reader) orderChange {
		refund, reason := core.Deref(r.Bool("refund")), r.String("reason")
		return func(c *call, m graph.Mutation, o *model.Order, version int64) (*model.OrderPayload, error) {
			return m.OrderCancel(c.ctx, o.PublicID(), version, refund, reason)
		}
	})
}

// createPayment records a payment: of everything owed if the amount is absent.
func (a *API) createPayment(c *call) error {
	return a.changeOrder(c, http.StatusCreated, func(r *wire.Reader) orderChange {
		amount := r.Int("amount_minor")
		in := model.PaymentInput{Method: r.String("method"), Reference: r.String("reference")}
		return func(c *call, m graph.Mutation, o *model.Order, version int64) (*model.OrderPayload, error) {
			if amount == nil {
				return m.OrderMarkPaid(c.ctx, o.PublicID(), version, in.Method, in.Reference)
			}
			in.AmountMinor = *amount
			return m.OrderRecordPayment(c.ctx, o.PublicID(), version, in)
		}
	})
}

// trackings are the members of tracking, by the names that the operation gives them.
var trackings = strings.NewReplacer("#/carrier", "#/tracking/company", "#/tracking_number", "#/tracking/number",
	"#/tracking_url", "#/tracking/url")

func (a *API) createFulfillment(c *call) error {
	err := a.changeOrder(c, http.StatusCreated, func(r *wire.Reader) orderChange {
		in := model.FulfillInput{Lines: readQuantities(r), Notify: r.Bool("notify"), Location: r.String("location")}
		if t := r.Object("tracking"); t != nil {
			in.Carrier, in.TrackingNumber, in.TrackingURL = t.String("company"), t.String("number"), t.String("url")
		}
		return func(c *call, m graph.Mutation, o *model.Order, version int64) (*model.OrderPayload, error) {
			return m.OrderFulfill(c.ctx, o.PublicID(), version, in)
		}
	})
	return renamed(err, trackings)
}

// listFulfillments answers with all shipments of an order that are shown, which are one page.
func (a *API) listFulfillments(c *call) error {
	o, err := a.Core.Query().Order(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	shipments, err := o.Relations().Fulfillments.Get(c.ctx, o.ID)
	if err != nil {
		return core.Explain("fulfillments", err)
	}
	c.takePage()
	c.out = append(c.out, `{"fulfillments":[`...)
	for i, f := range shipments {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = wire.AppendFulfillment(c.out, f)
	}
	c.out = append(c.out, "]}"...)
	return nil
}

// updateFulfillment changes how a shipment is tracked.
func (a *API) updateFulfillment(c *call) error {
	err := a.changeOrder(c, http.StatusOK, func(r *wire.Reader) orderChange {
		var in model.FulfillmentUpdateInput
		if t := r.Object("tracking"); t != nil {
			in.Carrier = model.GivenIf(t.Given("company"), t.String("company"))
			in.TrackingNumber = model.GivenIf(t.Given("number"), t.String("number"))
			in.TrackingURL = model.GivenIf(t.Given("url"), t.String("url"))
		}
		return func(c *call, m graph.Mutation, o *model.Order, version int64) (*model.OrderPayload, error) {
			return m.OrderFulfillmentUpdate(c.ctx, o.PublicID(), version, c.pathValue("fulfillment_id"), in)
		}
	})
	return renamed(err, trackings)
}

// createRefund refunds an amount, or what the lines are worth if it is absent.
func (a *API) createRefund(c *call) error {
	return a.changeOrder(c, http.StatusCreated, func(r *wire.Reader) orderChange {
		amount := r.Int("amount_minor")
		in := model.RefundInput{Lines: readQuantities(r), Restock: core.Deref(r.Bool("restock")),
			Reason: r.String("reason"), Location: r.String("location")}
		return func(c *call, m graph.Mutation, o *model.Order, version int64) (*model.OrderPayload, error) {
			if amount == nil && len(in.Lines) > 0 {
				worth, err := (sales.OrderFields{}).RefundPreviewMinor(c.ctx, o, in.Lines)
				if err != nil {
					return nil, err
				}
				amount = worth
			}
			if amount == nil {
				return nil, fault.Invalid(present(nil, "amount_minor", false)...)
			}
			in.AmountMinor = *amount
			return m.OrderRefund(c.ctx, o.PublicID(), version, in)
		}
	})
}

// readQuantities reads the member lines; nil if it is absent.
func readQuantities(r *wire.Reader) []*model.LineQuantityInput {
	objects, ok := r.Array("lines")
	if !ok {
		return nil
	}
	list := []*model.LineQuantityInput{}
	for _, l := range objects {
		one := &model.LineQuantityInput{}
		if id := l.String("line_item_id"); id != nil {
			one.LineItemID = *id
		}
		if n := l.Int("quantity"); n != nil {
			one.Quantity = *n
		}
		list = append(list, one)
	}
	return list
}

// renamed returns an error with other pointers.
func renamed(err error, names *strings.Replacer) error {
	f, ok := err.(*fault.Error) //nolint:errorlint // a wrapped one has another meaning
	if !ok || len(f.Fields) == 0 {
		return err
	}
	copied := *f
	copied.Fields = nil
	for _, field := range f.Fields {
		field.Pointer = names.Replace(field.Pointer)
		copied.Fields = append(copied.Fields, field)
	}
	return &copied
}
