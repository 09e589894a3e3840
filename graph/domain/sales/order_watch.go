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
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/payment"
)

// watchTimes are how long after it was decided a refund that is on its way is looked at: a
// bank may refuse the money for weeks, and the event that tells of it may get lost.
var watchTimes = []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// watchReturn looks at a refund that is on its way. One about which nobody can be asked any
// more is looked at until the last time is over.
func (r *Resolver) watchReturn(ctx context.Context, row *db.PaymentRefund, now micros.Time) error {
	accounts, err := selling.New(r.Core).Accounts(ctx, row.Provider)
	if err != nil {
		return err
	}
	age := now.Time().Sub(row.ID.Time().Time())
	failure, failed := "", errors.New("it has no name")
	if row.Reference != nil {
		failure, failed = outcome(ctx, accounts, row)
	}
	switch {
	case failed == nil && failure != "":
		return r.giveUp(ctx, row, failure, state.PaymentRefundDone)
	case failed != nil && age < watchTimes[len(watchTimes)-1]:
		r.Logger.WarnContext(ctx, "a refund cannot be looked at", "order", xid.Order.Format(row.OrderID),
			"error", failed)
		if silent(failed) {
			return failed // the others would wait for as long
		}
		return nil // it is looked at again within the hour
	}
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
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

// outcome is why the money of a refund did not reach the shopper, "" as long as it may.
func outcome(ctx context.Context, accounts selling.Accounts, row *db.PaymentRefund) (failure string, err error) {
	err = accounts.Ask(row.AccountID, func(a *selling.Account) error {
		o, err := a.Refunded(ctx, a.Secret, *row.Reference)
		failure = o.Failure
		return err
	})
	return failure, err
}

// SettleRefund asks a provider about a refund that an account of a store has told of, and
// notes it if it failed. One that is not the store's is passed over.
//
// The money is the store's again then, and the shopper is still to get it: the order counts
// it as given back as before, for that is what the people of the store decided and what
// events and the shopper were told, and they get a notice to do it in another way.
func (r *Resolver) SettleRefund(ctx context.Context, store xid.ID, account *selling.Account, reference string) error {
	ctx = viewer.Operator(ctx, store)
	accounts, err := selling.New(r.Core).Accounts(ctx, state.PaymentStripe)
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
		return unanswered(err)
	}
	id, malformed := xid.Parse(now.Key)
	if malformed != nil || now.Failure == "" {
		return nil //nolint:nilerr // somebody made it in Stripe's own dashboard, or it did not fail
	}
	rows, err := r.Client(ctx).PaymentRefund.Query().
		Where(paymentrefund.ID(id), paymentrefund.Payment(now.Payment)).Load(ctx)
	if err != nil {
		return fmt.Errorf("find the refund: %w", err)
	}
	if len(rows) == 0 {
		return nil // it was made elsewhere
	}
	return r.giveUp(ctx, rows[0], now.Failure, state.PaymentRefundWaiting, state.PaymentRefundDone)
}
