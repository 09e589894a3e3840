package sales

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymentrefund"
	"github.com/storefront-go/storefront/ent/db/paymentsession"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

const (
	// returnBatch bounds one round of [Resolver.ReturnMoney].
	returnBatch = 50
	// returnPause is the delay before the second try, which doubles up to returnMost. It is longer
	// than a try can take.
	returnPause = time.Minute
	returnMost  = time.Hour
	// returnEnd is when an unanswered refund is given up: staff have three days to repair the
	// account's key.
	returnEnd = 3 * 24 * time.Hour
)

// returnRow returns a new refund of a session's money to the shopper.
func (r *Resolver) returnRow(
	ctx context.Context, o *db.Order, of *db.PaymentSession, money string, amount int64, currency string,
) *db.PaymentRefundCreate {
	return r.Client(ctx).PaymentRefund.Create().SetOrderID(o.ID).SetBucket(bucket.Of(o.StoreID)).
		SetNillableAccountID(of.AccountID).SetProvider(of.Provider).SetPayment(money).SetAmountMinor(amount).
		SetCurrency(currency).SetState(state.PaymentRefundWaiting).SetDueAt(micros.Now())
}

// wakeReturns wakes the refund worker once the transaction commits.
func (r *Resolver) wakeReturns(ctx context.Context) { ent.OnCommit(ctx, r.Payments.Wake) }

// refundOnline queues a refund through the provider that took the payment. The ledger row is what
// staff see of it.
func (m Mutation) refundOnline(ctx context.Context, e *orderEdit, ledger xid.ID, amount int64) error {
	if amount == 0 {
		return nil
	}
	paid, err := m.paidSession(ctx, e.Order.Order)
	if err != nil || paid == nil {
		return err
	}
	if !payment.Payable(amount, e.Currency) {
		return fault.State(fault.InvalidTransition, "Stripe cannot refund this amount in "+e.Currency+
			". Choose a multiple that Stripe supports.")
	}
	e.back = m.returnRow(ctx, e.Order.Order, paid, *paid.Payment, amount, e.Currency).SetLedgerID(ledger)
	return nil
}

// paidSession returns the session in which an order was paid through its provider, nil if it was paid in
// another way or not at all.
func (r *Resolver) paidSession(ctx context.Context, o *db.Order) (*db.PaymentSession, error) {
	if o.PaymentMethod == nil || *o.PaymentMethod != state.PaymentStripe {
		return nil, nil
	}
	paid, err := r.Client(ctx).PaymentSession.Query().Where(paymentsession.OrderID(o.ID),
		paymentsession.StateEQ(state.PaymentSessionPaid)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the payment: %w", err)
	}
	if len(paid) == 0 || paid[0].Payment == nil {
		return nil, nil
	}
	return paid[0], nil
}

// ReturnMoney sends the due refunds to the providers and returns how many were accepted. It is safe
// to run in several processes, and a crash never causes a second refund.
func (r *Resolver) ReturnMoney(ctx context.Context) (total int, err error) {
	return r.Store.SumShards(ctx, r.returnDue)
}

// returnDue is [Resolver.ReturnMoney] on one shard.
func (r *Resolver) returnDue(ctx context.Context) (total int, err error) {
	now := micros.Now()
	for n := returnBatch; n == returnBatch; {
		q := r.Store.Seek(ctx).PaymentRefund.Query().
			Where(paymentrefund.BucketIn(bucket.All()...))
		q.Modify(lease.Due(returnBatch))
		rows, failed := q.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return total, errors.Join(err, fmt.Errorf("read the refunds: %w", failed))
		}
		n = len(rows)
		for _, row := range rows {
			done, failed := r.returnOne(viewer.Operator(ctx, row.StoreID), row, now)
			if failed != nil {
				return total, errors.Join(err, fmt.Errorf("refund the payment of %s: %w",
					xid.Order.Format(row.OrderID), failed))
			}
			if done {
				total++
			}
		}
	}
	return total, err
}

