package factor_test

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/accountevent"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

const api = "https://shop.example"

// place is a keeper over a store with one member of one shop, who is signed in twice.
type place struct {
	*factor.Keeper
	t     testing.TB
	store *ent.Store
	ctx   context.Context // the operator's, in the shop
	shop  xid.ID
	by    factor.By
	other digest.Sum // the other session
}

func newPlace(t testing.TB, s *ent.Store) *place {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("k", 32))
	if err != nil {
		t.Fatal(err)
	}
	notifier, err := notify.New(api)
	if err != nil {
		t.Fatal(err)
	}
	k, err := factor.New(factor.Config{Store: s, Ring: ring, APIHost: api, Notifier: notifier})
	if err != nil {
		t.Fatal(err)
	}
	ctx, shop := storetest.Merchant(t, s)
	p := &place{Keeper: k, t: t, store: s, ctx: ctx, shop: shop.ID}
	p.by = p.person("ada@example.com")
	p.other = p.session(p.by.Person)
	return p
}

func (p *place) tx(f func(context.Context) error) {
	p.t.Helper()
	if err := p.store.InTx(p.ctx, f); err != nil {
		p.t.Fatal(err)
	}
}

// person creates a member of the shop who is signed in.
func (p *place) person(email string) factor.By {
	p.t.Helper()
	id := xid.New()
	p.tx(func(ctx context.Context) error {
		return p.store.DB(ctx).User.Create().SetID(id).SetEmail(email).SetName("Ada").SetUpdatedAt(micros.Now()).
			Exec(ctx)
	})
	p.tx(func(ctx context.Context) error {
		c := p.store.DB(ctx)
		return errors.Join(
			c.Membership.Create().SetID(id).SetStoreID(p.shop).Exec(ctx),
			c.Staff.Create().SetID(id).SetRole(viewer.Owner).SetVersion(1).SetUpdatedAt(micros.Now()).Exec(ctx))
	})
	return factor.By{Person: id, Session: p.session(id)}
}

func (p *place) session(person xid.ID) digest.Sum {
	p.t.Helper()
	sum, now := digest.Of([]byte(rand.Text())), micros.Now()
	p.tx(func(ctx context.Context) error {
		return p.store.DB(ctx).Session.Create().SetID(sum).SetUserID(person).SetAgent("").SetCreatedAt(now).
			SetSeenAt(now).SetExpiresAt(now.Add(time.Hour)).Exec(ctx)
	})
	return sum
}

// lives reports whether a session exists.
func (p *place) lives(sum digest.Sum) bool {
	p.t.Helper()
	_, err := p.store.DB(p.ctx).Session.Get(p.ctx, sum)
	return err == nil
}

// app sets up an authenticator app.
func (p *place) app(by factor.By) (secret string, added *factor.Added) {
	p.t.Helper()
	up, err := p.BeginTOTP(p.t.Context(), by)
	if err != nil {
		p.t.Fatal(err)
	}
	code := factortest.Code(p.t, up.Secret, time.Now())
	if added, err = p.ConfirmTOTP(p.t.Context(), by, up.Token, "", code); err != nil {
		p.t.Fatal(err)
	}
	return up.Secret, added
}

// passkey sets up a passkey.
func (p *place) passkey(by factor.By, edit ...func(*factortest.Authenticator)) (*factortest.Authenticator,
	*factor.Added,
) {
	p.t.Helper()
	a := factortest.New(p.t, api)
	for _, f := range edit {
		f(a)
	}
	q, err := p.BeginPasskey(p.t.Context(), by)
	if err != nil {
		p.t.Fatal(err)
	}
	added, err := p.FinishPasskey(p.t.Context(), by, q.Token, "Laptop", a.Create(q.Options))
	if err != nil {
		p.t.Fatal(err)
	}
	return a, added
}

// prove answers and returns the factor that was used.
func (p *place) prove(person xid.ID, a factor.Answer) (used factor.Used, err error) {
	p.t.Helper()
	err = p.Prove(p.t.Context(), person, a, func(_ context.Context, u factor.Used) error {
		used = u
		return nil
	})
	return used, err
}

