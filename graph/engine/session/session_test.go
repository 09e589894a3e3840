package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/password"
)

const secret = "correct horse battery"

// hashed returns a hash of secret that is verified thousands of times as fast as those of the program.
var hashed = sync.OnceValue(func() string {
	h, err := argon2id.CreateHash(secret, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16,
		KeyLength: 32})
	if err != nil {
		panic(err)
	}
	return h
})

// place is a keeper over a store with one member of one shop, Ada.
type place struct {
	*Keeper
	t    testing.TB
	ctx  context.Context // the operator's, in the shop
	shop xid.ID
	ada  xid.ID
}

func newPlace(t testing.TB, s *ent.Store) *place {
	t.Helper()
	k, err := NewKeeper(Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	ctx, shop := storetest.Merchant(t, s)
	p := &place{Keeper: k, t: t, ctx: ctx, shop: shop.ID}
	p.ada = p.person("ada@example.com", hashed())
	p.join(ctx, p.ada, viewer.Owner)
	return p
}

func (p *place) tx(ctx context.Context, f func(context.Context) error) {
	p.t.Helper()
	if err := p.store.InTx(ctx, f); err != nil {
		p.t.Fatal(err)
	}
}

// person creates a person; an empty hash is no password.
func (p *place) person(email, hash string) xid.ID {
	p.t.Helper()
	id := xid.New()
	p.tx(p.ctx, func(ctx context.Context) error {
		c := p.store.DB(ctx)
		if err := c.UserEmail.Create().SetID(email).SetUserID(id).Exec(ctx); err != nil {
			return err
		}
		create := c.User.Create().SetID(id).SetEmail(email).SetName("Ada").SetUpdatedAt(micros.Now())
		if hash != "" {
			create.SetPasswordHash(hash)
		}
		return create.Exec(ctx)
	})
	return id
}

func (p *place) join(ctx context.Context, person xid.ID, role viewer.Role) {
	p.t.Helper()
	p.tx(ctx, func(ctx context.Context) error {
		if err := p.store.DB(ctx).Membership.Create().SetID(person).SetStoreID(viewer.From(ctx).Store).
			Exec(ctx); err != nil {
			return err
		}
		return p.store.DB(ctx).Staff.Create().SetID(person).SetRole(role).SetVersion(1).SetUpdatedAt(micros.Now()).
			Exec(ctx)
	})
}

// second creates another shop of Ada's.
func (p *place) second(name string, role viewer.Role) xid.ID {
	p.t.Helper()
	ctx, shop := storetest.Merchant(p.t, p.store)
	p.join(ctx, p.ada, role)
	p.tx(ctx, func(ctx context.Context) error {
		return p.store.DB(ctx).Store.Update().Where(store.ID(shop.ID)).SetName(name).SetLegacy(true).Exec(ctx)
	})
	return shop.ID
}

func (p *place) signIn(former string) string {
	p.t.Helper()
	signed, err := p.SignIn(p.t.Context(),
		Attempt{Email: "ada@example.com", Password: secret, Agent: "Browser", Former: former})
	if err != nil {
		p.t.Fatal(err)
	}
	if left := time.Until(signed.Ends); left > Life || left < Life-time.Minute {
		p.t.Errorf("the session ends in %v, want %v", left, Life)
	}
	return signed.Token
}

// who returns the person of a token.
func (p *place) who(token string) *Person {
	p.t.Helper()
	found, err := p.Find(p.t.Context(), token)
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

func (p *place) sessions() int {
	c, all := storetest.AllStores(p.t, p.store)
	return c.Session.Query().CountX(all)
}

func TestSignIn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		second := p.second("a second shop", viewer.Support)
		token := p.signIn("")
		if sum, ok := digest.OfToken(token); !ok || p.store.DB(p.ctx).Session.GetX(p.ctx, sum).UserID != p.ada {
			t.Errorf("token %q", token)
		}
		got := p.who(token)
		if got == nil || got.User != p.ada || got.Name != "Ada" || got.Email != "ada@example.com" ||
			len(got.Memberships) != 2 {
			t.Fatalf("%+v", got)
		}
		if m := got.Memberships[0]; m.Store != second || m.Name != "a second shop" || m.Role != viewer.Support ||
			!m.Legacy || m.Currency != "EUR" || m.Handle == "" {
			t.Errorf("%+v, want the stores by name", m)
		}
		v := got.In(p.shop)
		if v == nil || v.Kind != viewer.Staff || v.Store != p.shop || v.Actor != p.ada || v.Principal != p.ada ||
			v.Role != viewer.Owner || v.Session != got.Session || v.Session == (digest.Sum{}) ||
			v.Scopes != viewer.Owner.Scopes().Effective() || !v.Credential.IsNil() {
			t.Errorf("%+v", v)
		}
		if got.In(xid.New()) != nil {
			t.Error("they have access to a store that is not theirs")
		}
		if of, err := p.Of(t.Context(), p.ada); err != nil || of == nil || of.Email != got.Email ||
			len(of.Memberships) != 2 || of.Session != (digest.Sum{}) {
			t.Errorf("%+v, %v", of, err)
		}
		list, err := p.List(t.Context(), p.ada)
		if err != nil || len(list) != 1 || list[0].Agent != "Browser" || list[0].ID != got.Session {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// Closed stores are listed for their owners only, after the open ones, and stores that the person left
// are not; without stores the person has none.
func TestMembershipsEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		second := p.second("Second", viewer.Admin)
		token := p.signIn("")
		p.tx(viewer.Operator(t.Context(), second), func(ctx context.Context) error {
			return s.DB(ctx).Store.Update().Where(store.ID(second)).SetStatus(state.StoreClosed).Exec(ctx)
		})
		if got := p.who(token); got == nil || len(got.Memberships) != 1 || got.In(second) != nil {
			t.Errorf("closed: %+v", got)
		}
		own := p.second("A", viewer.Owner)
		p.tx(viewer.Operator(t.Context(), own), func(ctx context.Context) error {
			return s.DB(ctx).Store.Update().Where(store.ID(own)).SetStatus(state.StoreClosed).Exec(ctx)
		})
		if got := p.who(token); len(got.Memberships) != 2 || !got.Memberships[1].Closed || got.In(own) == nil {
			t.Errorf("closed by its owner: %+v", got)
		}
		p.tx(viewer.Operator(t.Context(), own), func(ctx context.Context) error {
			_, err := s.DB(ctx).Staff.Delete().Where(staff.ID(p.ada)).Exec(ctx)
			return err
		})
		p.tx(p.ctx, func(ctx context.Context) error {
			_, err := s.DB(ctx).Staff.Delete().Where(staff.ID(p.ada)).Exec(ctx)
			return err
		})
		if got := p.who(token); got == nil || len(got.Memberships) != 0 || got.User != p.ada {
			t.Errorf("without a store: %+v", got)
		}
		if got, err := p.Of(t.Context(), p.ada); got == nil || len(got.Memberships) != 0 || err != nil {
			t.Errorf("without a store: %+v, %v", got, err)
		}
		if _, err := p.SignIn(t.Context(), Attempt{Email: "ada@example.com", Password: secret}); err != nil {
			t.Errorf("without a store: %v", err)
		}
	})
}