// returnOne claims a due refund, unless another process has it, and sends it. A refusal by the
// provider is no error: the refund is tried again, or staff are notified.
func (r *Resolver) returnOne(ctx context.Context, row *db.PaymentRefund, now micros.Time) (done bool, err error) {
	queue := lease.Queue{Store: r.Store, Table: paymentrefund.Table, Owner: paymentrefund.FieldStoreID,
		Tries: paymentrefund.FieldTries}
	mine, err := queue.Claim(ctx, row.StoreID, row.ID, row.Tries, min(returnPause<<min(row.Tries, 10), returnMost))
	if err != nil || !mine {
		return false, err
	}
	if row.State == state.PaymentRefundDone {
		return false, r.watchReturn(ctx, row, now)
	}
	reference, failed := r.requestRefund(ctx, row)
	refused, final := errors.AsType[*payment.RefusedError](failed)
	switch {
	case failed == nil:
		return true, r.returned(ctx, row, reference)
	case final && !refused.Key, now.Time().Sub(row.ID.Time().Time()) > returnEnd:
		text := "it did not answer"
		if final {
			text = refused.Text
		}
		return false, r.giveUp(ctx, row, text, state.PaymentRefundWaiting)
	}
	r.Logger.WarnContext(ctx, "a refund failed and is retried later", "order", xid.Order.Format(row.OrderID), "error",
		failed)
	if silent(failed) {
		return false, failed // each of the others would wait as long
	}
	return false, nil
}

// requestRefund asks the provider for a refund. No transaction is open meanwhile.
func (r *Resolver) requestRefund(ctx context.Context, row *db.PaymentRefund) (reference string, err error) {
	accounts, err := r.selling.Accounts(ctx, row.Provider)
	if err != nil {
		return "", err
	}
	err = accounts.Ask(row.AccountID, func(a *selling.Account) (err error) {
		reference, err = a.Refund(ctx, a.Secret, payment.Refund{Key: row.ID.String(), Payment: row.Payment,
			Again: row.Tries > 0, AmountMinor: row.AmountMinor, Currency: row.Currency})
		return err
	})
	return reference, err
}

// returned records that the money is on its way.
func (r *Resolver) returned(ctx context.Context, row *db.PaymentRefund, reference string) error {
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		return nil, r.Client(ctx).PaymentRefund.Update().
			Where(paymentrefund.ID(row.ID), paymentrefund.StateEQ(state.PaymentRefundWaiting)).
			SetState(state.PaymentRefundDone).SetReference(reference).
			SetDueAt(micros.Now().Add(watchTimes[0])).Exec(ctx)
	})
}

// giveUp marks a refund in one of the given states as failed and notifies staff, once.
func (r *Resolver) giveUp(
	ctx context.Context, row *db.PaymentRefund, text string, from ...state.PaymentRefundState,
) error {
	if runes := []rune(text); len(runes) > limit.Line {
		text = string(runes[:limit.Line])
	}
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		n, err := r.Client(ctx).PaymentRefund.Update().
			Where(paymentrefund.ID(row.ID), paymentrefund.StateIn(from...)).
			SetState(state.PaymentRefundFailed).SetFailure(text).ClearDueAt().Save(ctx)
		if err != nil || n == 0 {
			return nil, err
		}
		o, err := r.order(ctx, row.OrderID)
		if err != nil {
			return nil, err
		}
		counted := ""
		if row.LedgerID != nil {
			counted = "The order shows it as refunded. "
		}
		return nil, r.Notifier.Append(ctx, r.Store, notify.Notice{Level: state.NotificationCritical,
			Title: "Refund failed for order #" + strconv.FormatInt(o.Number, 10),
			Body: "Stripe did not refund " + phrase.In(state.English).Money(row.AmountMinor, row.Currency) +
				" of the payment " + row.Payment + ": " + text + "\n\n" + counted +
				"The shopper has not received the money, and the refund is not retried. Refund it in Stripe's " +
				"dashboard or in another way.",
			Kind: xid.Order, ID: o.ID})
	})
}
