package factor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	second "github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
)

// rewind resets the last step of a factor.
func (p *place) rewind(id xid.ID) {
	p.t.Helper()
	p.tx(func(ctx context.Context) error {
		return p.store.DB(ctx).Factor.Update().Where(factor.UserID(p.by.Person), factor.ID(id)).SetStep(0).Exec(ctx)
	})
}

// shown asks for a passkey after a password and answers.
func (p *place) shown(a *factortest.Authenticator) second.Answer {
	p.t.Helper()
	q, err := p.AskSecond(p.t.Context(), p.by.Person)
	if err != nil {
		p.t.Fatal(err)
	}
	return second.Answer{Ceremony: q.Token, Response: a.Get(q.Options)}
}

// passwordless signs in with a passkey only.
func (p *place) passwordless(token string, response []byte) (person xid.ID, err error) {
	p.t.Helper()
	err = p.ProvePasswordless(p.t.Context(), token, response, func(_ context.Context, id xid.ID, _ second.Used) error {
		person = id
		return nil
	})
	return person, err
}

func TestPasskey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		a, added := p.passkey(p.by, func(a *factortest.Authenticator) { a.Count = 5 })
		if added.Factor.Name != "Laptop" || len(added.Codes) != second.Codes || p.lives(p.other) ||
			!bytes.Equal(a.Handle, p.by.Person[:]) {
			t.Errorf("%+v", added)
		}
		answer := p.shown(a)
		used, err := p.prove(p.by.Person, answer)
		if err != nil || used.Name != "Laptop" {
			t.Fatalf("%+v, %v", used, err)
		}
		c, all := storetest.AllStores(t, s)
		if row := c.Factor.GetX(all, added.Factor.ID); row.Step != 6 || row.LastUsedAt == nil {
			t.Errorf("%+v", row)
		}
		if _, err := p.prove(p.by.Person, answer); !errors.Is(err, second.ErrWrong) {
			t.Errorf("twice: %v", err)
		}
		q, err := p.AskPasswordless(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		response := a.Get(q.Options)
		if who, err := p.passwordless(q.Token, response); err != nil || who != p.by.Person {
			t.Fatalf("%s, %v", who, err)
		}
		if _, err := p.passwordless(q.Token, response); !errors.Is(err, second.ErrWrong) {
			t.Errorf("passwordless twice: %v", err)
		}
		want := []string{"factor.added (passkey: Laptop)", "recovery_codes.made", "factor.used (passkey: Laptop)",
			"factor.failed (passkey)", "factor.used (passkey: Laptop)"}
		if got := p.log(p.by.Person); !slices.Equal(got, want) {
			t.Errorf("log: %q", got)
		}
	})
}

// Existing passkeys are excluded from registration.
func TestPasskeyExcludes(t *testing.T) {
	p := newPlace(t, storetest.Open(t))
	p.passkey(p.by)
	q, err := p.BeginPasskey(t.Context(), p.by)
	if err != nil {
		t.Fatal(err)
	}
	var o struct {
		PublicKey struct {
			RP                     struct{ ID string }
			ExcludeCredentials     []any
			Attestation            string
			AuthenticatorSelection struct{ ResidentKey, UserVerification string }
		}
	}
	if err := json.Unmarshal(q.Options, &o); err != nil {
		t.Fatal(err)
	}
	if o.PublicKey.RP.ID != "shop.example" || len(o.PublicKey.ExcludeCredentials) != 1 ||
		o.PublicKey.Attestation != "none" || o.PublicKey.AuthenticatorSelection.ResidentKey != "preferred" ||
		o.PublicKey.AuthenticatorSelection.UserVerification != "preferred" {
		t.Errorf("%s", q.Options)
	}
}

