package graphtest

import (
	"context"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// Step is one mutation of an order.
type Step func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error)

// Steps holds mutations by name, for an order of two units at 100 of a product with stock.
var Steps = map[string]Step{
	"mark_paid": func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderMarkPaid(ctx, o.PublicID(), o.Version, new("card"), new("ch_1"))
	},
	"pay_50":     Pay(50),
	"pay_100":    Pay(100),
	"pay_150":    Pay(150),
	"pay_201":    Pay(201),
	"refund_50":  Refund(50, 0, false),
	"refund_200": Refund(200, 0, false),
	"refund_201": Refund(201, 0, false),
	// return one unit, without and with restocking it
	"return_1":  Refund(10, 1, false),
	"restock_1": Refund(10, 1, true),
	"return_3":  Refund(10, 3, false),
	"ship":      ship(0),
	"ship_1":    ship(1),
	"ship_3":    ship(3),
	"cancel": func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderCancel(ctx, o.PublicID(), o.Version, false, nil)
	},
	"cancel_refund": func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderCancel(ctx, o.PublicID(), o.Version, true, new("Sold out"))
	},
	"complete": func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderComplete(ctx, o.PublicID(), o.Version)
	},
	"tag": func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		in := model.OrderUpdateInput{}
		in.Tags = Given([]string{"vip"})
		return m.OrderUpdate(ctx, o.PublicID(), o.Version, in)
	},
	"note": func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		p, err := m.OrderNoteAppend(ctx, o.PublicID(),
			model.OrderNoteInput{Body: "hello", Visibility: state.NoteInternal})
		if err != nil {
			return nil, err
		}
		return &model.OrderPayload{Order: p.Order}, nil
	},
}

// Pay returns a step that records a payment.
func Pay(amount int64) Step {
	return func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderRecordPayment(ctx, o.PublicID(), o.Version, model.PaymentInput{AmountMinor: amount})
	}
}

// Quantities returns n units of the order's first line, or nil for zero.
func Quantities(o *model.Order, n int64) []*model.LineQuantityInput {
	if n == 0 {
		return nil
	}
	return []*model.LineQuantityInput{{LineItemID: o.Lines[0].PublicID(), Quantity: n}}
}

// Refund returns a step that refunds an amount and units of the first line.
func Refund(amount, units int64, restock bool) Step {
	return func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderRefund(ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: amount, Lines: Quantities(o, units), Restock: restock})
	}
}

func ship(units int64) Step {
	return func(ctx context.Context, m graph.Mutation, o *model.Order) (*model.OrderPayload, error) {
		return m.OrderFulfill(ctx, o.PublicID(), o.Version,
			model.FulfillInput{Lines: Quantities(o, units), Carrier: new("DHL")})
	}
}