// Whatever is wrong, the fault and the number of statements are the same.
func TestRefusals(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		p.join(p.ctx, p.person("none@example.com", ""), viewer.Admin)
		for name, a := range map[string]Attempt{
			"unknown":          {Email: "bob@example.com", Password: secret},
			"no password":      {Email: "none@example.com", Password: ""},
			"no password, any": {Email: "none@example.com", Password: secret},
			"wrong":            {Email: "ada@example.com", Password: "Correct horse battery"},
			"empty":            {Email: "ada@example.com"},
			"longer":           {Email: "ada@example.com", Password: secret + "\x00"},
			"too long":         {Email: "ada@example.com", Password: strings.Repeat("ä", limit.Password+1)},
			"not UTF-8":        {Email: "ada@example.com\xff", Password: secret},
			"no address":       {Email: "", Password: secret},
			"a long address":   {Email: strings.Repeat("a", 300), Password: secret},
		} {
			before := s.Statements()
			signed, err := p.SignIn(t.Context(), a)
			f, ok := errors.AsType[*fault.Error](err)
			if signed != (Signed{}) || !ok || f.Kind != fault.Forbidden || !errors.Is(err, ErrWrong) ||
				f.Detail != "Wrong email address or password." {
				t.Errorf("%s: %+v, %v", name, signed, err)
			}
			if n := s.Statements() - before; n != 2 {
				t.Errorf("%s: %d statements, want 2", name, n)
			}
		}
		if n := p.sessions(); n != 0 {
			t.Errorf("%d sessions", n)
		}
		for _, email := range []string{"ADA@Example.COM", " ada@example.com\t"} {
			if _, err := p.SignIn(t.Context(), Attempt{Email: email, Password: secret}); err != nil {
				t.Errorf("%q: %v", email, err)
			}
		}
	})
}

