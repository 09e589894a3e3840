package sales

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/db/paymentsession"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// pollBatch bounds one round of [Resolver.SettlePayments].
	pollBatch = 50
	// pollLater is how often an old session is polled, and pollEnd when polling stops.
	pollLater = time.Hour
	pollEnd   = 14 * 24 * time.Hour
	// pollRefused is after how many polls staff are notified that the keys are refused. The session
	// has ended by then.
	pollRefused = 10
)

// pollPauses are the times between polls of a session. The last one repeats until the session is
// long over.
var pollPauses = []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute}

// pollPause is how long a session waits after its next poll.
func pollPause(row *db.PaymentSession, now micros.Time) time.Duration {
	if now.Time().Sub(row.ID.Time().Time()) > 2*sessionTime {
		return pollLater
	}
	return pollPauses[min(row.Tries+1, len(pollPauses)-1)]
}

// SettlePayment asks the provider about the open session of an order, if there is one, and acts on
// the answer.
func (r *Resolver) SettlePayment(ctx context.Context, o *db.Order) error {
	ctx = viewer.Operator(ctx, o.StoreID)
	return r.settleWhere(ctx, paymentsession.OrderID(o.ID), paymentsession.StateEQ(state.PaymentSessionOpen))
}

// SettleReference is [Resolver.SettlePayment] for a session that a store's provider reported. It
// ignores sessions of other stores.
func (r *Resolver) SettleReference(ctx context.Context, store xid.ID, reference string) error {
	return r.settleWhere(viewer.Operator(ctx, store), paymentsession.Reference(reference))
}

// SettlePayments polls the due sessions and returns how many. It is safe to run in several
// processes; what one leaves undone, the next round does.
func (r *Resolver) SettlePayments(ctx context.Context) (total int, err error) {
	return r.Store.SumShards(ctx, r.settleDue)
}

// settleDue is [Resolver.SettlePayments] on one shard.
func (r *Resolver) settleDue(ctx context.Context) (total int, err error) {
	now := micros.Now()
	for n := pollBatch; n == pollBatch; {
		q := r.Store.Seek(ctx).PaymentSession.Query().
			Where(paymentsession.BucketIn(bucket.All()...))
		q.Modify(lease.Due(pollBatch))
		rows, failed := q.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return total, errors.Join(err, fmt.Errorf("read the due payment sessions: %w", failed))
		}
		n = len(rows)
		for _, row := range rows {
			mine, failed := r.poll(viewer.Operator(ctx, row.StoreID), row, now)
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("poll the payment of %s: %w", xid.Order.Format(row.OrderID),
					failed))
			}
			if failed != nil && (!mine || silent(failed)) {
				return total, err // the same rows would come again, or each would wait as long
			}
			if mine {
				total++
			}
		}
	}
	return total, err
}

// silent reports whether a provider did not answer at all.
func silent(err error) bool {
	_, ok := errors.AsType[net.Error](err)
	return ok
}

// poll claims a due session, unless another process has it, and settles it.
func (r *Resolver) poll(ctx context.Context, row *db.PaymentSession, now micros.Time) (mine bool, err error) {
	queue := lease.Queue{Store: r.Store, Table: paymentsession.Table, Owner: paymentsession.FieldStoreID,
		Tries: paymentsession.FieldTries}
	mine, err = queue.Claim(ctx, row.StoreID, row.ID, row.Tries, pollPause(row, now))
	if err != nil || !mine {
		return false, err
	}
	if now.Time().Sub(row.ID.Time().Time()) > pollEnd {
		return true, r.closeUnknown(ctx, row)
	}
	err = r.settle(ctx, row)
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok && refused.Key && row.Tries == pollRefused {
		err = errors.Join(err, r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
			return nil, r.notifyUnknown(ctx, row, "Set a key of that account, and we will check again.")
		}))
	}
	return true, err
}

// closeUnknown gives up a session if the provider has not said for weeks whether it was paid.
func (r *Resolver) closeUnknown(ctx context.Context, row *db.PaymentSession) error {
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		if mine, err := r.moveSession(ctx, row, state.PaymentSessionClosed, ""); err != nil || !mine ||
			row.Reference == nil {
			return nil, err
		}
		return nil, r.notifyUnknown(ctx, row, "We will not check again.")
	})
}

// notifyUnknown notifies staff of a payment that may have been made unnoticed.
func (r *Resolver) notifyUnknown(ctx context.Context, row *db.PaymentSession, next string) error {
	o, err := r.order(ctx, row.OrderID)
	if err != nil {
		return err
	}
	return r.Notifier.Append(ctx, r.Store, notify.Notice{Level: state.NotificationCritical,
		Title: "Payment status of order #" + strconv.FormatInt(o.Number, 10) + " is unknown",
		Body: "Stripe did not report the result of payment " + *row.Reference + ". " + next + " Check the dashboard " +
			"of the Stripe account that you used when the order was placed. If it was paid, refund it there.",
		Kind: xid.Order, ID: o.ID})
}

