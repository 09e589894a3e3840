package shopper_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

const origin = "https://bikes.example:8443"

// passkey adds a passkey to an account.
func (p *shop) passkey(a *shopper.Account) *factortest.Authenticator {
	p.t.Helper()
	key := factortest.New(p.t, origin)
	answer := key.Create(graphtest.Must[json.RawMessage](p.t)(p.NewPasskey(p.ctx, origin, a)))
	if err := p.AddPasskey(p.ctx, origin, a, answer); err != nil {
		p.t.Fatal(err)
	}
	return key
}

// use signs in with a passkey.
func (p *shop) use(key *factortest.Authenticator) (session string, err error) {
	p.t.Helper()
	return p.UsePasskey(p.ctx, origin, key.Get(p.question(origin)), "")
}

func (p *shop) question(origin string) []byte {
	p.t.Helper()
	return graphtest.Must[json.RawMessage](p.t)(p.AskPasskey(p.ctx, origin))
}

// A passkey signs in once per challenge, at the host and the store that it was created for.
func TestPasskey(t *testing.T) {
	each(t, func(t *testing.T, p, other *shop) {
		session := p.enter("ada@example.com")
		a := p.account(session)
		key := p.passkey(a)
		if list := p.mails("ada@example.com"); len(list) != 2 { // a code, and the passkey
			t.Errorf("%d emails", len(list))
		}
		answer := key.Get(p.question(origin))
		made := graphtest.Must[string](t)(p.UsePasskey(p.ctx, origin, answer, session))
		if b := p.account(made); b == nil || b.Email != a.Email || p.account(session) != nil {
			t.Fatalf("account %+v, and the former session: %+v", b, p.account(session))
		}
		a = p.account(made)
		careless, foreign := *key, *key
		careless.Verifies, foreign.Handle = false, make([]byte, 16)
		fresh := func(by *factortest.Authenticator) []byte { return by.Get(p.question(origin)) }
		setUp := graphtest.Must[json.RawMessage](t)(p.NewPasskey(p.ctx, origin, a))
		for name, tc := range map[string]struct {
			at     *shop
			origin string
			answer []byte
		}{
			"a replay":                     {p, origin, answer},
			"another store":                {other, origin, key.Get(other.question(origin))},
			"another store's challenge":    {p, origin, key.Get(other.question(origin))},
			"another host":                 {p, "https://bikes.test", fresh(key)},
			"no host name":                 {p, "https://127.0.0.1", fresh(key)},
			"an unknown passkey":           {p, origin, fresh(factortest.New(t, origin))},
			"an unverified user":           {p, origin, fresh(&careless)},
			"another account's handle":     {p, origin, fresh(&foreign)},
			"the challenge of a new one":   {p, origin, key.Get(setUp)},
			"nothing":                      {p, origin, nil},
			"a response of unusual length": {p, origin, make([]byte, limit.Passkey+1)},
		} {
			if got, err := tc.at.UsePasskey(tc.at.ctx, tc.origin, tc.answer, ""); !errors.Is(err, shopper.ErrPasskey) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		late := fresh(key)
		if graphtest.Must[json.RawMessage](t)(p.AskPasskey(p.ctx, "http://127.0.0.1")) != nil {
			t.Error("a host without a name has passkeys")
		}
		rows := graphtest.Must[[]*db.ShopperPasskey](t)(p.Passkeys(p.ctx, a))
		if len(rows) != 1 || rows[0].UsedAt == nil || rows[0].Host != "bikes.example" {
			t.Fatalf("passkeys %+v", rows)
		}
		if err := p.RemovePasskey(p.ctx, a, rows[0].ID.String()); err != nil {
			t.Fatal(err)
		}
		if _, err := p.UsePasskey(p.ctx, origin, late, ""); !errors.Is(err, shopper.ErrPasskey) {
			t.Errorf("a removed passkey: %v", err)
		}
	})
}

// A passkey is added to the account that asked, once, and while there is room. A copy of it, whose
// signature counter went back, is refused.
func TestNewPasskey(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		a, eve := p.account(p.enter("ada@example.com")), p.account(p.enter("eve@example.com"))
		key := factortest.New(t, origin)
		key.Count = 5
		answer := key.Create(graphtest.Must[json.RawMessage](t)(p.NewPasskey(p.ctx, origin, a)))
		if err := p.AddPasskey(p.ctx, origin, eve, answer); !errors.Is(err, shopper.ErrPasskey) {
			t.Errorf("another account: %v", err)
		}
		for i, want := range []error{nil, shopper.ErrPasskey} {
			if err := p.AddPasskey(p.ctx, origin, a, answer); !errors.Is(err, want) {
				t.Errorf("time %d: %v", i, err)
			}
		}
		if _, err := p.use(key); err != nil {
			t.Error(err)
		}
		key.Count = 2
		if _, err := p.use(key); !errors.Is(err, shopper.ErrPasskey) {
			t.Errorf("a copy: %v", err)
		}
		rows := graphtest.Must[[]*db.ShopperPasskey](t)(p.Passkeys(p.ctx, a))
		for i := len(rows); i < limit.ShopperPasskeys; i++ {
			p.copy(rows[0], i)
		}
		answer = factortest.New(t, origin).Create(graphtest.Must[json.RawMessage](t)(p.NewPasskey(p.ctx, origin, a)))
		if err := p.AddPasskey(p.ctx, origin, a, answer); !fault.IsState(err, fault.LimitReached) {
			t.Errorf("a full account: %v", err)
		}
	})
}

// copy stores a passkey again under another credential.
func (p *shop) copy(row *db.ShopperPasskey, i int) {
	p.t.Helper()
	sum := row.Credential
	sum[0] += byte(i)
	err := p.Store.InTx(p.ctx, func(ctx context.Context) error {
		return p.Store.DB(ctx).ShopperPasskey.Create().SetCredential(sum).SetCustomerID(row.CustomerID).
			SetEmail(row.Email).SetHost(row.Host).SetAgent("").SetData(row.Data).SetStep(0).Exec(ctx)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// A passkey ends with its account: when the customer is disabled, gets another address or is redacted.
func TestPasskeyEnds(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		a := p.account(p.enter("ada@example.com"))
		key := p.passkey(a)
		c := graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerUpdate(p.Ctx, a.Customer.PublicID(),
			a.Customer.Version, model.CustomerUpdateInput{Email: model.Some("eve@example.com")})).Customer
		if _, err := p.use(key); !errors.Is(err, shopper.ErrPasskey) {
			t.Errorf("another address: %v", err)
		}
		c = graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerUpdate(p.Ctx, c.PublicID(), c.Version,
			model.CustomerUpdateInput{Email: model.Some("ada@example.com")})).Customer
		if _, err := p.use(key); err != nil {
			t.Errorf("the former address again: %v", err)
		}
		c = graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerDisable(p.Ctx, c.PublicID(),
			p.account(p.enter("ada@example.com")).Customer.Version)).Customer
		if _, err := p.use(key); !errors.Is(err, shopper.ErrPasskey) {
			t.Errorf("a disabled customer: %v", err)
		}
		if _, err := p.Mutation().CustomerRedact(p.Ctx, c.PublicID(), c.Version); err != nil {
			t.Fatal(err)
		}
		rows, err := p.Store.DB(p.ctx).ShopperPasskey.Query().Load(p.ctx)
		if err != nil || len(rows) != 0 {
			t.Errorf("a redacted customer has %d passkeys: %v", len(rows), err)
		}
	})
}
