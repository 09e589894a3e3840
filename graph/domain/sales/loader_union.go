package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/db/paymentrefund"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// maxChildren is how many payments and fulfillments an order shows.
const maxChildren = 100

// notes loads the newest notes of each order.
func (s *siblings) notes(first int) func(context.Context, []xid.ID) (map[xid.ID][]*model.OrderNote, error) {
	return func(ctx context.Context, ids []xid.ID) (map[xid.ID][]*model.OrderNote, error) {
		of := make(map[xid.ID][]*model.OrderNote, len(ids))
		if len(ids) == 0 {
			return of, nil
		}
		q := s.Client(ctx).Note.Query()
		q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: note.FieldOrderID, Parents: ids,
			Columns: note.Columns,
			Index:   noteIndex, Limit: first, Newest: true}.Apply)
		rows, err := q.Load(ctx)
		for _, n := range rows {
			of[n.OrderID] = append(of[n.OrderID], &model.OrderNote{Note: n})
		}
		return of, err
	}
}

// shopperNotes loads what shoppers wrote: the first note of an order, written when it was placed.
func (s *siblings) shopperNotes(ctx context.Context, ids []xid.ID) (map[xid.ID]*string, error) {
	of := make(map[xid.ID]*string, len(ids))
	if len(ids) == 0 {
		return of, nil
	}
	q := s.Client(ctx).Note.Query()
	q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: note.FieldOrderID, Parents: ids,
		Columns: note.Columns, Index: noteIndex, Limit: 1}.Apply)
	rows, err := q.Load(ctx)
	for _, n := range rows {
		if n.AuthorType == viewer.System && n.AuthorName == viewer.ShopperName {
			of[n.OrderID] = &n.Body
		}
	}
	return of, err
}

// payments loads the first rows of each order's ledger.
func (s *siblings) payments(ctx context.Context, ids []xid.ID) (map[xid.ID][]*db.Payment, error) {
	q := s.Client(ctx).Payment.Query()
	q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: payment.FieldOrderID, Parents: ids,
		Columns: payment.Columns, Index: paymentIndex, Limit: maxChildren}.Apply)
	rows, err := q.Load(ctx)
	of := make(map[xid.ID][]*db.Payment, len(ids))
	for _, p := range rows {
		of[p.OrderID] = append(of[p.OrderID], p)
	}
	return of, err
}

// refunds loads the provider refunds of each order.
func (s *siblings) refunds(ctx context.Context, ids []xid.ID) (map[xid.ID][]*model.PaymentRefund, error) {
	q := s.Client(ctx).PaymentRefund.Query()
	q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: paymentrefund.FieldOrderID, Parents: ids,
		Columns: paymentrefund.Columns, Index: refundIndex, Limit: maxChildren}.Apply)
	rows, err := q.Load(ctx)
	of := make(map[xid.ID][]*model.PaymentRefund, len(ids))
	for _, p := range rows {
		of[p.OrderID] = append(of[p.OrderID], &model.PaymentRefund{PaymentRefund: p})
	}
	return of, err
}

// fulfillments loads the first shipments of each order.
func (s *siblings) fulfillments(ctx context.Context, ids []xid.ID) (map[xid.ID][]*db.Fulfillment, error) {
	q := s.Client(ctx).Fulfillment.Query()
	q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: fulfillment.FieldOrderID, Parents: ids,
		Columns: fulfillment.Columns, Index: fulfillmentIndex, Limit: maxChildren}.Apply)
	rows, err := q.Load(ctx)
	of := make(map[xid.ID][]*db.Fulfillment, len(ids))
	for _, f := range rows {
		of[f.OrderID] = append(of[f.OrderID], f)
	}
	return of, err
}

// emails loads the emails about each order that are not sent yet, without their texts.
func (s *siblings) emails(ctx context.Context, ids []xid.ID) (map[xid.ID][]*model.WaitingEmail, error) {
	q := s.Client(ctx).Mail.Query()
	columns := []string{mail.FieldID, mail.FieldStoreID, mail.FieldOrderID, mail.FieldEmail, mail.FieldAttempts,
		mail.FieldDueAt}
	q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: mail.FieldOrderID, Parents: ids,
		Columns: columns, Index: emailIndex, Limit: maxChildren}.Apply)
	rows, err := q.Select(columns...).All(ctx)
	of := make(map[xid.ID][]*model.WaitingEmail, len(ids))
	for _, m := range rows {
		of[*m.OrderID] = append(of[*m.OrderID], &model.WaitingEmail{Mail: m})
	}
	return of, err
}

// acts loads the newest entries of the audit log about each order.
func (s *siblings) acts(ctx context.Context, ids []xid.ID) (map[xid.ID][]*model.OrderAct, error) {
	q := s.Client(ctx).Audit.Query()
	q.Modify(core.FirstOfEach{Store: viewer.From(ctx).Store, Parent: audit.FieldResourceID, Parents: ids,
		Columns: audit.Columns, Index: actIndex, Limit: maxChildren, Newest: true}.Apply)
	rows, err := q.Load(ctx)
	of := make(map[xid.ID][]*model.OrderAct, len(ids))
	for _, a := range rows {
		of[a.ResourceID] = append(of[a.ResourceID], &model.OrderAct{Audit: a})
	}
	return of, err
}
