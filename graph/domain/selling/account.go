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
	// Secret is the key of the provider's interface, Signing what its events are signed
	// with.
	Secret, Signing string
	// Former says that another account took its place, or none.
	Former bool
}

// Accounts are those of a store with one provider: the present one first, if there is one,
// then former ones, the latest first. They are few.
type Accounts []*Account

// Present returns the account with which payments begin; nil for none.
func (a Accounts) Present() *Account {
	if len(a) == 0 || a[0].Former {
		return nil
	}
	return a[0]
}

// Of returns the account with which something was begun; nil is of the time when a store
// had one account at most. Where that one is forgotten it is the present one, and nil for
// none.
func (a Accounts) Of(id *xid.ID) *Account {
	for i, one := range slices.Backward(a) {
		if id == nil && i == len(a)-1 || id != nil && one.ID == *id {
			return one
		}
	}
	return a.Present()
}

// Ask lets an account do something: the one of the id and, where the provider refuses its
// key, the present one, which may be the same account with another key.
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

// accounts are the rows of a store's accounts in the order of [Accounts].
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

// account is the row of the present account; nil for none.
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

// HookPath is where Stripe sends the events of a store, behind {api_host}.
func HookPath(store xid.ID) string { return "/payments/stripe/" + xid.Store.Format(store) }

// accountView is the account as people see it.
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