// An unknown address takes as long as a wrong password, because it is hashed too: skipping the hash
// would be a hundred times as fast. The minimum of several tries excludes other work.
func TestEqualWork(t *testing.T) {
	p := newPlace(t, storetest.Open(t))
	hash, err := password.Hash(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	p.person("eve@example.com", hash)
	least := func(a Attempt) time.Duration {
		best := time.Hour
		for range 5 {
			began := time.Now()
			if _, err := p.SignIn(t.Context(), a); !errors.Is(err, ErrWrong) {
				t.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	wrong := least(Attempt{Email: "eve@example.com", Password: "wrong"})
	for name, a := range map[string]Attempt{
		"unknown":    {Email: "bob@example.com", Password: "wrong"},
		"no address": {Password: "wrong"},
		"too long":   {Email: "eve@example.com", Password: strings.Repeat("x", limit.Password+1)},
	} {
		if took := least(a); took < wrong/4 {
			t.Errorf("%s took %v, a wrong password %v", name, took, wrong)
		}
	}
}

// A password with a control character is wrong, even if it were stored.
func TestControlCharacters(t *testing.T) {
	p := newPlace(t, storetest.Open(t))
	hash, err := password.Hash(t.Context(), "tab\there")
	if err != nil {
		t.Fatal(err)
	}
	p.join(p.ctx, p.person("tab@example.com", hash), viewer.Admin)
	if _, err := p.SignIn(t.Context(), Attempt{Email: "tab@example.com", Password: "tab\there"}); !errors.Is(err,
		ErrWrong) {
		t.Errorf("%v", err)
	}
}

// A sign-in returns a new token and ends the browser's previous session.
func TestRotation(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		first := p.signIn("")
		second := p.signIn(first)
		if first == second || p.who(first) != nil || p.who(second) == nil || p.sessions() != 1 {
			t.Errorf("%d sessions", p.sessions())
		}
		planted := digest.NewToken() // never issued
		if token := p.signIn(planted); token == planted || p.who(planted) != nil {
			t.Error("a planted token was accepted")
		}
		if _, err := p.SignIn(t.Context(),
			Attempt{Email: "ada@example.com", Password: "wrong", Former: second}); !errors.Is(err, ErrWrong) ||
			p.who(second) == nil {
			t.Errorf("a failure ended the session: %v", err)
		}
		if err := p.SignOut(t.Context(), second); err != nil || p.who(second) != nil {
			t.Errorf("signed out: %v", err)
		}
		if err := errors.Join(p.SignOut(t.Context(), second), p.SignOut(t.Context(), "x")); err != nil {
			t.Errorf("signed out twice: %v", err)
		}
	})
}

func TestPurge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		live := p.signIn("")
		past := micros.Now().Add(-time.Second)
		p.tx(p.ctx, func(ctx context.Context) error {
			for range 2*ent.PurgeBatch + 7 {
				sum, _ := digest.OfToken(digest.NewToken())
				err := s.DB(ctx).Session.Create().SetID(sum).SetUserID(p.ada).SetAgent("").SetCreatedAt(past).
					SetSeenAt(past).SetExpiresAt(past).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if n, err := p.Purge(t.Context()); n != 2*ent.PurgeBatch+7 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		if n, err := p.Purge(t.Context()); n != 0 || err != nil {
			t.Errorf("purged %d more, %v", n, err)
		}
		if p.who(live) == nil || p.sessions() != 1 {
			t.Error("the live session is gone")
		}
	})
}

func TestEndAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		bob := p.person("bob@example.com", hashed())
		p.join(p.ctx, bob, viewer.Support)
		signed, err := p.SignIn(t.Context(), Attempt{Email: "bob@example.com", Password: secret})
		if err != nil {
			t.Fatal(err)
		}
		first, second, third := p.signIn(""), p.signIn(""), p.signIn("")
		keep, _ := digest.OfToken(second)
		if n, err := p.EndAll(t.Context(), p.ada, keep); n != 2 || err != nil {
			t.Errorf("ended %d, %v", n, err)
		}
		if p.who(first) != nil || p.who(third) != nil || p.who(second) == nil || p.who(signed.Token) == nil {
			t.Error("the wrong sessions ended")
		}
		if n, err := p.EndAll(t.Context(), p.ada, digest.Sum{}); n != 1 || err != nil || p.who(second) != nil {
			t.Errorf("ended %d, %v", n, err)
		}
	})
}

