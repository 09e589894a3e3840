package graph

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/graph/model"
)

var errStub = errors.New("stub")

func (q Query) OrderNotes(ctx context.Context, orderID string, first *int, after *string) (*model.OrderNoteConnection, error) {
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
