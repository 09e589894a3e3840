package graph

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/model"
)

var errStub = errors.New("stub")

func (q Query) Orders(ctx context.Context, first *int, after *string, filter *model.OrderFilter) (*model.OrderConnection, error) {
	return nil, errStub
}
func (q Query) Order(ctx context.Context, id string) (*model.Order, error) { return nil, errStub }
func (q Query) OrderNotes(ctx context.Context, orderID string, first *int, after *string) (*model.OrderNoteConnection, error) {
	return nil, errStub
}

type orderFields struct{ *Resolver }

func (o orderFields) Customer(ctx context.Context, obj *model.Order) (*model.Customer, error) {
	return nil, errStub
}
func (o orderFields) Notes(ctx context.Context, obj *model.Order, first *int) ([]*model.OrderNote, error) {
	return nil, errStub
}
func (o orderFields) Payments(ctx context.Context, obj *model.Order) ([]*db.Payment, error) {
	return nil, errStub
}
func (o orderFields) Fulfillments(ctx context.Context, obj *model.Order) ([]*db.Fulfillment, error) {
	return nil, errStub
}

type lineFields struct{ *Resolver }

func (l lineFields) Product(ctx context.Context, obj *model.LineItem) (*db.Product, error) {
	return nil, errStub
}

func (m Mutation) OrderCreate(ctx context.Context, in model.OrderCreateInput) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderMarkPaid(ctx context.Context, id string, expectedVersion int64, method *string, reference *string) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderRecordPayment(ctx context.Context, id string, expectedVersion int64, in model.PaymentInput) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderRefund(ctx context.Context, id string, expectedVersion int64, in model.RefundInput) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderFulfill(ctx context.Context, id string, expectedVersion int64, in model.FulfillInput) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderCancel(ctx context.Context, id string, expectedVersion int64, refund bool, reason *string) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderComplete(ctx context.Context, id string, expectedVersion int64) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderUpdate(ctx context.Context, id string, expectedVersion int64, in model.OrderUpdateInput) (*model.OrderPayload, error) {
	return nil, errStub
}
func (m Mutation) OrderNoteAppend(ctx context.Context, orderID string, in model.OrderNoteInput) (*model.OrderNotePayload, error) {
	return nil, errStub
}
