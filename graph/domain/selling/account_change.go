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
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// formerDays is how long the secrets of a former account are kept: until what was
	// begun with it is settled, and its refunds fail no more.
	formerDays = 30
	// formerMost is how many former accounts a store has at once.
	formerMost = 20
)

// PaymentAccountSet keeps the secrets of the store's account with a payment provider. The
// key is judged by what it is needed for.
func (m Mutation) PaymentAccountSet(
	ctx context.Context, in model.PaymentAccountInput,
) (*model.PaymentSettingsPayload, error) {
	kinds, err := m.MethodKinds(ctx)
	if err != nil {
		return nil, core.Explain("payment account", err)
	}
	if !slices.Contains(kinds, in.Kind) {
		return nil, fault.Invalid(fault.Field{Pointer: "#/kind", Code: fault.UnknownValue,
			Detail: "This store cannot offer it."})
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

// keepAccount writes the secrets that are given. A new key may be that of another account,
// so the former one stays for what was begun with it. Of two changes at once the second
// finds that it is not the first.
func (m Mutation) keepAccount(ctx context.Context, in model.PaymentAccountInput, live bool) error {
	rows, err := m.accounts(ctx, in.Kind)
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].RetiredAt != 0 {
		if in.SecretKey == nil || in.SigningSecret == nil {
			return fault.State(fault.VersionMismatch, "The account was removed meanwhile.")
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

// addAccount writes the present account.
func (m Mutation) addAccount(
	ctx context.Context, kind state.PaymentMethod, secret, signing string, live bool,
) error {
	id := xid.New()
	err := m.Client(ctx).PaymentAccount.Create().SetID(id).SetBucket(bucket.Of(viewer.From(ctx).Store)).
		SetProvider(kind).SetLive(live).SetUpdatedAt(micros.Now()).
		SetSecret(m.Payments.Seal(id, secret)).SetSecretHint(hint(secret)).
		SetSigning(m.Payments.Seal(id, signing)).SetSigningHint(hint(signing)).Exec(ctx)
	if ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The account was set meanwhile: read it again.")
	}
	return err
}

// retireAccount makes the present account, the first of all, a former one.
func (m Mutation) retireAccount(ctx context.Context, rows []*db.PaymentAccount) error {
	if len(rows) > formerMost {
		return fault.State(fault.LimitReached, "The keys were changed "+strconv.Itoa(formerMost)+" times within "+
			strconv.Itoa(formerDays)+" days: wait, or change the signing secret alone.")
	}
	n, err := m.Client(ctx).PaymentAccount.Update().
		Where(paymentaccount.ID(rows[0].ID), paymentaccount.RetiredAt(0)).SetRetiredAt(micros.Now()).Save(ctx)
	if err == nil && n == 0 || ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The account was changed meanwhile: read it again.")
	}
	return err
}

// hint is what may be shown of a secret: its last four characters.
func hint(secret string) string { return secret[len(secret)-4:] }

// PaymentAccountRemove takes an account from the store. Shoppers have to be offered it no more
// before. What was begun with it is still settled, see [formerDays].
func (m Mutation) PaymentAccountRemove(
	ctx context.Context, kind state.PaymentMethod,
) (*model.PaymentSettingsPayload, error) {
	store := viewer.From(ctx).Store
	err := m.Commit(ctx, xid.Store, func(ctx context.Context) (*core.Record, error) {
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

// formerBatch keeps a round of [Resolver.ForgetAccounts] short.
const formerBatch = 90

// ForgetAccounts deletes the secrets of accounts that are former ones for long, and returns
// how many.
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
			return total, fmt.Errorf("forget payment accounts: %w", err)
		}
		n = len(rows)
		for _, row := range rows {
			ctx := viewer.Operator(ctx, row.StoreID)
			err := r.Commit(ctx, xid.Store, func(ctx context.Context) (*core.Record, error) {
				_, err := r.Client(ctx).PaymentAccount.Delete().Where(paymentaccount.ID(row.ID)).Exec(ctx)
				return nil, err
			})
			if err != nil {
				return total, fmt.Errorf("forget a payment account: %w", err)
			}
			total++
		}
	}
	return total, nil
}