// log returns the person's log, oldest first.
func (p *place) log(person xid.ID) []string {
	p.t.Helper()
	rows, err := p.store.DB(p.ctx).AccountEvent.Query().Where(accountevent.UserID(person)).
		Order(accountevent.ByID()).All(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = string(r.Action)
		if r.Detail != nil {
			list[i] += " (" + *r.Detail + ")"
		}
	}
	return list
}

// letters returns the subjects of the emails to a person, oldest first.
func (p *place) letters(person xid.ID) []string {
	p.t.Helper()
	rows, err := p.store.DB(p.ctx).Mail.Query().Where(mail.StoreID(person)).Order(mail.ByID()).
		All(viewer.Operator(p.ctx, person))
	if err != nil {
		p.t.Fatal(err)
	}
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.Subject
	}
	return list
}

// require makes the shop require a second factor.
func (p *place) require() {
	p.t.Helper()
	p.tx(func(ctx context.Context) error {
		return p.store.DB(ctx).Store.Update().Where(store.ID(p.shop)).SetSecondFactor(true).Exec(ctx)
	})
}

// code returns the code of a fault.
func code(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		if len(f.Fields) > 0 {
			return f.Name() + " " + f.Fields[0].Pointer
		}
		return f.Name()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestNewNeedsParts(t *testing.T) {
	if _, err := factor.New(factor.Config{}); err == nil {
		t.Error("a keeper without dependencies")
	}
}

// A host without a name has no passkeys, but all other factors.
func TestNameless(t *testing.T) {
	s := storetest.Open(t)
	p := newPlace(t, s)
	ring, _ := keyring.Parse(strings.Repeat("k", 32))
	for host, want := range map[string]bool{
		"http://127.0.0.1:8080": false, "http://[::1]:8080": false, "http://localhost:8080": true,
		"https://shop.example": true,
	} {
		k, err := factor.New(factor.Config{Store: s, Ring: ring, APIHost: host})
		if err != nil {
			t.Fatal(err)
		}
		p.Keeper = k
		if k.Passkeys() != want {
			t.Errorf("%s: passkeys %v, want %v", host, k.Passkeys(), want)
		}
		if want {
			continue
		}
		_, begin := p.BeginPasskey(t.Context(), p.by)
		_, keep := p.FinishPasskey(t.Context(), p.by, "", "", nil)
		_, ask := p.AskPasswordless(t.Context())
		_, again := p.AskSecond(t.Context(), p.by.Person)
		_, use := p.prove(p.by.Person, factor.Answer{Response: factortest.New(t, api).Get(options)})
		passwordless := p.ProvePasswordless(t.Context(), "", factortest.New(t, api).Get(options), nil)
		for i, err := range []error{begin, keep, ask, again} {
			if code(err) != "conflict" {
				t.Errorf("%s, %d: %v", host, i, err)
			}
		}
		if !errors.Is(use, factor.ErrWrong) || !errors.Is(passwordless, factor.ErrWrong) {
			t.Errorf("%s: %v, %v", host, use, passwordless)
		}
	}
}

var options = []byte(`{"publicKey": {"challenge": "AAAAAAAAAAAAAAAAAAAAAA", "user": {"id": "AQID"}}}`)

// Setting up a factor needs an existing session, and its secret is sealed for its person.
func TestSealed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		secret, added := p.app(p.by)
		raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
		if err != nil {
			t.Fatal(err)
		}
		c, all := storetest.AllStores(t, s)
		row := c.Factor.GetX(all, added.Factor.ID)
		ring, _ := keyring.Parse(strings.Repeat("k", 32))
		vault := factor.NewVault(ring)
		if plain, err := vault.Open(row.UserID, row.ID, row.Data); err != nil || string(plain) != string(raw) {
			t.Errorf("%x, %v", plain, err)
		}
		if _, err := vault.Open(xid.New(), row.ID, row.Data); err == nil {
			t.Error("it opens for another person")
		}
		if strings.Contains(string(row.Data), string(raw)) {
			t.Error("the secret can be read")
		}
		gone := factor.By{Person: p.by.Person, Session: digest.Of([]byte("x"))}
		if _, err := p.BeginTOTP(t.Context(), gone); code(err) != "invalid_token" {
			t.Errorf("without a session: %v", err)
		}
		if err := p.Remove(t.Context(), gone, row.ID); code(err) != "invalid_token" {
			t.Errorf("removed without a session: %v", err)
		}
	})
}
