package sales

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// HoldTime is how long the items of an order with online payment stay reserved for the payment.
	HoldTime = 30 * time.Minute
	// TransferTime is how long the items of an order with a bank transfer stay reserved. Its last
	// day counts in full.
	TransferTime = 14 * 24 * time.Hour
	// holdBatch bounds one round of [Resolver.EndHolds].
	holdBatch = 50
	// holdTries is how often a payment or the end of a hold is tried when the order changes
	// concurrently.
	holdTries = 5
	// postponed is the delay before a hold that could not be ended is tried again.
	postponed = time.Minute
	// unpaid is the reason, shown to staff, of a canceled order that was not paid in time.
	unpaid = "The payment did not arrive in time."
)

// hold reserves the items of an order that has to be paid before it is shipped. It returns when the
// reservation ends, nil for never.
func (m Mutation) hold(ctx context.Context, s *db.Store, o *db.Order) (*micros.Time, error) {
	due := micros.Now().Add(HoldTime)
	switch {
	case o.TotalMinor == 0:
		return nil, nil
	case *o.PaymentMethod == state.PaymentTransfer:
		zone, err := time.LoadLocation(s.Timezone)
		if err != nil {
			return nil, fmt.Errorf("time zone %s: %w", s.Timezone, err)
		}
		last := o.PlacedAt.Time().Add(TransferTime).In(zone)
		due = micros.Of(time.Date(last.Year(), last.Month(), last.Day()+1, 0, 0, 0, 0, zone))
	case !o.PaymentMethod.Online():
		return nil, nil
	}
	err := m.Client(ctx).PaymentHold.Create().SetID(o.ID).SetBucket(bucket.Of(viewer.From(ctx).Store)).
		SetDueAt(due).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("create the hold: %w", err)
	}
	return &due, nil
}

// DueAt returns when an order is canceled unless it is paid, nil if it will not be, for example for
// lack of a hold.
func DueAt(o *db.Order, hold *db.PaymentHold) *micros.Time {
	if hold == nil || o.Status != state.OrderOpen || o.FinancialStatus != state.FinancialPending ||
		o.FulfillmentStatus != state.FulfillmentUnfulfilled {
		return nil
	}
	return &hold.DueAt
}

// LastDay returns the last day, in the store's time zone, on which a payment due at due is in time.
func LastDay(due micros.Time, s *db.Store) (time.Time, error) {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return time.Time{}, fmt.Errorf("time zone %s: %w", s.Timezone, err)
	}
	return due.Time().Add(-time.Microsecond).In(zone), nil
}

// Online is an online payment.
type Online struct {
	Method      state.PaymentMethod
	Reference   string // the provider's
	AmountMinor int64
	Currency    string
	// Notice is the notice that the store's staff get about the order, which was not announced
	// before.
	Notice OrderNotice
}

// PayOnline marks an order as paid and reports whether it did. It does not if the items are no
// longer held or the amount is not the amount owed; the money then has to be refunded. However
// often and whenever it is called, an order is paid once, and never both paid and ended by
// [Resolver.EndHolds].
func (r *Resolver) PayOnline(ctx context.Context, id xid.ID, p Online) (taken bool, err error) {
	if p.Notice, err = r.NewOrderNotice(ctx); err != nil {
		return false, err
	}
	err = r.retryOnConflict(func() error {
		return r.Commit(ctx, xid.Order, func(ctx context.Context) (_ *change.Record, err error) {
			taken, err = r.takeOnline(ctx, id, p)
			return nil, err
		})
	})
	return taken && err == nil, err
}

// takeOnline is [Resolver.PayOnline] within its transaction. The transaction that deletes the hold
// decides. A wrong amount leaves the hold, so that the right one can still arrive.
func (r *Resolver) takeOnline(ctx context.Context, id xid.ID, p Online) (taken bool, err error) {
	o, err := r.order(ctx, id)
	if err != nil || owed(o) != p.AmountMinor || o.Currency != p.Currency {
		return false, err
	}
	n, err := r.Client(ctx).PaymentHold.Delete().Where(paymenthold.ID(id)).Exec(ctx)
	if err != nil || n == 0 || !Awaits(o) {
		return false, err
	}
	paid, err := r.Mutation().OrderMarkPaid(ctx, xid.Order.Format(id), o.Version, new(string(p.Method)), &p.Reference)
	if err != nil {
		return false, err
	}
	if o.CartID != nil && o.PaidMinor == 0 { // staff know the orders that they created
		if err := r.Mutation().announce(ctx, paid.Order, p.Notice); err != nil {
			return false, err
		}
	}
	return true, r.forgetCart(ctx, o)
}

