package selling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymentaccount"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/model"
)

// Account is a store's account with a payment provider.
type Account struct {
	payment.Provider
	ID xid.ID
	// Secret is the API key, Signing the key that signs the provider's events.
	Secret, Signing string
	// Former says that the account was replaced or removed.
	Former bool
}

// Accounts are a store's accounts with one provider: the present one first, if there is one, then
// former ones, latest first. They are few.
type Accounts []*Account

// Present returns the account that new payments use, or nil.
func (a Accounts) Present() *Account {
	if len(a) == 0 || a[0].Former {
		return nil
	}
	return a[0]
}

// Of returns the account that a payment or refund began with. A nil id dates from when a store had
// at most one account and means the oldest. If that account was deleted, Of returns the present
// one, or nil.
func (a Accounts) Of(id *xid.ID) *Account {
	for i, one := range slices.Backward(a) {
		if id == nil && i == len(a)-1 || id != nil && one.ID == *id {
			return one
		}
	}
	return a.Present()
}

// Ask calls f with the account of the id and, if the provider refuses its key, with the present
// account, which may be the same account with a new key.
func (a Accounts) Ask(id *xid.ID, f func(a *Account) error) error {
	own, present := a.Of(id), a.Present()
	if own == nil {
		return &payment.RefusedError{Text: "the store has no account with it any more"}
	}
	err := f(own)
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok && refused.Key && present != nil && present != own {
		again := f(present)
		if _, ok := errors.AsType[*payment.RefusedError](again); !ok {
			return again
		}
	}
	return err
}

// Accounts returns the accounts of the viewer's store with a provider.
func (r *Resolver) Accounts(ctx context.Context, provider state.PaymentMethod) (Accounts, error) {
	rows, err := r.accounts(ctx, provider)
	if err != nil {
		return nil, err
	}
	list := make(Accounts, len(rows))
	for i, row := range rows {
		list[i] = &Account{Provider: r.Payments.Stripe, ID: row.ID, Former: row.RetiredAt != 0}
		if list[i].Secret, err = r.Payments.Open(row.ID, row.Secret); err == nil {
			list[i].Signing, err = r.Payments.Open(row.ID, row.Signing)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// accounts reads the rows of a store's accounts in the order of [Accounts].
func (r *Resolver) accounts(ctx context.Context, provider state.PaymentMethod) ([]*db.PaymentAccount, error) {
	rows, err := r.Client(ctx).PaymentAccount.Query().Where(paymentaccount.ProviderEQ(provider)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the payment accounts: %w", err)
	}
	slices.SortFunc(rows, func(a, b *db.PaymentAccount) int {
		if (a.RetiredAt == 0) != (b.RetiredAt == 0) {
			return cmp.Compare(a.RetiredAt, b.RetiredAt)
		}
		return cmp.Compare(b.RetiredAt, a.RetiredAt)
	})
	return rows, nil
}

// account reads the row of the present account, or nil.
func (r *Resolver) account(ctx context.Context, provider state.PaymentMethod) (*db.PaymentAccount, error) {
	rows, err := r.Client(ctx).PaymentAccount.Query().
		Where(paymentaccount.ProviderEQ(provider), paymentaccount.RetiredAt(0)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the payment account: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows[0], nil
}

// HookPath is the path below {api_host} to which Stripe sends a store's events.
func HookPath(store xid.ID) string { return "/payments/stripe/" + xid.Store.Format(store) }

// accountView returns the account as staff see it.
func (r *Resolver) accountView(ctx context.Context) (*model.PaymentAccount, error) {
	row, err := r.account(ctx, state.PaymentStripe)
	if err != nil {
		return nil, err
	}
	v := &model.PaymentAccount{WebhookURL: r.APIHost + HookPath(viewer.From(ctx).Store),
		WebhookEvents: payment.StripeEvents()}
	if row != nil {
		v.Connected, v.Live, v.UpdatedAt = true, &row.Live, &row.UpdatedAt
		if role := viewer.From(ctx).Role; role != viewer.Developer && role != viewer.Support {
			v.SecretHint, v.SigningHint = &row.SecretHint, &row.SigningHint
		}
	}
	return v, nil
}
