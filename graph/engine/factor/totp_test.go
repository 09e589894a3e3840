package factor_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/allowance"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/storetest"
	second "github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
)

// The first factor creates codes, ends the other session and sends an email.
func TestTOTP(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		up, err := p.BeginTOTP(t.Context(), p.by)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(up.URI)
		if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Storefront:ada@example.com" ||
			u.Query().Get("secret") != up.Secret || u.Query().Get("issuer") != "Storefront" || len(up.Secret) != 32 {
			t.Errorf("%s, %v", up.URI, err)
		}
		svg, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(up.QR, "data:image/svg+xml;base64,"))
		if err != nil || !strings.HasPrefix(string(svg), "<svg ") {
			t.Errorf("%s, %v", svg, err)
		}
		if _, err := p.ConfirmTOTP(t.Context(), p.by, up.Token, "", "12345x"); code(err) != "validation_failed #/code" {
			t.Errorf("no code: %v", err)
		}
		right := factortest.Code(t, up.Secret, time.Now())
		_, err = p.ConfirmTOTP(t.Context(), p.by, up.Token, "", wrongOf(right))
		if code(err) != "validation_failed #/code" || len(p.log(p.by.Person)) != 0 {
			t.Errorf("a wrong code: %v", err)
		}
		done, err := p.ConfirmTOTP(t.Context(), p.by, up.Token, " My phone ", right[:3]+" "+right[3:])
		if err != nil || done.Factor.Name != "My phone" || len(done.Codes) != second.Codes {
			t.Fatalf("%+v, %v", done, err)
		}
		if !p.lives(p.by.Session) || p.lives(p.other) {
			t.Error("the wrong session ended")
		}
		if d := cmp.Diff([]string{"factor.added (authenticator app: My phone)", "recovery_codes.made"},
			p.log(p.by.Person)); d != "" {
			t.Errorf("log (-want +got):\n%s", d)
		}
		if got := p.letters(p.by.Person); len(got) != 1 || got[0] != "An authenticator app was added to your account" {
			t.Errorf("letters: %q", got)
		}
		if _, err := p.ConfirmTOTP(t.Context(), p.by, up.Token, "", right); code(err) != "validation_failed #/token" {
			t.Errorf("confirmed twice: %v", err)
		}
		third := p.session(p.by.Person)
		if _, added := p.app(p.by); added.Codes != nil || !p.lives(third) || added.Factor.Name != "Authenticator app" {
			t.Errorf("the second factor: %+v", added)
		}
	})
}

// wrongOf returns a code that is not the right one.
func wrongOf(right string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+5)%10 }, right)
}

// A setup belongs to its person, and only the last one is valid.
func TestTOTPOfAnother(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		eve := p.person("eve@example.com")
		first, err := p.BeginTOTP(t.Context(), p.by)
		if err != nil {
			t.Fatal(err)
		}
		code1 := factortest.Code(t, first.Secret, time.Now())
		if _, err := p.ConfirmTOTP(t.Context(), eve, first.Token, "", code1); code(err) != "validation_failed #/token" {
			t.Errorf("another person's: %v", err)
		}
		if _, err := p.BeginTOTP(t.Context(), p.by); err != nil {
			t.Fatal(err)
		}
		_, err = p.ConfirmTOTP(t.Context(), p.by, first.Token, "", code1)
		if code(err) != "validation_failed #/token" {
			t.Errorf("one that was begun anew: %v", err)
		}
	})
}

// RFC 6238, section 5.2: a step is accepted once, as are one step before and after the current one,
// but none before the last accepted.
func TestTOTPSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, storetest.Open(t))
		secret, _ := p.app(p.by)
		try := func(shift time.Duration) bool {
			t.Helper()
			_, err := p.prove(p.by.Person, second.Answer{Code: factortest.Code(t, secret, time.Now().Add(shift))})
			if err != nil && !errors.Is(err, second.ErrWrong) {
				t.Fatal(err)
			}
			return err == nil
		}
		if try(0) {
			t.Error("the code that confirmed the set-up was accepted again")
		}
		time.Sleep(5 * time.Minute)
		for i, tc := range []struct {
			shift time.Duration
			want  bool
		}{{-time.Minute, false}, {time.Minute, false}, {-30 * time.Second, true}, {-30 * time.Second, false}, {0, true},
			{0, false}, {-30 * time.Second, false}, {30 * time.Second, true}, {0, false}} {
			if got := try(tc.shift); got != tc.want {
				t.Errorf("%d: a code of %v: %v, want %v", i, tc.shift, got, tc.want)
			}
			p.forget()
		}
	})
}

