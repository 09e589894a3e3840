package selling

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymentaccount"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/payment"
)

// Account is a store's account with a payment provider.
type Account struct {
	payment.Provider
	// Secret is the key of the provider's interface, Signing what its events are signed
	// with.
	Secret, Signing string
}

// Account returns the account of the viewer's store; nil for none.
func (r *Resolver) Account(ctx context.Context, provider state.PaymentMethod) (*Account, error) {
	row, err := r.account(ctx, provider)
	if err != nil || row == nil {
		return nil, err
	}
	a := &Account{Provider: r.Payments.Stripe}
	if a.Secret, err = r.Payments.Open(row.ID, row.Secret); err == nil {
		a.Signing, err = r.Payments.Open(row.ID, row.Signing)
	}
	return a, err
}

// account is the row of an account; nil for none.
func (r *Resolver) account(ctx context.Context, provider state.PaymentMethod) (*db.PaymentAccount, error) {
	rows, err := r.Client(ctx).PaymentAccount.Query().Where(paymentaccount.ProviderEQ(provider)).Load(ctx)
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
		v.Connected, v.Live, v.SecretHint, v.SigningHint = true, &row.Live, &row.SecretHint, &row.SigningHint
		v.UpdatedAt = &row.UpdatedAt
	}
	return v, nil
}

// PaymentAccountSet keeps the secrets of the store's account with a payment provider. The
// key is judged by what it is needed for.
func (m Mutation) PaymentAccountSet(
	ctx context.Context, in model.PaymentAccountInput,
) (*model.PaymentSettingsPayload, error) {
	old, err := m.account(ctx, in.Kind)
	if err != nil {
		return nil, core.Explain("payment account", err)
	}
	if err := checkAccount(in, old != nil); err != nil {
		return nil, err
	}
	live := old != nil && old.Live
	if in.SecretKey != nil {
		if live, err = m.probe(ctx, *in.SecretKey); err != nil {
			return nil, err
		}
	}
	store := viewer.From(ctx).Store
	err = m.Commit(ctx, xid.Store, func(ctx context.Context) (*core.Record, error) {
		mode := "test"
		if live {
			mode = "live"
		}
		return &core.Record{Action: "payment_account.set", Kind: xid.Store, ID: store,
			Detail: string(in.Kind) + ", " + mode}, m.keepAccount(ctx, in, live)
	})
	return m.accountPayload(ctx, err)
}

// checkAccount judges the form of the secrets. The first time both are needed.
func checkAccount(in model.PaymentAccountInput, known bool) error {
	c := &core.Check{}
	if in.Kind != state.PaymentStripe {
		c.Add("kind", fault.UnknownValue, "There are no accounts for it.")
	}
	secret := func(name string, v *string, wrong string, prefixes ...string) {
		if v == nil {
			c.Required(name, known)
			return
		}
		good := false
		for _, p := range prefixes {
			good = good || strings.HasPrefix(*v, p) && len(*v) > len(p)+4
		}
		if c.Line(name, *v, limit.PaymentSecret); !good || strings.ContainsFunc(*v, hidden) {
			c.Add(name, fault.InvalidFormat, wrong)
		}
	}
	secret("secret_key", in.SecretKey, "This is no secret key of Stripe's: one begins with sk_ or rk_.", "sk_", "rk_")
	secret("signing_secret", in.SigningSecret, "This is no signing secret of Stripe's: one begins with whsec_.",
		"whsec_")
	return c.Err()
}

// hidden reports whether a character cannot stand in a secret.
func hidden(r rune) bool { return r <= ' ' || r > '~' }

// probe asks the provider about a key; its answer is about the key's field.
func (m Mutation) probe(ctx context.Context, secret string) (live bool, err error) {
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return false, core.Explain("store", err)
	}
	live, err = m.Payments.Stripe.Probe(ctx, secret, s.Currency)
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok {
		c := &core.Check{}
		c.Add("secret_key", fault.UnknownValue,
			"Stripe does not take payments in "+s.Currency+" with it: "+refused.Text)
		return false, c.Err()
	}
	if err != nil {
		return false, &fault.Error{Kind: fault.Unavailable, Detail: "Stripe does not answer at the moment: try again.",
			Err: err}
	}
	return live, nil
}

