package rest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listOrders(c *call) error {
	q := &c.query
	filter := model.OrderFilter{
		Status:            enum[state.OrderStatus](q, "status"),
		FinancialStatus:   enum[state.FinancialStatus](q, "financial_status"),
		FulfillmentStatus: enum[state.FulfillmentStatus](q, "fulfillment_status"),
		CustomerID:        q.id("customer_id", xid.Customer),
		Tag:               q.text("tag", limit.Label),
		ExternalNumber:    q.text("external_number", limit.Label),
		CreatedFrom:       q.time("created_from"),
		CreatedTo:         q.time("created_to"),
		UpdatedFrom:       q.time("updated_from"),
		CustomFields:      q.customFields(fieldFilter),
	}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Orders(sales.WithPacked(c.ctx), q.limit, q.cursor, &filter, nil, nil)
	w := orderWriter{lines: &c.lines}
	if err := list(c, page, err, w.append); err != nil {
		return err
	}
	return w.err
}

func (a *API) getOrder(c *call) error {
	o, err := a.Core.Query().Order(sales.WithPacked(c.ctx), c.pathID())
	if err != nil {
		return err
	}
	w := orderWriter{lines: &c.lines}
	c.out = w.append(c.out, o)
	return w.err
}

// orderWriter writes orders and unpacks their lines one order after the other.
type orderWriter struct {
	lines *lineset.Unpacker
	err   error // of the first order that could not be written
}

func (w *orderWriter) append(b []byte, o *model.Order) []byte {
	if !lineset.Holds(o.Order) {
		return wire.AppendOrder(b, o.Order, len(o.Lines), func(i int) *db.OrderLine { return o.Lines[i].OrderLine })
	}
	lines, err := w.lines.Unpack(o.StoreID, o.ID, o.LineSet)
	if err != nil {
		w.err = cmp.Or(w.err, fmt.Errorf("%s: %w", o.PublicID(), err))
		return b
	}
	return wire.AppendOrder(b, o.Order, len(lines), func(i int) *db.OrderLine { return lines[i] })
}

func (a *API) createOrderNote(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := model.OrderNoteInput{Visibility: state.NoteInternal}
	body, visibility := r.String("body"), r.String("visibility")
	faults := required(r.Fields(), "body", body, &in.Body)
	faults = choice(faults, "visibility", visibility, &in.Visibility, "The value is internal or customer.")
	in.Decoded = model.NewDecoded(faults)
	done, err := a.Core.Mutation().OrderNoteAppend(c.ctx, c.pathID(), in)
	if err != nil {
		return err
	}
	// A note has no address of its own: Location names its order.
	c.code, c.location = http.StatusCreated, Base+"/orders/"+done.Note.PublicOrderID()
	c.out = wire.AppendNote(c.out, done.Note.Note, done.Note.Author().ID)
	return nil
}

// createOrder is POST /orders. Payments that were taken elsewhere are recorded with it.
func (a *API) createOrder(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in, payments := readOrder(r)
	c.keep(present(r.Fields(), "lines", in.Lines != nil))
	if len(payments) > limit.OrderPayments {
		c.keep([]fault.Field{{Pointer: wire.Pointer("payments"), Code: fault.TooLong,
			Detail: fmt.Sprintf("There are more than %d payments.", limit.OrderPayments)}})
		payments = nil
	}
	done, err := a.Core.Mutation().OrderCreate(c.ctx, in)
	for i, p := range payments {
		if err != nil {
			break
		}
		if done, err = a.Core.Mutation().OrderRecordPayment(c.ctx, done.Order.PublicID(), done.Order.Version,
			p); err != nil {
			err = renamed(err, strings.NewReplacer("#/", fmt.Sprintf("#/payments/%d/", i)))
		}
	}
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/orders/"+done.Order.PublicID()
	w := orderWriter{lines: &c.lines}
	c.out = w.append(c.out, done.Order)
	return w.err
}

func readOrder(r *wire.Reader) (in model.OrderCreateInput, payments []model.PaymentInput) {
	in = model.OrderCreateInput{
		CustomerID: r.String("customer_id"), Email: r.String("email"),
		ShippingMinor:   core.Deref(r.Int("shipping_minor")),
		BillingAddress:  readAddress(r, "billing_address", nil),
		ShippingAddress: readAddress(r, "shipping_address", nil),
		Tags:            r.Strings("tags"), Source: "api", PlacedAt: r.Time("placed_at"),
		ExternalNumber: r.String("external_number"), CustomFields: readCustomFields(r),
	}
	core.Opt(r.String("source"), func(s string) { in.Source = s })
	in.Pricing, in.Lines = readPricing(r), readOrderLines(r)
	taken, _ := r.Array("payments")
	for _, p := range taken {
		payments = append(payments, model.PaymentInput{AmountMinor: core.Deref(p.Int("amount_minor")),
			Method: p.String("method"), Reference: p.String("reference")})
	}
	return in, payments
}

func readPricing(r *wire.Reader) *model.OrderPricingInput {
	p := r.Object("pricing")
	if p == nil {
		return nil
	}
	return &model.OrderPricingInput{DiscountCode: p.String("discount_code"), DiscountMinor: p.Int("discount_minor"),
		ShippingRateID: p.String("shipping_rate_id"), ShippingMinor: p.Int("shipping_minor")}
}

func readOrderLines(r *wire.Reader) (list []*model.OrderLineInput) {
	lines, _ := r.Array("lines")
	for _, l := range lines {
		list = append(list, &model.OrderLineInput{
			ProductID: l.String("product_id"), VariantID: l.String("variant_id"), Title: l.String("title"),
			Sku: l.String("sku"), Quantity: core.Deref(l.Int("quantity")), UnitPriceMinor: l.Int("unit_price_minor"),
			DiscountMinor: core.Deref(l.Int("discount_minor")), TaxMinor: core.Deref(l.Int("tax_minor")),
		})
	}
	return list
}

// updateOrder is PATCH /orders/{id}: a merge patch (RFC 7396).
func (a *API) updateOrder(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	o, missing := a.Core.Query().Order(c.ctx, c.pathID())
	var billing, shipping *document.AddressFields
	if missing == nil {
		if billing, err = o.DecodedBillingAddress(); err == nil {
			shipping, err = o.DecodedShippingAddress()
		}
		if err != nil {
			return err
		}
	}
	expected, given := r.Int("expected_version"), r.Given
	in := model.OrderUpdateInput{
		Email:           model.GivenIf(given("email"), r.String("email")),
		ExternalNumber:  model.GivenIf(given("external_number"), r.String("external_number")),
		BillingAddress:  model.GivenIf(given("billing_address"), readAddress(r, "billing_address", billing)),
		ShippingAddress: model.GivenIf(given("shipping_address"), readAddress(r, "shipping_address", shipping)),
		Tags:            model.GivenIf(given("tags"), r.Strings("tags")),
		CustomFields:    model.GivenIf[document.CustomFields](given(core.CustomFieldsMember), readCustomFields(r)),
	}
	if c.keep(r.Fields()); missing != nil {
		return missing
	}
	return atVersion(expected, o.Version, func(version int64) error {
		done, err := a.Core.Mutation().OrderUpdate(c.ctx, o.PublicID(), version, in)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		w := orderWriter{lines: &c.lines}
		c.out = w.append(c.out, done.Order)
		return w.err
	})
}
