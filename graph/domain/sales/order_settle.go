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
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// lookBatch keeps a round of [Resolver.SettlePayments] short.
	lookBatch = 50
	// lookLater is how often an old session is looked at, and lookEnd when no more.
	lookLater = time.Hour
	lookEnd   = 14 * 24 * time.Hour
	// lookRefused is after how many looks people are told that the keys are refused: the
	// session has ended by then.
	lookRefused = 10
)

// lookPauses are the times between looks at a session; the last one again and again, until
// it is over for long.
var lookPauses = []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute}

// lookPause is how long a session waits after one more look.
func lookPause(row *db.PaymentSession, now micros.Time) time.Duration {
	if now.Time().Sub(row.ID.Time().Time()) > 2*sessionTime {
		return lookLater
	}
	return lookPauses[min(row.Tries+1, len(lookPauses)-1)]
}

// SettlePayment asks the provider about the open session of an order, if there is one, and
// does what follows from the answer.
func (r *Resolver) SettlePayment(ctx context.Context, o *db.Order) error {
	ctx = viewer.Operator(ctx, o.StoreID)
	return r.settleWhere(ctx, paymentsession.OrderID(o.ID), paymentsession.StateEQ(state.PaymentSessionOpen))
}

// SettleReference is [Resolver.SettlePayment] for a session that the provider of a store
// has told of. One that is not the store's is passed over.
func (r *Resolver) SettleReference(ctx context.Context, store xid.ID, reference string) error {
	return r.settleWhere(viewer.Operator(ctx, store), paymentsession.Reference(reference))
}

// SettlePayments asks about the sessions whose time has come, and returns how many. Any
// number of processes may do so at once, and whatever stops one, the next round goes on.
func (r *Resolver) SettlePayments(ctx context.Context) (total int, err error) {
	return r.Store.SumShards(ctx, r.settleDue)
}

// settleDue is [Resolver.SettlePayments] on one shard.
func (r *Resolver) settleDue(ctx context.Context) (total int, err error) {
	now := micros.Now()
	for n := lookBatch; n == lookBatch; {
		q := r.Store.Seek(ctx).PaymentSession.Query().
			Where(paymentsession.BucketIn(bucket.All()...), paymentsession.DueAtLTE(now))
		q.Modify(func(s *sql.Selector) { s.OrderBy(s.C(paymentsession.FieldDueAt)).Limit(lookBatch) })
		rows, failed := q.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return total, errors.Join(err, fmt.Errorf("read the payments under way: %w", failed))
		}
		n = len(rows)
		for _, row := range rows {
			mine, failed := r.look(viewer.Operator(ctx, row.StoreID), row, now)
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("look at the payment of %s: %w", xid.Order.Format(row.OrderID),
					failed))
			}
			if failed != nil && (!mine || silent(failed)) {
				return total, err // the same rows would come again, or each would wait for as long
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

// look takes a session whose time has come, if nobody else does, and settles it.
func (r *Resolver) look(ctx context.Context, row *db.PaymentSession, now micros.Time) (mine bool, err error) {
	err = r.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
		n, err := r.Client(ctx).PaymentSession.Update().
			Where(paymentsession.ID(row.ID), paymentsession.Tries(row.Tries), paymentsession.DueAtLTE(now)).
			AddTries(1).SetDueAt(now.Add(lookPause(row, now))).Save(ctx)
		mine = n > 0
		return nil, err
	})
	if err != nil || !mine {
		return false, err
	}
	if now.Time().Sub(row.ID.Time().Time()) > lookEnd {
		return true, r.closeUnknown(ctx, row)
	}
	err = r.settle(ctx, row)
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok && refused.Key && row.Tries == lookRefused {
		err = errors.Join(err, r.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
			return nil, r.tellUnknown(ctx, row, "It is asked again, and knows more keys once you set one of that account.")
		}))
	}
	return true, err
}

// closeUnknown gives up a session of which the provider did not say for weeks whether it
// was paid.
func (r *Resolver) closeUnknown(ctx context.Context, row *db.PaymentSession) error {
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
		if mine, err := r.leave(ctx, row, state.PaymentSessionClosed, ""); err != nil || !mine || row.Reference == nil {
			return nil, err
		}
		return nil, r.tellUnknown(ctx, row, "It is not asked again.")
	})
}