// A new password ends the sessions and the proofs of the old one.
func TestReplace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		first, second := p.signIn(""), p.signIn("")
		keep, _ := digest.OfToken(second)
		proof, err := p.Prove(t.Context(), "ada@example.com", secret, Source{})
		if err != nil || proof.User != p.ada {
			t.Fatal(err)
		}
		next, err := password.Hash(t.Context(), "another password")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Replace(t.Context(), proof, next, keep); err != nil {
			t.Fatal(err)
		}
		if p.who(first) != nil || p.who(second) == nil {
			t.Error("the wrong session ended")
		}
		// A proof from before the change is worthless.
		if err := p.Replace(t.Context(), proof, hashed(), keep); !errors.Is(err, ErrWrong) {
			t.Errorf("an old proof: %v", err)
		}
		if err := p.store.InTx(t.Context(),
			func(ctx context.Context) error { return p.lockProved(ctx, proof) }); !errors.Is(err, ErrWrong) {
			t.Errorf("a sign-in beside the change: %v", err)
		}
		if _, err := p.Prove(t.Context(), "ada@example.com", secret, Source{}); !errors.Is(err, ErrWrong) {
			t.Errorf("the old password: %v", err)
		}
		p.tx(p.ctx, func(ctx context.Context) error {
			return s.DB(ctx).User.Update().Where(user.ID(p.ada)).SetDemo(true).Exec(ctx)
		})
		if n, err := p.Reset(t.Context(), p.ada, hashed()); n != 1 || err != nil || p.who(second) != nil {
			t.Errorf("reset: %d, %v", n, err)
		}
		if s.DB(p.ctx).User.GetX(p.ctx, p.ada).Demo {
			t.Error("reset: still a person of the demo")
		}
		p.signIn("")
		if _, err := p.Reset(t.Context(), xid.New(), next); err == nil {
			t.Error("reset an unknown person")
		}
	})
}

func TestNewKeeperNeedsStore(t *testing.T) {
	if _, err := NewKeeper(Config{}); err == nil {
		t.Error("a keeper without a store")
	}
}