// Each of these is refused.
func TestPasskeyRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		eve := p.person("eve@example.com")
		a, _ := p.passkey(p.by)
		eves, _ := p.passkey(eve)
		ask := func() *second.Ceremony {
			t.Helper()
			q, err := p.AskPasswordless(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		for name, answer := range map[string]func() (string, []byte){
			"of another page": func() (string, []byte) {
				q, b := ask(), *a
				b.Origin = "https://evil.example"
				return q.Token, b.Get(q.Options)
			},
			"of another name": func() (string, []byte) {
				q, b := ask(), *a
				b.RPID = "evil.example"
				return q.Token, b.Get(q.Options)
			},
			"of somebody who was not verified": func() (string, []byte) {
				q, b := ask(), *a
				b.Verifies = false
				return q.Token, b.Get(q.Options)
			},
			"for another person": func() (string, []byte) {
				q, b := ask(), *eves
				b.Handle = a.Handle
				return q.Token, b.Get(q.Options)
			},
			"for nobody": func() (string, []byte) {
				q, b := ask(), *a
				b.Handle = make([]byte, 16)
				return q.Token, b.Get(q.Options)
			},
			"without a person": func() (string, []byte) {
				q, b := ask(), *a
				b.Handle = nil
				return q.Token, b.Get(q.Options)
			},
			"to another question":       func() (string, []byte) { return ask().Token, a.Get(ask().Options) },
			"to the question of a step": func() (string, []byte) { a := p.shown(a); return a.Ceremony, a.Response },
			"without a question": func() (string, []byte) {
				return strings.Repeat("A", 52), a.Get(ask().Options)
			},
			"that is no JSON": func() (string, []byte) { return ask().Token, []byte("{") },
			"that is too long": func() (string, []byte) {
				return ask().Token, append(a.Get(ask().Options), bytes.Repeat([]byte(" "), limit.Passkey)...)
			},
		} {
			if who, err := p.passwordless(answer()); !errors.Is(err, second.ErrWrong) || !who.IsNil() {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := p.prove(p.by.Person, p.shown(eves)); !errors.Is(err, second.ErrWrong) {
			t.Errorf("another person's as the second: %v", err)
		}
		q := ask()
		if _, err := p.prove(p.by.Person, second.Answer{Ceremony: q.Token, Response: a.Get(q.Options)}); !errors.Is(err,
			second.ErrWrong) {
			t.Errorf("the question of a passwordless one: %v", err)
		}
		p.madeRefused(a, eve)
	})
}

// madeRefused tries registrations that must fail.
func (p *place) madeRefused(a *factortest.Authenticator, eve second.By) {
	p.t.Helper()
	ctx := p.t.Context()
	q, err := p.BeginPasskey(ctx, p.by)
	if err != nil {
		p.t.Fatal(err)
	}
	evil := factortest.New(p.t, "https://evil.example")
	for name, tc := range map[string]struct {
		by       second.By
		token    string
		response []byte
		want     string
	}{
		"another person": {eve, q.Token, factortest.New(p.t, api).Create(q.Options), "validation_failed #/token"},
		"another page":   {p.by, q.Token, evil.Create(q.Options), "validation_failed #/response"},
		"a signature":    {p.by, q.Token, a.Get(q.Options), "validation_failed #/response"},
		"nothing":        {p.by, q.Token, nil, "validation_failed #/response"},
		"no question": {p.by, "x", factortest.New(p.t, api).Create(q.Options),
			"validation_failed #/token"},
	} {
		if _, err := p.FinishPasskey(ctx, tc.by, tc.token, "", tc.response); code(err) != tc.want {
			p.t.Errorf("%s: %v", name, err)
		}
	}
}

// A signature counter that goes back, or stays, is refused and recorded.
func TestCopiedPasskey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		a, _ := p.passkey(p.by, func(a *factortest.Authenticator) { a.Count = 5 })
		twin := *a
		if _, err := p.prove(p.by.Person, p.shown(a)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.prove(p.by.Person, p.shown(&twin)); !errors.Is(err, second.ErrWrong) {
			t.Errorf("a copy: %v", err)
		}
		twin.Count = 2
		q, err := p.AskPasswordless(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.passwordless(q.Token, twin.Get(q.Options)); !errors.Is(err, second.ErrWrong) {
			t.Errorf("a passwordless copy: %v", err)
		}
		log := p.log(p.by.Person)
		want := "factor.failed (passkey: the signature counter went backwards)"
		if n := len(log); log[n-1] != want || log[n-2] != want {
			t.Errorf("log: %q", log)
		}
		if _, err := p.prove(p.by.Person, p.shown(a)); err != nil {
			t.Errorf("the original: %v", err)
		}
	})
}

// A ceremony expires, and ends with the factor that it is about.
func TestCeremonyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, storetest.Open(t))
		a, added := p.passkey(p.by)
		p.passkey(p.by)
		late, q := p.shown(a), must(p.AskPasswordless(t.Context()))
		registration := must(p.BeginPasskey(t.Context(), p.by))
		app := must(p.BeginTOTP(t.Context(), p.by))
		time.Sleep(second.Life)
		if _, err := p.prove(p.by.Person, late); !errors.Is(err, second.ErrWrong) {
			t.Errorf("late: %v", err)
		}
		if _, err := p.passwordless(q.Token, a.Get(q.Options)); !errors.Is(err, second.ErrWrong) {
			t.Errorf("late, passwordless: %v", err)
		}
		_, err := p.FinishPasskey(t.Context(), p.by, registration.Token, "",
			factortest.New(t, api).Create(registration.Options))
		if code(err) != "validation_failed #/token" {
			t.Errorf("made late: %v", err)
		}
		_, err = p.ConfirmTOTP(t.Context(), p.by, app.Token, "", factortest.Code(t, app.Secret, time.Now()))
		if code(err) != "validation_failed #/token" {
			t.Errorf("confirmed late: %v", err)
		}
		flying, q := p.shown(a), must(p.AskPasswordless(t.Context()))
		if err := p.Remove(t.Context(), p.by, added.Factor.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := p.prove(p.by.Person, flying); !errors.Is(err, second.ErrWrong) {
			t.Errorf("removed meanwhile: %v", err)
		}
		if _, err := p.passwordless(q.Token, a.Get(q.Options)); !errors.Is(err, second.ErrWrong) {
			t.Errorf("removed meanwhile, passwordless: %v", err)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The open questions of a network and of a person are limited.
func TestAskRate(t *testing.T) {
	p := newPlace(t, storetest.Open(t))
	p.passkey(p.by)
	from := viewer.WithOrigin(t.Context(), viewer.Origin{Client: netip.MustParseAddr("192.0.2.7")})
	ask := map[string]func() (*second.Ceremony, error){
		"alone":  func() (*second.Ceremony, error) { return p.AskPasswordless(from) },
		"second": func() (*second.Ceremony, error) { return p.AskSecond(t.Context(), p.by.Person) },
	}
	for name, f := range ask {
		n := 0
		for ; n < 100; n++ {
			if _, err := f(); code(err) == "rate_limited" {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if n < 30 || n > 40 {
			t.Errorf("%s: %d questions", name, n)
		}
	}
}
