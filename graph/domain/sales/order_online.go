package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/db/paymentsession"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/payment"
)

const (
	// sessionTime is when a session ends by itself. The provider requires at least 30 minutes, so a
	// session that begins at the end of the hold still gets them.
	sessionTime = HoldTime + 35*time.Minute
	// beginTries is how many sessions are tried while the previous one has already ended.
	beginTries = 3
)

// BeginPayment returns the address at which the shopper pays an order, or "" for an order that does
// not await a payment. While a session is open, every call leads to it. The provider sends the
// shopper back to the page back.
func (r *Resolver) BeginPayment(ctx context.Context, o *db.Order, title, back string) (address string, err error) {
	ctx = viewer.Operator(ctx, o.StoreID)
	accounts, err := r.selling.Accounts(ctx, state.PaymentStripe)
	if err != nil {
		return "", err
	}
	for range beginTries {
		row, err := r.openSession(ctx, o, accounts.Present())
		if err != nil || row == nil {
			return "", err
		}
		account, s, err := r.beginSession(ctx, accounts, row, payment.Purchase{Order: xid.Order.Format(o.ID),
			Title: title, Language: languageOf(o), Return: back})
		if err != nil {
			return "", err
		}
		if s.Status == payment.Open {
			if row.AmountMinor == owed(o) && (!account.Former || accounts.Present() == nil) {
				return s.URL, nil
			}
			// The store has changed its account, or the order: once this session is closed, the next
			// one begins with what is true now.
			if s, err = account.Expire(ctx, account.Secret, s.Reference); err != nil {
				return "", providerError(err)
			}
		}
		if err := r.settled(ctx, account, row, s); err != nil {
			return "", err
		}
	}
	return "", nil
}

// languageOf returns the language of the checkout.
func languageOf(o *db.Order) state.Language {
	if o.Language == nil {
		return state.English
	}
	return *o.Language
}

// openSession returns the open session of an order whose items are held, and creates one at the
// account if there is none. It returns nil for an order that does not await a payment.
func (r *Resolver) openSession(
	ctx context.Context, o *db.Order, account *selling.Account,
) (row *db.PaymentSession, err error) {
	for range beginTries {
		err = r.Commit(ctx, xid.Order, func(ctx context.Context) (_ *change.Record, err error) {
			row, err = r.sessionOf(ctx, o, account)
			return nil, err
		})
		if !ent.IsDuplicate(err) { // otherwise a concurrent call creates it
			break
		}
	}
	return row, core.Explain("payment", err)
}

// sessionOf is [Resolver.openSession] within its transaction.
func (r *Resolver) sessionOf(
	ctx context.Context, o *db.Order, account *selling.Account,
) (*db.PaymentSession, error) {
	held, err := r.Client(ctx).PaymentHold.Query().Where(paymenthold.ID(o.ID)).Load(ctx)
	if err != nil || len(held) == 0 || o.PaymentMethod == nil || *o.PaymentMethod != state.PaymentStripe {
		return nil, err
	}
	rows, err := r.Client(ctx).PaymentSession.Query().Where(paymentsession.OrderID(o.ID)).
		Order(paymentsession.ByAttempt(sql.OrderDesc())).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the payments: %w", err)
	}
	attempt := 1
	if len(rows) > 0 {
		if rows[0].State == state.PaymentSessionOpen {
			return rows[0], nil
		}
		attempt = rows[0].Attempt + 1
	}
	if account == nil {
		return nil, unavailable(errors.New("the store has no payment account"))
	}
	return r.Client(ctx).PaymentSession.Create().SetOrderID(o.ID).SetAttempt(attempt).SetAccountID(account.ID).
		SetBucket(bucket.Of(o.StoreID)).SetProvider(*o.PaymentMethod).SetAmountMinor(owed(o)).
		SetCurrency(o.Currency).SetState(state.PaymentSessionOpen).SetDueAt(micros.Now().Add(pollPauses[0])).Save(ctx)
}

// beginSession asks the provider to begin a new session, or for the state of one that has begun. It
// returns the account that knows the session. A session that could not be begun is closed, since no
// shopper was sent to it.
func (r *Resolver) beginSession(
	ctx context.Context, accounts selling.Accounts, row *db.PaymentSession, p payment.Purchase,
) (*selling.Account, payment.Session, error) {
	if row.Reference != nil {
		return fetchSession(ctx, accounts, row)
	}
	account := accounts.Of(row.AccountID)
	if account == nil {
		return nil, payment.Session{}, unavailable(errors.New("the store has no payment account"))
	}
	p.Key, p.AmountMinor, p.Currency, p.Ends = row.ID.String(), row.AmountMinor, row.Currency,
		row.ID.Time().Add(sessionTime).Time()
	s, failed := account.Begin(ctx, account.Secret, p)
	if failed != nil {
		return account, s, errors.Join(providerError(failed), r.dropSession(context.WithoutCancel(ctx), row))
	}
	return account, s, r.saveReference(ctx, row, s.Reference)
}

// fetchSession returns the current state of a session, and the account that knows it.
func fetchSession(
	ctx context.Context, accounts selling.Accounts, row *db.PaymentSession,
) (account *selling.Account, s payment.Session, err error) {
	err = accounts.Ask(row.AccountID, func(a *selling.Account) (err error) {
		account = a
		s, err = a.Look(ctx, a.Secret, *row.Reference)
		return err
	})
	return account, s, providerError(err)
}

// saveReference writes the reference of a session that was begun. It fails if the row was closed or
// has another reference by now.
func (r *Resolver) saveReference(ctx context.Context, row *db.PaymentSession, reference string) error {
	row.Reference = &reference
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		n, err := r.Client(ctx).PaymentSession.Update().Where(paymentsession.ID(row.ID),
			paymentsession.StateEQ(state.PaymentSessionOpen), paymentsession.ReferenceIsNil()).
			SetReference(reference).Save(ctx)
		if err != nil || n > 0 {
			return nil, err
		}
		same, err := r.Client(ctx).PaymentSession.Query().Where(paymentsession.ID(row.ID),
			paymentsession.Reference(reference)).Load(ctx)
		if err == nil && len(same) == 0 {
			err = unavailable(errors.New("the session was closed meanwhile"))
		}
		return nil, err
	})
}

// dropSession closes a session that was never begun.
func (r *Resolver) dropSession(ctx context.Context, row *db.PaymentSession) error {
	return r.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		return nil, r.Client(ctx).PaymentSession.Update().Where(paymentsession.ID(row.ID),
			paymentsession.StateEQ(state.PaymentSessionOpen), paymentsession.ReferenceIsNil()).
			SetState(state.PaymentSessionClosed).ClearDueAt().Exec(ctx)
	})
}

// providerError wraps the error of a provider that refuses or does not answer; nil stays nil.
func providerError(err error) error {
	if err == nil {
		return nil
	}
	return unavailable(err)
}

// unavailable returns the error for a store that cannot take online payments at the moment.
func unavailable(cause error) error {
	return &fault.Error{Kind: fault.Unavailable, Detail: "The payment is temporarily unavailable.",
		RetryAfter: pollPauses[0] / 2, Err: cause}
}
