package selling

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
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
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// formerDays is how long the secrets of a former account are kept: until its payments are
	// settled and its refunds can no longer fail.
	formerDays = 30
	// formerMost is how many former accounts a store has at once.
	formerMost = 20
)

// PaymentAccountSet stores the secrets of the store's account with a payment provider. It first
// tests the key by the operations that it is needed for.
func (m Mutation) PaymentAccountSet(
	ctx context.Context, in model.PaymentAccountInput,
) (*model.PaymentSettingsPayload, error) {
	kinds, err := m.MethodKinds(ctx)
	if err != nil {
		return nil, core.Explain("payment account", err)
	}
	if !slices.Contains(kinds, in.Kind) {
		return nil, fault.Invalid(fault.Field{Pointer: "#/kind", Code: fault.UnknownValue,
			Detail: "This store cannot offer this payment method."})
	}
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
	err = m.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		mode := "test"
		if live {
			mode = "live"
		}
		return &change.Record{Action: "payment_account.set", Kind: xid.Store, ID: store,
			Detail: string(in.Kind) + ", " + mode}, m.keepAccount(ctx, in, live)
	})
	return m.accountPayload(ctx, err)
}

// checkAccount validates the form of the secrets. A new account needs both.
func checkAccount(in model.PaymentAccountInput, known bool) error {
	c := &core.Check{}
	if in.Kind != state.PaymentStripe {
		c.Add("kind", fault.UnknownValue, "This payment method has no account.")
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
	secret("secret_key", in.SecretKey, "Not a Stripe secret key. Secret keys start with sk_ or rk_.", "sk_", "rk_")
	secret("signing_secret", in.SigningSecret, "Not a Stripe signing secret. Signing secrets start with whsec_.",
		"whsec_")
	return c.Err()
}

// hidden reports whether a character is not allowed in a secret.
func hidden(r rune) bool { return r <= ' ' || r > '~' }

// probe tests a key with the provider. A refusal becomes an error of the key's field.
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
		return false, &fault.Error{Kind: fault.Unavailable, Detail: "Stripe does not respond at the moment. Try again.",
			Err: err}
	}
	return live, nil
}

// keepAccount writes the given secrets. A new key may belong to another account, so the former one
// is kept for its payments and refunds. The second of two concurrent changes fails with
// [fault.VersionMismatch].
func (m Mutation) keepAccount(ctx context.Context, in model.PaymentAccountInput, live bool) error {
	rows, err := m.accounts(ctx, in.Kind)
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].RetiredAt != 0 {
		if in.SecretKey == nil || in.SigningSecret == nil {
			return fault.State(fault.VersionMismatch, "The account was removed in the meantime.")
		}
		return m.addAccount(ctx, in.Kind, *in.SecretKey, *in.SigningSecret, live)
	}
	row := rows[0]
	secret, err := m.Payments.Open(row.ID, row.Secret)
	if err != nil {
		return err
	}
	if in.SecretKey == nil || *in.SecretKey == secret {
		u := m.Client(ctx).PaymentAccount.Update().Where(paymentaccount.ID(row.ID)).SetUpdatedAt(micros.Now()).
			SetLive(live)
		core.Opt(in.SigningSecret, func(s string) {
			u.SetSigning(m.Payments.Seal(row.ID, s)).SetSigningHint(hint(s))
		})
		return u.Exec(ctx)
	}
	signing, err := m.Payments.Open(row.ID, row.Signing)
	if err != nil {
		return err
	}
	core.Opt(in.SigningSecret, func(s string) { signing = s })
	if err := m.retireAccount(ctx, rows); err != nil {
		return err
	}
	return m.addAccount(ctx, in.Kind, *in.SecretKey, signing, live)
}

