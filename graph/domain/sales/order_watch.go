package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymentrefund"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/payment"
)

// watchTimes are when a refund that is on its way is polled, counted from the decision: a bank may
// refuse the money for weeks, and the provider's event may get lost.
var watchTimes = []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// watchReturn polls a refund that is on its way. If no account can be asked about it any more, it
// stays due until the last of watchTimes.
func (r *Resolver) watchReturn(ctx context.Context, row *db.PaymentRefund, now micros.Time) error {
	accounts, err := r.selling.Accounts(ctx, row.Provider)
	if err != nil {
		return err
	}
	age := now.Time().Sub(row.ID.Time().Time())
	failure, failed := "", errors.New("it has no reference")
	if row.Reference != nil {
		failure, failed = outcome(ctx, accounts, row)
	}
	switch {
	case failed == nil && failure != "":
		return r.giveUp(ctx, row, failure, state.PaymentRefundDone)
	case failed != nil && age < watchTimes[len(watchTimes)-1]:
		r.Logger.WarnContext(ctx, "a refund cannot be polled", "order", xid.Order.Format(row.OrderID),
			"error", failed)
		if silent(failed) {
			return failed // each of the others would wait as long
		}
		return nil // it is polled again within the hour
	}
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		u := r.Client(ctx).PaymentRefund.Update().
			Where(paymentrefund.ID(row.ID), paymentrefund.StateEQ(state.PaymentRefundDone)).ClearDueAt()
		for _, t := range watchTimes {
			if t > age {
				u.SetDueAt(row.ID.Time().Add(t))
				break
			}
		}
		return nil, u.Exec(ctx)
	})
}

// outcome returns why the money of a refund did not reach the shopper, "" as long as it may.
func outcome(ctx context.Context, accounts selling.Accounts, row *db.PaymentRefund) (failure string, err error) {
	err = accounts.Ask(row.AccountID, func(a *selling.Account) error {
		o, err := a.Refunded(ctx, a.Secret, *row.Reference)
		failure = o.Failure
		return err
	})
	return failure, err
}

// SettleRefund asks a provider about a refund that a store's account reported, and records a
// failure. It ignores refunds of other stores.
//
// After a failure the store has the money again and still owes it to the shopper. The order keeps
// counting it as refunded, because that is what staff decided and what events and the shopper were
// sent. Staff get a notice to refund it in another way.
func (r *Resolver) SettleRefund(ctx context.Context, store xid.ID, account *selling.Account, reference string) error {
	ctx = viewer.Operator(ctx, store)
	accounts, err := r.selling.Accounts(ctx, state.PaymentStripe)
	if err != nil {
		return err
	}
	var now payment.Outcome
	err = accounts.Ask(&account.ID, func(a *selling.Account) (err error) {
		now, err = a.Refunded(ctx, a.Secret, reference)
		return err
	})
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok && !refused.Key {
		return nil // the account has no such refund
	}
	if err != nil {
		return providerError(err)
	}
	id, malformed := xid.Parse(now.Key)
	if malformed != nil || now.Failure == "" {
		return nil //nolint:nilerr // created in Stripe's own dashboard, or not failed
	}
	rows, err := r.Client(ctx).PaymentRefund.Query().
		Where(paymentrefund.ID(id), paymentrefund.Payment(now.Payment)).Load(ctx)
	if err != nil {
		return fmt.Errorf("find the refund: %w", err)
	}
	if len(rows) == 0 {
		return nil // it was not created here
	}
	return r.giveUp(ctx, rows[0], now.Failure, state.PaymentRefundWaiting, state.PaymentRefundDone)
}
