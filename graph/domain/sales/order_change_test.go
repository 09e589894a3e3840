package sales_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Every mutation refuses an outdated version, an unknown id and another store's order.
func TestOrderVersionsAndIDs(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 100))
		o = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps["pay_50"](ctx, r.Mutation(), o)).Order
		for name, f := range graphtest.Steps {
			if name == "note" {
				continue
			}
			other := *o.Order
			other.Version--
			if _, err := f(ctx, r.Mutation(),
				&model.Order{Order: &other, Lines: o.Lines}); graphtest.FaultOf(err) != "version_mismatch" {
				t.Errorf("%s of an old version: %v", name, err)
			}
		}
		for name, f := range graphtest.Steps {
			other := *o.Order
			other.ID = xid.New()
			if _, err := f(ctx, r.Mutation(),
				&model.Order{Order: &other, Lines: o.Lines}); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s of an unknown order: %v", name, err)
			}
		}
		for _, id := range []string{"", "ord_1", xid.Customer.Format(o.ID)} {
			if _, err := r.Query().Order(ctx, id); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("order %q: %v", id, err)
			}
		}
	})
}

func TestOrderInputs(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 100))
		o = graphtest.Must[*model.OrderPayload](t)(graphtest.Steps["mark_paid"](ctx, r.Mutation(), o)).Order
		m, id, v := r.Mutation(), o.PublicID(), o.Version
		line := func(id string, n int64) []*model.LineQuantityInput {
			return []*model.LineQuantityInput{{LineItemID: id, Quantity: n}}
		}
		for name, tc := range map[string]struct {
			f    func() (*model.OrderPayload, error)
			want string
		}{
			"pay nothing": {func() (*model.OrderPayload, error) {
				return m.OrderRecordPayment(ctx, id, v, model.PaymentInput{})
			}, "#/amount_minor out_of_range"},
			"method": {func() (*model.OrderPayload, error) {
				return m.OrderMarkPaid(ctx, id, v, new(strings.Repeat("x", 65)), nil)
			}, "#/method too_long"},
			"refund nothing": {func() (*model.OrderPayload, error) {
				return m.OrderRefund(ctx, id, v, model.RefundInput{})
			}, "#/amount_minor out_of_range"},
			"restock what": {func() (*model.OrderPayload, error) {
				return m.OrderRefund(ctx, id, v, model.RefundInput{AmountMinor: 1, Restock: true})
			}, "#/lines required"},
			"refund line": {func() (*model.OrderPayload, error) {
				return m.OrderRefund(ctx, id, v, model.RefundInput{AmountMinor: 1, Lines: line("oli_1", 1)})
			}, "#/lines/0/line_item_id unknown_value"},
			"refund units": {func() (*model.OrderPayload, error) {
				return m.OrderRefund(ctx, id, v,
					model.RefundInput{AmountMinor: 1, Lines: line(o.Lines[0].PublicID(), 0)})
			}, "#/lines/0/quantity out_of_range"},
			"ship line": {func() (*model.OrderPayload, error) {
				return m.OrderFulfill(ctx, id, v, model.FulfillInput{Lines: line(xid.OrderLine.Format(xid.New()), 1)})
			}, "#/lines/0/line_item_id unknown_value"},
			"ship no line": {func() (*model.OrderPayload, error) {
				return m.OrderFulfill(ctx, id, v, model.FulfillInput{Lines: []*model.LineQuantityInput{}})
			}, "#/lines too_short"},
			"tracking": {func() (*model.OrderPayload, error) {
				return m.OrderFulfill(ctx, id, v, model.FulfillInput{TrackingURL: new("javascript:alert(1)")})
			}, "#/tracking_url invalid_format"},
			"reason": {func() (*model.OrderPayload, error) { return m.OrderCancel(ctx, id, v, false, new(" ")) },
				"#/reason too_short"},
		} {
			if _, err := tc.f(); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%s: got %v, want %q", name, err, tc.want)
			}
		}
		// A line that is named twice counts once, with the sum.
		twice := append(graphtest.Quantities(o, 1), graphtest.Quantities(o, 2)...)
		if _, err := m.OrderFulfill(ctx, id, v,
			model.FulfillInput{Lines: twice}); graphtest.FaultOf(err) != "quantity_exceeds_remaining" {
			t.Errorf("three of two: %v", err)
		}
		shipped := graphtest.Must[*model.OrderPayload](t)(m.OrderFulfill(ctx, id, v,
			model.FulfillInput{Lines: append(graphtest.Quantities(o, 1), graphtest.Quantities(o, 1)...)})).Order
		f := graphtest.Must[[]*db.Fulfillment](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Fulfillments(ctx,
			shipped))
		want := []document.Line{{LineID: o.Lines[0].PublicID(), Quantity: 2}}
		if got := graphtest.Must[[]document.Line](t)(f[0].Lines.List()); len(f) != 1 || cmp.Diff(want, got) != "" {
			t.Errorf("shipments %v", f)
		}
	})
}

func TestOrderUpdate(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 100))
		in := model.OrderUpdateInput{}
		in.Email = model.Some("jo@example.com")
		in.ShippingAddress = model.Some(model.AddressInput{Line1: "Way 1", City: "Bonn", Country: "de"})
		o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version, in)).Order
		fields := graphtest.Must[*document.AddressFields](t)(o.ShippingAddress.Fields())
		if *o.Email != "jo@example.com" || fields.Country != "DE" || o.BillingAddress != nil || o.Version != 2 {
			t.Errorf("got %+v", o.Order)
		}
		same := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version, in)).Order
		if same.Version != 2 || same.UpdatedAt != o.UpdatedAt {
			t.Error("an update that changes nothing raised the version")
		}
		in = model.OrderUpdateInput{}
		in.Email, in.ExternalNumber = graphtest.Given[*string](nil), model.Some("#1007")
		in.ShippingAddress = graphtest.Given[*model.AddressInput](nil)
		o = graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version, in)).Order
		read := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
		if read.Email != nil || read.ShippingAddress != nil || read.Version != 3 || *read.ExternalNumber != "#1007" {
			t.Errorf("emptied: %+v", read.Order)
		}
		rows := graphtest.Must[[]*db.Event](t)(r.Client(ctx).Event.Query().All(ctx))
		if last := string(rows[len(rows)-1].Body); !strings.Contains(last,
			`"changed_fields":["email","external_number","shipping_address"]`) {
			t.Errorf("the event is %s", last)
		}
	})
}