// tellUnknown tells the store's people of a payment that may have been made unseen.
func (r *Resolver) tellUnknown(ctx context.Context, row *db.PaymentSession, next string) error {
	o, err := r.order(ctx, row.OrderID)
	if err != nil {
		return err
	}
	return r.Notifier.Append(ctx, r.Store, notify.Notice{Level: state.NotificationCritical,
		Title: "It is not known whether order #" + strconv.FormatInt(o.Number, 10) + " was paid",
		Body: "Stripe does not say what became of the payment " + *row.Reference + ". " + next + " Look in the dashboard " +
			"of the Stripe account that you used when the order was placed: what was paid there is yours to give back.",
		Kind: xid.Order, ID: o.ID})
}

// settleWhere settles the session of the viewer's store that meets some conditions.
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
		if micros.Now().Time().Sub(row.ID.Time().Time()) < lookPauses[0] {
			return nil // it is being begun
		}
		return r.dropSession(ctx, row)
	}
	accounts, err := selling.New(r.Core).Accounts(ctx, row.Provider)
	if err != nil {
		return err
	}
	account, s, err := lookAt(ctx, accounts, row)
	if err != nil {
		return err
	}
	return r.settled(ctx, account, row, s)
}

// settled does what follows from a session as the provider has it.
func (r *Resolver) settled(
	ctx context.Context, account *selling.Account, row *db.PaymentSession, s payment.Session,
) error {
	if s.Status == payment.Open {
		waits, err := r.waits(ctx, row.OrderID)
		if err != nil || waits {
			return err
		}
		if s, err = account.Expire(ctx, account.Secret, s.Reference); err != nil {
			return unanswered(err)
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

// waits reports whether an order waits for its payment.
func (r *Resolver) waits(ctx context.Context, id xid.ID) (bool, error) {
	held, err := r.Client(ctx).PaymentHold.Query().Where(paymenthold.ID(id)).Load(ctx)
	if err != nil || len(held) == 0 {
		return false, err
	}
	o, err := r.order(ctx, id)
	return err == nil && o.Status == state.OrderOpen && o.FinancialStatus == state.FinancialPending, err
}

// closeSession ends a session that brought no money.
func (r *Resolver) closeSession(ctx context.Context, row *db.PaymentSession) error {
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
		_, err := r.leave(ctx, row, state.PaymentSessionClosed, "")
		return nil, err
	})
}

// leave moves a session that is open; false where somebody else did.
func (r *Resolver) leave(
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

// book decides what becomes of money that has come, once: it is the order's, or goes back.
func (r *Resolver) book(ctx context.Context, row *db.PaymentSession, s payment.Session) error {
	news, err := r.Announces(ctx)
	if err != nil {
		return err
	}
	return r.untilCurrent(func() error {
		return r.Commit(ctx, xid.Order, func(ctx context.Context) (*core.Record, error) {
			if mine, err := r.leave(ctx, row, state.PaymentSessionPaid, s.Payment); err != nil || !mine {
				return nil, err
			}
			taken, err := r.takeOnline(ctx, row.OrderID, Online{Method: row.Provider, Reference: s.Payment,
				AmountMinor: s.AmountMinor, Currency: s.Currency, News: news})
			if err != nil || taken {
				return nil, err
			}
			return nil, r.sendBack(ctx, row, s)
		})
	})
}

// sendBack closes a session whose money the order does not take, lets the money go back and
// tells the store's people.
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
		Title: "A payment of order #" + strconv.FormatInt(o.Number, 10) + " goes back",
		Body: "Through Stripe came " + phrase.In(state.English).Money(s.AmountMinor, s.Currency) +
			" for an order that is " + core.Words(o.Status) + " and " + core.Words(o.FinancialStatus) +
			": it takes no such payment. The money goes back to the shopper by itself.",
		Kind: xid.Order, ID: o.ID})
}

// lookSoon lets the open session of an order be looked at in the next round, since the order
// waits for no payment any more.
func (m Mutation) lookSoon(ctx context.Context, o *model.Order) error {
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