// EndHolds cancels the orders that were not paid in time and returns how many. It is safe to run in
// several processes; what one leaves undone, another one or the next round does.
func (r *Resolver) EndHolds(ctx context.Context) (total int, err error) {
	return r.Store.SumShards(ctx, r.endDue)
}

// endDue is [Resolver.EndHolds] on one shard.
func (r *Resolver) endDue(ctx context.Context) (total int, err error) {
	now := micros.Now()
	for n := holdBatch; n == holdBatch && err == nil; {
		q := r.Store.Seek(ctx).PaymentHold.Query().
			Where(paymenthold.BucketIn(bucket.All()...), paymenthold.DueAtLTE(now))
		q.Modify(func(s *sql.Selector) { s.OrderBy(s.C(paymenthold.FieldDueAt)).Limit(holdBatch) })
		rows, failed := q.Load(viewer.Everywhere(ctx))
		if failed != nil {
			return total, fmt.Errorf("read the due holds: %w", failed)
		}
		n = len(rows)
		for _, row := range rows {
			cancelled, failed := r.endHold(ctx, row, now)
			if failed != nil { // the other holds must not wait for this one, in the next round either
				err = errors.Join(err, fmt.Errorf("end the hold of %s: %w", xid.Order.Format(row.ID), failed),
					r.postpone(ctx, row, now))
			} else if cancelled {
				total++
			}
		}
	}
	return total, err
}

// postpone moves a hold that could not be ended behind the others.
func (r *Resolver) postpone(ctx context.Context, row *db.PaymentHold, now micros.Time) error {
	ctx = viewer.Operator(ctx, row.StoreID)
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		return nil, r.Client(ctx).PaymentHold.Update().Where(paymenthold.ID(row.ID), paymenthold.DueAtLTE(now)).
			SetDueAt(now.Add(postponed)).Exec(ctx)
	})
}

// endHold ends one hold. It cancels the order, unless that was paid, canceled or shipped.
func (r *Resolver) endHold(ctx context.Context, row *db.PaymentHold, now micros.Time) (cancelled bool, err error) {
	ctx = viewer.Operator(ctx, row.StoreID)
	err = r.retryOnConflict(func() error {
		cancelled = false
		return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
			n, err := r.Client(ctx).PaymentHold.Delete().
				Where(paymenthold.ID(row.ID), paymenthold.DueAtLTE(now)).Exec(ctx)
			if err != nil || n == 0 {
				return nil, err
			}
			o, err := r.order(ctx, row.ID)
			if err != nil {
				return nil, err
			}
			if DueAt(o, row) == nil { // paid, canceled or shipped
				return nil, r.forgetCart(ctx, o)
			}
			cancelled = true
			_, err = r.Mutation().OrderCancel(ctx, xid.Order.Format(row.ID), o.Version, false, new(unpaid))
			return nil, err
		})
	})
	return cancelled && err == nil, err
}

// retryOnConflict runs f again while it fails because the order changed concurrently.
func (r *Resolver) retryOnConflict(f func() error) (err error) {
	for range holdTries {
		if err = f(); !fault.IsState(err, fault.VersionMismatch) {
			return err
		}
	}
	return err
}

// maxPaymentDays is the longest time that a customer has for a requested payment.
const maxPaymentDays = 90

// OrderRequestPayment lets the customer pay what is owed at the page of the order until the end of a day,
// and emails the link to that page. An order of which nothing was paid by then is canceled, like one that
// a shopper placed.
func (m Mutation) OrderRequestPayment(
	ctx context.Context, id string, expectedVersion int64, in model.PaymentRequestInput,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	c.Within("days", in.Days, 1, maxPaymentDays)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.request_payment",
		func(ctx context.Context, e *orderEdit) error {
			if err := m.mayRequest(ctx, e, in.Method); err != nil {
				return err
			}
			s, err := m.CurrentStore(ctx)
			if err != nil {
				return err
			}
			due, err := endOfDay(s, e.Now.Add(time.Duration(in.Days)*24*time.Hour))
			if err != nil {
				return err
			}
			if e.PaymentMethod == nil || *e.PaymentMethod != in.Method {
				e.Changed = append(e.Changed, "payment_method")
				e.Events = []outbox.Entry{{Type: event.OrderUpdated, Changed: e.Changed}}
			} else {
				e.Changed = append(e.Changed, "payment_due_at") // of the order here alone, so there is no event
			}
			e.payBy(s, in.Method)
			e.Then = inSequence(e.Then, func(ctx context.Context) error {
				return m.request(ctx, e, s, due, in.SendEmail)
			})
			return nil
		})
}