// keepAccount writes the secrets that are given. Of two first ones the second finds that it
// is not the first.
func (m Mutation) keepAccount(ctx context.Context, in model.PaymentAccountInput, live bool) error {
	row, err := m.account(ctx, in.Kind)
	if err != nil {
		return err
	}
	now := micros.Now()
	if row == nil {
		if in.SecretKey == nil || in.SigningSecret == nil {
			return fault.State(fault.VersionMismatch, "The account was removed meanwhile.")
		}
		id := xid.New()
		err = m.Client(ctx).PaymentAccount.Create().SetID(id).SetProvider(in.Kind).SetLive(live).SetUpdatedAt(now).
			SetSecret(m.Payments.Seal(id, *in.SecretKey)).SetSecretHint(hint(*in.SecretKey)).
			SetSigning(m.Payments.Seal(id, *in.SigningSecret)).SetSigningHint(hint(*in.SigningSecret)).Exec(ctx)
		if ent.IsDuplicate(err) {
			return fault.State(fault.VersionMismatch, "The account was set meanwhile: read it again.")
		}
		return err
	}
	u := m.Client(ctx).PaymentAccount.Update().Where(paymentaccount.ID(row.ID)).SetUpdatedAt(now)
	core.Opt(in.SecretKey, func(s string) {
		u.SetSecret(m.Payments.Seal(row.ID, s)).SetSecretHint(hint(s)).SetLive(live)
	})
	core.Opt(in.SigningSecret, func(s string) {
		u.SetSigning(m.Payments.Seal(row.ID, s)).SetSigningHint(hint(s))
	})
	return u.Exec(ctx)
}

// hint is what may be shown of a secret: its last four characters.
func hint(secret string) string { return secret[len(secret)-4:] }

// PaymentAccountRemove forgets the secrets of an account. Shoppers have to be offered it no
// more before.
func (m Mutation) PaymentAccountRemove(
	ctx context.Context, kind state.PaymentMethod,
) (*model.PaymentSettingsPayload, error) {
	store := viewer.From(ctx).Store
	err := m.Commit(ctx, xid.Store, func(ctx context.Context) (*core.Record, error) {
		n, err := m.Client(ctx).PaymentAccount.Delete().Where(paymentaccount.ProviderEQ(kind)).Exec(ctx)
		if err != nil {
			return nil, fmt.Errorf("remove the payment account: %w", err)
		}
		if n == 0 {
			return nil, fault.Missing("payment account")
		}
		p, err := m.paymentSettings(ctx)
		if err != nil {
			return nil, err
		}
		methods, err := p.Methods.List()
		if err != nil {
			return nil, err
		}
		if offers(methods, kind) {
			return nil, fault.State(fault.InvalidTransition, "Shoppers are offered to pay by it: switch it off first.")
		}
		return &core.Record{Action: "payment_account.remove", Kind: xid.Store, ID: store, Detail: string(kind)}, nil
	})
	return m.accountPayload(ctx, err)
}

// offers reports whether shoppers may choose a way to pay.
func offers(methods []document.PaymentMethod, kind state.PaymentMethod) bool {
	for _, m := range methods {
		if m.Kind == kind && m.Active {
			return true
		}
	}
	return false
}

// accountPayload is the answer to a change of an account.
func (m Mutation) accountPayload(ctx context.Context, err error) (*model.PaymentSettingsPayload, error) {
	if err != nil {
		return nil, err
	}
	p, err := m.paymentSettings(ctx)
	if err != nil {
		return nil, core.Explain("payment settings", err)
	}
	return &model.PaymentSettingsPayload{PaymentSettings: p}, nil
}
