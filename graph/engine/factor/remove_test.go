package factor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	second "github.com/storefront-go/storefront/graph/engine/factor"
)

// A recovery code works once, however it is typed, and until new codes are created.
func TestRecoveryCodes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		eve := p.person("eve@example.com")
		if _, err := p.RenewCodes(t.Context(), p.by); code(err) != "conflict" {
			t.Errorf("without a factor: %v", err)
		}
		_, added := p.app(p.by)
		p.app(eve)
		codes := slices.Clone(added.Codes)
		slices.Sort(codes)
		if len(slices.Compact(codes)) != 10 || len(codes[0]) != 14 {
			t.Errorf("%q", codes)
		}
		typed := " " + strings.ToUpper(strings.ReplaceAll(added.Codes[0], "-", " "))
		if _, err := p.prove(eve.Person, second.Answer{Code: typed}); !errors.Is(err, second.ErrWrong) {
			t.Errorf("another person's: %v", err)
		}
		if used, err := p.prove(p.by.Person, second.Answer{Code: typed}); err != nil || used.CodesLeft != 9 {
			t.Errorf("%+v, %v", used, err)
		}
		if _, err := p.prove(p.by.Person, second.Answer{Code: added.Codes[0]}); !errors.Is(err, second.ErrWrong) {
			t.Errorf("twice: %v", err)
		}
		next, err := p.RenewCodes(t.Context(), p.by)
		if err != nil || len(next) != second.Codes {
			t.Fatalf("%q, %v", next, err)
		}
		if _, err := p.prove(p.by.Person, second.Answer{Code: added.Codes[1]}); !errors.Is(err, second.ErrWrong) {
			t.Errorf("an old one: %v", err)
		}
		if _, err := p.prove(p.by.Person, second.Answer{Code: next[0]}); err != nil {
			t.Errorf("a new one: %v", err)
		}
		log := p.log(p.by.Person)
		if !slices.Contains(log, "recovery_code.used (9 left)") || !slices.Contains(log, "factor.failed (recovery)") {
			t.Errorf("log: %q", log)
		}
		if got := p.letters(p.by.Person); !slices.Contains(got, "A recovery code of your account was used") ||
			!slices.Contains(got, "New recovery codes for your account") {
			t.Errorf("letters: %q", got)
		}
	})
}

// Of two concurrent uses of a recovery code, one succeeds.
func TestRecoveryAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		_, added := p.app(p.by)
		var let atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := p.prove(p.by.Person, second.Answer{Code: added.Codes[3]}); err == nil {
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

// The last factor stays while a store requires one, and takes the codes with it.
func TestRemove(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		eve := p.person("eve@example.com")
		_, app := p.app(p.by)
		_, key := p.passkey(p.by)
		if err := p.Remove(t.Context(), eve, app.Factor.ID); code(err) != "not_found" {
			t.Errorf("another person's: %v", err)
		}
		p.require()
		if err := p.Remove(t.Context(), p.by, key.Factor.ID); err != nil {
			t.Fatal(err)
		}
		err := p.Remove(t.Context(), p.by, app.Factor.ID)
		if code(err) != "second_factor_needed" ||
			!strings.Contains(err.Error(), s.DB(p.ctx).Store.GetX(p.ctx, p.shop).Name) {
			t.Errorf("the last: %v", err)
		}
		p.leave(p.by.Person)
		if err := p.Remove(t.Context(), p.by, app.Factor.ID); err != nil {
			t.Errorf("of somebody who left the store: %v", err)
		}
		if n, err := p.CodesLeft(t.Context(), p.by.Person); n != 0 || err != nil {
			t.Errorf("%d codes, %v", n, err)
		}
		if got := p.letters(p.by.Person); got[len(got)-1] != "An authenticator app was removed from your account" {
			t.Errorf("letters: %q", got)
		}
	})
}

// leave ends a membership, except in the directory, which may lag.
func (p *place) leave(person xid.ID) {
	p.t.Helper()
	p.tx(func(ctx context.Context) error {
		_, err := p.store.DB(ctx).Staff.Delete().Where(staff.ID(person)).Exec(ctx)
		return err
	})
}

func TestRename(t *testing.T) {
	p := newPlace(t, storetest.Open(t))
	_, app := p.app(p.by)
	for name, want := range map[string]string{
		"Work phone": "", " ": "", strings.Repeat("ä", 255): "", strings.Repeat("ä", 256): "validation_failed #/name",
		"a\nb": "validation_failed #/name", "a\u202eb": "validation_failed #/name", "\xff": "validation_failed #/name",
	} {
		if _, err := p.Rename(t.Context(), p.by, app.Factor.ID, name); code(err) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
	row, err := p.Rename(t.Context(), p.by, app.Factor.ID, " My phone ")
	if list, _ := p.List(t.Context(), p.by.Person); err != nil || row.Name != "My phone" || list[0].Name != row.Name {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := p.Rename(t.Context(), p.by, xid.New(), "x"); code(err) != "not_found" {
		t.Errorf("no such factor: %v", err)
	}
}

// The operator removes all factors, whatever the stores require.
func TestReset(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newPlace(t, s)
		p.app(p.by)
		p.passkey(p.by)
		p.require()
		if n, err := p.Reset(viewer.Operator(t.Context(), p.shop), p.by.Person); n != 2 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		left, err := p.CodesLeft(t.Context(), p.by.Person)
		list, _ := p.List(t.Context(), p.by.Person)
		if len(list) != 0 || left != 0 || err != nil || p.lives(p.by.Session) {
			t.Errorf("%d factors, %d codes, %v", len(list), left, err)
		}
		if got := p.letters(p.by.Person); len(got) != 4 {
			t.Errorf("letters: %q", got)
		}
		if n, err := p.Reset(t.Context(), p.by.Person); n != 0 || err != nil {
			t.Errorf("again: %d, %v", n, err)
		}
	})
}

// The effect of a proof commits with it or not at all.
func TestProveTogether(t *testing.T) {
	p := newPlace(t, storetest.Open(t))
	_, added := p.app(p.by)
	broken := errors.New("broken")
	err := p.Prove(t.Context(), p.by.Person, second.Answer{Code: added.Codes[0]},
		func(context.Context, second.Used) error { return broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	if n, _ := p.CodesLeft(t.Context(), p.by.Person); n != second.Codes {
		t.Errorf("%d codes left", n)
	}
	err = p.store.InTx(t.Context(), func(ctx context.Context) error {
		return p.Prove(ctx, p.by.Person, second.Answer{Code: "000000"}, nil)
	})
	if err == nil || errors.Is(err, second.ErrWrong) {
		t.Errorf("within a transaction: %v", err)
	}
	for _, text := range []string{"", "12345", "1234567", "abc", "0123456789abc", strings.Repeat("1", 1000)} {
		if _, err := p.prove(p.by.Person, second.Answer{Code: text}); code(err) != "rate_limited" &&
			!errors.Is(err, second.ErrWrong) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
