package selling_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db/paymentaccount"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// keys returns an input with the keys of an account; "" leaves one out.
func keys(secret, signing string) model.PaymentAccountInput {
	in := model.PaymentAccountInput{Kind: state.PaymentStripe}
	if secret != "" {
		in.SecretKey = &secret
	}
	if signing != "" {
		in.SigningSecret = &signing
	}
	return in
}

// Secrets are stored if Stripe accepts them, and never returned.
func TestPaymentAccount(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		fake := paymenttest.New(t)
		p.Payments.Stripe = payment.NewStripe(fake.URL)
		for name, in := range map[string]model.PaymentAccountInput{
			"the public key":     keys("pk_test_of_the_fake", paymenttest.Signing),
			"a key with a space": keys("sk_test_of the_fake", paymenttest.Signing),
			"no key":             keys("", paymenttest.Signing),
			"no signing secret":  keys(paymenttest.Key, ""),
			"another secret":     keys(paymenttest.Key, "sk_test_of_the_fake"),
			"a key of nobody":    keys("sk_test_nobody", paymenttest.Signing),
			"a key that may not": keys(paymenttest.Weak, paymenttest.Signing),
			"a long key":         keys("sk_"+strings.Repeat("x", 200), paymenttest.Signing),
			"another way to pay": {Kind: state.PaymentTransfer, SecretKey: new(paymenttest.Key),
				SigningSecret: new(paymenttest.Signing)},
		} {
			if _, err := p.Mutation().PaymentAccountSet(p.Ctx, in); graphtest.FaultOf(err) != "validation_failed" {
				t.Errorf("%s: %v", name, err)
			}
		}
		fake.Lacks = "eur"
		good := keys(paymenttest.Key, paymenttest.Signing)
		_, err := p.Mutation().PaymentAccountSet(p.Ctx, good)
		if graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("an account without the currency: %v", err)
		}
		fake.Lacks = ""
		fake.Refuse("POST session", http.StatusBadGateway)
		if _, err = p.Mutation().PaymentAccountSet(p.Ctx, good); graphtest.FaultOf(err) != "unavailable" {
			t.Errorf("while Stripe is away: %v", err)
		}
		fake.Refuse("POST session", 0)
		offer := model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
			{Kind: state.PaymentStripe, Name: "Card", Active: true}}}
		_, err = p.Mutation().PaymentSettingsUpdate(p.Ctx, 0, offer)
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("offered without keys: %v", err)
		}
		set := graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentAccountSet(p.Ctx, good))
		a := set.PaymentSettings.Stripe
		if !a.Connected || *a.Live || *a.SecretHint != "p7dc" || *a.SigningHint != "lZ6z" ||
			a.WebhookURL != graphtest.API+"/payments/stripe/"+p.Model.PublicID() {
			t.Errorf("%+v", a)
		}
		for role, shown := range map[viewer.Role]bool{viewer.Owner: true, viewer.Admin: true, viewer.Developer: false,
			viewer.Support: false} {
			seen := graphtest.Must[*model.PaymentSettings](t)(p.Query().PaymentSettings(p.As(p.Owner.ID, role))).Stripe
			if !seen.Connected || (seen.SecretHint != nil) != shown || (seen.SigningHint != nil) != shown {
				t.Errorf("%s sees %+v", role, seen)
			}
		}
		row := p.Store.DB(p.Ctx).PaymentAccount.Query().OnlyX(p.Ctx)
		if bytes.Contains(row.Secret, []byte("sk_")) || bytes.Contains(row.Signing, []byte("whsec")) {
			t.Error("secrets are stored in plain text")
		}
		// Either can be changed alone.
		set = graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentAccountSet(p.Ctx,
			keys(paymenttest.Live, "")))
		if a := set.PaymentSettings.Stripe; !*a.Live || *a.SecretHint != "XYZA" || *a.SigningHint != "lZ6z" {
			t.Errorf("%+v", a)
		}
		account := graphtest.Must[selling.Accounts](t)(p.Accounts(p.Ctx, state.PaymentStripe)).Present()
		if account.Secret != paymenttest.Live || account.Signing != paymenttest.Signing {
			t.Errorf("%+v", account)
		}
		graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentSettingsUpdate(p.Ctx, 0, offer))
		_, err = p.Mutation().PaymentAccountRemove(p.Ctx, state.PaymentStripe)
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("removed while it is offered: %v", err)
		}
		offer.Methods[0].Active = false
		graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentSettingsUpdate(p.Ctx, 1, offer))
		gone := graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentAccountRemove(p.Ctx,
			state.PaymentStripe))
		if gone.PaymentSettings.Stripe.Connected {
			t.Error("the account is still there")
		}
		if log := p.Audited(t); !strings.HasSuffix(log, "payment_account.set payment_account.set payment_settings.update "+
			"payment_settings.update payment_account.remove") {
			t.Errorf("noted %s", log)
		}
	})
}