// addAccount writes a new present account.
func (m Mutation) addAccount(
	ctx context.Context, kind state.PaymentMethod, secret, signing string, live bool,
) error {
	id := xid.New()
	err := m.Client(ctx).PaymentAccount.Create().SetID(id).SetBucket(bucket.Of(viewer.From(ctx).Store)).
		SetProvider(kind).SetLive(live).SetUpdatedAt(micros.Now()).
		SetSecret(m.Payments.Seal(id, secret)).SetSecretHint(hint(secret)).
		SetSigning(m.Payments.Seal(id, signing)).SetSigningHint(hint(signing)).Exec(ctx)
	if ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The account was set in the meantime. Read it again.")
	}
	return err
}

// retireAccount makes the present account, which is the first row, a former one.
func (m Mutation) retireAccount(ctx context.Context, rows []*db.PaymentAccount) error {
	if len(rows) > formerMost {
		return fault.State(fault.LimitReached, "The keys were changed "+strconv.Itoa(formerMost)+" times within "+
			strconv.Itoa(formerDays)+" days. Try again later, or change only the signing secret.")
	}
	n, err := m.Client(ctx).PaymentAccount.Update().
		Where(paymentaccount.ID(rows[0].ID), paymentaccount.RetiredAt(0)).SetRetiredAt(micros.Now()).Save(ctx)
	if err == nil && n == 0 || ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The account was changed in the meantime. Read it again.")
	}
	return err
}

// hint returns the part of a secret that may be shown: its last four characters.
func hint(secret string) string { return secret[len(secret)-4:] }

// PaymentAccountRemove removes the store's present account. Its payment method has to be switched
// off before. Its payments and refunds are still settled, see [formerDays].
func (m Mutation) PaymentAccountRemove(
	ctx context.Context, kind state.PaymentMethod,
) (*model.PaymentSettingsPayload, error) {
	store := viewer.From(ctx).Store
	err := m.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
		rows, err := m.accounts(ctx, kind)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 || rows[0].RetiredAt != 0 {
			return nil, fault.Missing("payment account")
		}
		if err := m.retireAccount(ctx, rows); err != nil {
			return nil, err
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
			return nil, fault.State(fault.InvalidTransition, "Turn off the payment method first.")
		}
		return &change.Record{Action: "payment_account.remove", Kind: xid.Store, ID: store, Detail: string(kind)}, nil
	})
	return m.accountPayload(ctx, err)
}

// offers reports whether shoppers can choose a payment method.
func offers(methods []document.PaymentMethod, kind state.PaymentMethod) bool {
	for _, m := range methods {
		if m.Kind == kind && m.Active {
			return true
		}
	}
	return false
}

// accountPayload returns the result of a change of an account.
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

// formerBatch bounds one round of [Resolver.ForgetAccounts].
const formerBatch = 90

// ForgetAccounts deletes accounts that were replaced or removed more than [formerDays] ago, and
// returns how many.
func (r *Resolver) ForgetAccounts(ctx context.Context) (total int, err error) {
	return r.Store.SumShards(ctx, r.forgetDue)
}

// forgetDue is [Resolver.ForgetAccounts] on one shard.
func (r *Resolver) forgetDue(ctx context.Context) (total int, err error) {
	cutoff := micros.Now().Add(-formerDays * 24 * time.Hour)
	for n := formerBatch; n == formerBatch; {
		q := r.Store.Seek(ctx).PaymentAccount.Query().
			Where(paymentaccount.BucketIn(bucket.All()...), paymentaccount.RetiredAtGT(0),
				paymentaccount.RetiredAtLTE(cutoff))
		q.Modify(func(s *sql.Selector) { s.Limit(formerBatch) })
		rows, err := q.Load(viewer.Everywhere(ctx))
		if err != nil {
			return total, fmt.Errorf("delete former payment accounts: %w", err)
		}
		n = len(rows)
		for _, row := range rows {
			ctx := viewer.Operator(ctx, row.StoreID)
			err := r.Commit(ctx, xid.Store, func(ctx context.Context) (*change.Record, error) {
				_, err := r.Client(ctx).PaymentAccount.Delete().Where(paymentaccount.ID(row.ID)).Exec(ctx)
				return nil, err
			})
			if err != nil {
				return total, fmt.Errorf("delete a former payment account: %w", err)
			}
			total++
		}
	}
	return total, nil
}