// mayRequest returns an error if the order's state or the store's settings forbid a payment request.
func (m Mutation) mayRequest(ctx context.Context, e *orderEdit, method state.PaymentMethod) error {
	switch {
	case e.Status != state.OrderOpen:
		return fault.State(fault.InvalidTransition, "The order is "+core.Words(e.Status)+" and cannot be paid.")
	case e.TotalMinor <= e.PaidMinor:
		return fault.State(fault.InvalidTransition, "The order is already paid in full.")
	case e.RefundedMinor > 0:
		return fault.State(fault.InvalidTransition,
			"The order is "+core.Words(e.FinancialStatus)+". Record its payments by hand.")
	case e.PaidMinor > 0 && !ent.Writes(ctx, ent.PartPayments):
		return fault.State(fault.InvalidTransition, "Requests for the rest of a payment are available once the "+
			"upgrade is finished (storefront migrate finalize).")
	}
	methods, err := m.selling.CartMethods(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(methods, func(o document.PaymentMethod) bool { return o.Kind == method }) {
		return fault.Invalid(fault.Field{Pointer: "#/method", Code: fault.UnknownValue,
			Detail: "The store does not offer this payment method."})
	}
	return nil
}

// payBy sets the payment method, and the language of an order that has none. ent has no setters for them,
// since the columns are immutable.
func (e *orderEdit) payBy(s *db.Store, method state.PaymentMethod) {
	e.PaymentMethod = &method
	if e.Language == nil {
		e.Language = &s.Language
	}
	e.Update.Modify(func(b *sql.UpdateBuilder) {
		b.Set(order.FieldPaymentMethod, string(method)).Set(order.FieldLanguage, string(*e.Language))
	})
}

// request holds the order's items until due, ends a payment of another amount or method, and emails the
// link.
func (m Mutation) request(ctx context.Context, e *orderEdit, s *db.Store, due micros.Time, email bool) error {
	if _, err := m.Client(ctx).PaymentHold.Delete().Where(paymenthold.ID(e.ID)).Exec(ctx); err != nil {
		return fmt.Errorf("end the former hold: %w", err)
	}
	err := m.Client(ctx).PaymentHold.Create().SetID(e.ID).SetBucket(bucket.Of(s.ID)).SetDueAt(due).Exec(ctx)
	if err != nil {
		return fmt.Errorf("create the hold: %w", err)
	}
	if err := m.pollSoon(ctx, e.Order); err != nil {
		return err
	}
	if !email || e.Email == nil || !m.Notifier.Sends() {
		return nil
	}
	return m.sendEmail(ctx, e.Order, state.EmailPlaced, mailDetails{due: &due})
}

// endOfDay returns the end of the day of a time, in the store's time zone.
func endOfDay(s *db.Store, t micros.Time) (micros.Time, error) {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return 0, fmt.Errorf("time zone %s: %w", s.Timezone, err)
	}
	last := t.Time().In(zone)
	return micros.Of(time.Date(last.Year(), last.Month(), last.Day()+1, 0, 0, 0, 0, zone)), nil
}

// PayURL returns the page at which the customer pays the order, nil if no payment is requested.
func (o OrderFields) PayURL(ctx context.Context, order *model.Order) (*string, error) {
	hold, err := order.Relations().Holds.Get(ctx, order.ID)
	if err != nil || hold == nil || !Awaits(order.Order) {
		return nil, core.Explain("payment hold", err)
	}
	s, err := o.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	return new(o.StoreOrigin(s.Handle) + link.OrderRoot + o.Links.OrderToken(order.StoreID, order.ID)), nil
}

// owed returns what is still to be paid of an order.
func owed(o *db.Order) int64 { return o.TotalMinor - o.PaidMinor }

// Awaits reports whether an order with a payment hold awaits a payment: of all of it, or of the rest.
func Awaits(o *db.Order) bool {
	return o.Status == state.OrderOpen && owed(o) > 0 &&
		(o.FinancialStatus == state.FinancialPending || o.FinancialStatus == state.FinancialPartiallyPaid)
}