// forget resets the allowances.
func (p *place) forget() {
	p.t.Helper()
	c, all := storetest.AllStores(p.t, p.store)
	ids := c.Allowance.Query().IDsX(all)
	for _, id := range ids {
		p.tx(func(ctx context.Context) error {
			_, err := p.store.DB(ctx).Allowance.Delete().Where(allowance.ID(id)).Exec(ctx)
			return err
		})
	}
}

// Of many concurrent uses of a code, one succeeds.
func TestTOTPAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		secret, added := p.app(p.by)
		p.rewind(added.Factor.ID) // the setup has used the step
		shown := second.Answer{Code: factortest.Code(t, secret, time.Now())}
		var let atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := p.prove(p.by.Person, shown); err == nil {
					let.Add(1)
				} else if !errors.Is(err, second.ErrWrong) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if let.Load() != 1 {
			t.Errorf("%d were let in", let.Load())
		}
	})
}

// Wrong codes are limited by person, right ones are not, and recovery codes have their own
// allowance.
func TestGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, storetest.Open(t))
		secret, added := p.app(p.by)
		for range 10 {
			time.Sleep(time.Minute)
			if _, err := p.prove(p.by.Person, second.Answer{Code: factortest.Code(t, secret, time.Now())}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		right := factortest.Code(t, secret, time.Now())
		for range 5 {
			if _, err := p.prove(p.by.Person, second.Answer{Code: wrongOf(right)}); !errors.Is(err, second.ErrWrong) {
				t.Fatal(err)
			}
		}
		if _, err := p.prove(p.by.Person, second.Answer{Code: right}); code(err) != "rate_limited" {
			t.Errorf("the sixth: %v", err)
		}
		if _, err := p.prove(p.by.Person, second.Answer{Code: added.Codes[0]}); err != nil {
			t.Errorf("a recovery code: %v", err)
		}
		others := func(s string) bool { return s != "factor.failed (code)" }
		if n := len(slices.DeleteFunc(p.log(p.by.Person), others)); n != 5 {
			t.Errorf("%d failures in the log", n)
		}
		guesses := 5
		for start := time.Now(); time.Since(start) < 24*time.Hour; time.Sleep(time.Minute) {
			if _, err := p.prove(p.by.Person, second.Answer{Code: "000000"}); code(err) != "rate_limited" {
				guesses++
			}
		}
		if guesses > 160 {
			t.Errorf("%d guesses in a day", guesses)
		}
	})
}

// The number of factors of a person is limited, even if they add two at once.
func TestFactorLimit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p, most := newPlace(t, s), int(limit.Values(nil).Of(limit.Factors))
		for range most - 1 {
			p.passkey(p.by)
		}
		q, err := p.BeginPasskey(t.Context(), p.by)
		if err != nil {
			t.Fatal(err)
		}
		up, err := p.BeginTOTP(t.Context(), p.by)
		if err != nil {
			t.Fatal(err)
		}
		errs := make([]error, 2)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, errs[0] = p.FinishPasskey(t.Context(), p.by, q.Token, "", factortest.New(t, api).Create(q.Options))
		})
		wg.Go(func() {
			_, errs[1] = p.ConfirmTOTP(t.Context(), p.by, up.Token, "", factortest.Code(t, up.Secret, time.Now()))
		})
		wg.Wait()
		if a, b := code(errs[0]), code(errs[1]); a+b != "limit_reached" {
			t.Errorf("%q and %q", a, b)
		}
		if n := s.DB(p.ctx).Factor.Query().Where(factor.UserID(p.by.Person)).CountX(p.ctx); n != most {
			t.Errorf("%d factors", n)
		}
		if _, err := p.BeginPasskey(t.Context(), p.by); code(err) != "limit_reached" {
			t.Errorf("one more: %v", err)
		}
		if _, err := p.BeginTOTP(t.Context(), p.by); code(err) != "limit_reached" {
			t.Errorf("one more: %v", err)
		}
	})
}