// settleWhere settles the viewer's open sessions that meet some conditions.
func (r *Resolver) settleWhere(ctx context.Context, where ...func(*sql.Selector)) error {
	q := r.Client(ctx).PaymentSession.Query()
	for _, w := range where {
		q.Where(w)
	}
	rows, err := q.Load(ctx)
	if err != nil {
		return fmt.Errorf("find the payment: %w", err)
	}
	for _, row := range rows {
		if row.State != state.PaymentSessionOpen {
			continue
		}
		if err := r.settle(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// settle asks the provider about a session. No transaction is open meanwhile.
func (r *Resolver) settle(ctx context.Context, row *db.PaymentSession) error {
	if row.Reference == nil {
		if micros.Now().Time().Sub(row.ID.Time().Time()) < pollPauses[0] {
			return nil // it is being begun
		}
		return r.dropSession(ctx, row)
	}
	accounts, err := r.selling.Accounts(ctx, row.Provider)
	if err != nil {
		return err
	}
	account, s, err := fetchSession(ctx, accounts, row)
	if err != nil {
		return err
	}
	return r.settled(ctx, account, row, s)
}

// settled acts on the provider's state of a session.
func (r *Resolver) settled(
	ctx context.Context, account *selling.Account, row *db.PaymentSession, s payment.Session,
) error {
	if s.Status == payment.Open {
		waits, err := r.awaitsPayment(ctx, row)
		if err != nil || waits {
			return err
		}
		if s, err = account.Expire(ctx, account.Secret, s.Reference); err != nil {
			return providerError(err)
		}
	}
	switch s.Status {
	case payment.Paid:
		return r.book(ctx, row, s)
	case payment.Ended:
		return r.closeSession(ctx, row)
	}
	return nil // the payment is on its way
}

// awaitsPayment reports whether an order awaits the payment of a session.
func (r *Resolver) awaitsPayment(ctx context.Context, row *db.PaymentSession) (bool, error) {
	held, err := r.Client(ctx).PaymentHold.Query().Where(paymenthold.ID(row.OrderID)).Load(ctx)
	if err != nil || len(held) == 0 {
		return false, err
	}
	o, err := r.order(ctx, row.OrderID)
	return err == nil && Awaits(o) && owed(o) == row.AmountMinor && o.PaymentMethod != nil &&
		*o.PaymentMethod == row.Provider, err
}

// closeSession closes a session that brought no money.
func (r *Resolver) closeSession(ctx context.Context, row *db.PaymentSession) error {
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		_, err := r.moveSession(ctx, row, state.PaymentSessionClosed, "")
		return nil, err
	})
}

// moveSession moves an open session to another state. It returns false if the session is no longer
// open.
func (r *Resolver) moveSession(
	ctx context.Context, row *db.PaymentSession, to state.PaymentSessionState, money string,
) (bool, error) {
	u := r.Client(ctx).PaymentSession.Update().
		Where(paymentsession.ID(row.ID), paymentsession.StateEQ(state.PaymentSessionOpen)).SetState(to).ClearDueAt()
	if money != "" {
		u.SetPayment(money)
	}
	n, err := u.Save(ctx)
	return n > 0, err
}

// book books received money once: the order takes it, or it is refunded.
func (r *Resolver) book(ctx context.Context, row *db.PaymentSession, s payment.Session) error {
	notice, err := r.NewOrderNotice(ctx)
	if err != nil {
		return err
	}
	return r.retryOnConflict(func() error {
		return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
			if mine, err := r.moveSession(ctx, row, state.PaymentSessionPaid, s.Payment); err != nil || !mine {
				return nil, err
			}
			taken, err := r.takeOnline(ctx, row.OrderID, Online{Method: row.Provider, Reference: s.Payment,
				AmountMinor: s.AmountMinor, Currency: s.Currency, Notice: notice})
			if err != nil || taken {
				return nil, err
			}
			return nil, r.sendBack(ctx, row, s)
		})
	})
}

// sendBack closes a session whose money the order does not take, queues the refund and notifies
// staff.
func (r *Resolver) sendBack(ctx context.Context, row *db.PaymentSession, s payment.Session) error {
	err := r.Client(ctx).PaymentSession.Update().Where(paymentsession.ID(row.ID)).
		SetState(state.PaymentSessionClosed).Exec(ctx)
	if err != nil {
		return fmt.Errorf("close the payment: %w", err)
	}
	o, err := r.order(ctx, row.OrderID)
	if err != nil {
		return err
	}
	back := r.returnRow(ctx, o, row, s.Payment, s.AmountMinor, s.Currency)
	if err := back.Exec(ctx); err != nil {
		return fmt.Errorf("write the refund: %w", err)
	}
	r.wakeReturns(ctx)
	return r.Notifier.Append(ctx, r.Store, notify.Notice{Level: state.NotificationWarning,
		Title: "A payment of order #" + strconv.FormatInt(o.Number, 10) + " is being refunded",
		Body: "Stripe received " + phrase.In(state.English).Money(s.AmountMinor, s.Currency) +
			" for an order that is " + core.Words(o.Status) + " and " + core.Words(o.FinancialStatus) +
			" and cannot be paid. The shopper is refunded automatically.",
		Kind: xid.Order, ID: o.ID})
}

// pollSoon makes the open session of an order due now, since the order no longer awaits a payment.
func (m Mutation) pollSoon(ctx context.Context, o *model.Order) error {
	if o.PaymentMethod == nil || *o.PaymentMethod != state.PaymentStripe {
		return nil
	}
	err := m.Client(ctx).PaymentSession.Update().
		Where(paymentsession.OrderID(o.ID), paymentsession.StateEQ(state.PaymentSessionOpen)).
		SetDueAt(micros.Now()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("end the payment: %w", err)
	}
	return nil
}