// A former account stays for its payments and refunds, and is deleted after a month.
func TestFormerAccounts(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		fake, ctx := paymenttest.New(t), p.Ctx
		p.Payments.Stripe = payment.NewStripe(fake.URL)
		set := func(secret, signing string) error {
			_, err := p.Mutation().PaymentAccountSet(ctx, keys(secret, signing))
			return err
		}
		accounts := func() selling.Accounts {
			return graphtest.Must[selling.Accounts](t)(p.Accounts(ctx, state.PaymentStripe))
		}
		if err := set(paymenttest.Key, paymenttest.Signing); err != nil {
			t.Fatal(err)
		}
		first := accounts()[0].ID
		// The same key, or another signing secret, is the same account.
		if err := errors.Join(set(paymenttest.Key, ""), set("", "whsec_of_the_fake_2")); err != nil {
			t.Fatal(err)
		}
		if a := accounts(); len(a) != 1 || a[0].ID != first || a[0].Signing != "whsec_of_the_fake_2" {
			t.Fatalf("%d accounts", len(a))
		}
		if err := set(paymenttest.Other, ""); err != nil {
			t.Fatal(err)
		}
		a := accounts()
		if len(a) != 2 || a.Present().Secret != paymenttest.Other || a.Present().Signing != "whsec_of_the_fake_2" ||
			a.Of(&first).Secret != paymenttest.Key || a.Of(nil) != a.Of(&first) || a.Of(new(xid.New())) != a.Present() {
			t.Errorf("%d accounts, the present one with %s", len(a), a.Present().Secret)
		}
		graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentAccountRemove(ctx, state.PaymentStripe))
		if a = accounts(); len(a) != 2 || a.Present() != nil || a[0].Secret != paymenttest.Other {
			t.Errorf("after the removal %d accounts", len(a))
		}
		_, err := p.Mutation().PaymentAccountRemove(ctx, state.PaymentStripe)
		if graphtest.FaultOf(err) != "not_found" {
			t.Errorf("removed twice: %v", err)
		}
		if n, err := p.ForgetAccounts(t.Context()); n != 0 || err != nil {
			t.Errorf("forgotten at once: %d (%v)", n, err)
		}
		err = p.Store.InTx(ctx, func(ctx context.Context) error {
			return p.Client(ctx).PaymentAccount.Update().Where(paymentaccount.ID(first)).
				SetRetiredAt(micros.Now().Add(-30 * 24 * time.Hour)).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := p.ForgetAccounts(t.Context())
		if a := accounts(); n != 1 || err != nil || len(a) != 1 || a[0].ID == first {
			t.Errorf("forgotten %d, left %d (%v)", n, len(a), err)
		}
		for i := range 21 {
			err = set([]string{paymenttest.Key, paymenttest.Other}[i%2], paymenttest.Signing)
			if (graphtest.FaultOf(err) == "limit_reached") != (i == 20) {
				t.Fatalf("change %d: %v", i, err)
			}
		}
	})
}
