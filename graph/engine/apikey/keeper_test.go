package apikey_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbkey "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// shop is a store with a key and a member who has a token.
type shop struct {
	*ent.Store
	ctx        context.Context
	row        *db.Store
	key, token apikey.Secret
	keyID      xid.ID
	tokenID    xid.ID
	person     xid.ID
}

func newShop(t testing.TB, s *ent.Store, expires *micros.Time) *shop {
	t.Helper()
	ctx, row := storetest.Merchant(t, s)
	p := &shop{Store: s, ctx: ctx, row: row, key: apikey.Mint(apikey.Key), token: apikey.Mint(apikey.Staff),
		keyID: xid.New(), tokenID: xid.New(), person: xid.New()}
	p.change(t, func(ctx context.Context, c *db.Client) error {
		return errors.Join(
			c.Credential.Create().SetID(p.key.Hash()).SetStoreID(row.ID).SetCredentialID(p.keyID).
				SetKind(string(apikey.Key)).Exec(ctx),
			c.APIKey.Create().SetID(p.keyID).SetLineageID(p.keyID).SetSlot(1).SetName("Sync").
				SetHint(apikey.Hint(p.key)).SetScopes("orders.write").SetNillableExpiresAt(expires).Exec(ctx),
			c.Credential.Create().SetID(p.token.Hash()).SetStoreID(row.ID).SetCredentialID(p.tokenID).
				SetKind(string(apikey.Staff)).Exec(ctx),
			c.StaffToken.Create().SetID(p.tokenID).SetUserID(p.person).SetName("Laptop").SetHint(apikey.Hint(p.token)).
				Exec(ctx),
			c.Staff.Create().SetID(p.person).SetRole(viewer.Support).SetUpdatedAt(1).Exec(ctx))
	})
	p.change(t, func(ctx context.Context, c *db.Client) error {
		return errors.Join(
			c.UserEmail.Create().SetID(p.person.String()+"@example.com").SetUserID(p.person).Exec(ctx),
			c.User.Create().SetID(p.person).SetEmail(p.person.String()+"@example.com").SetName("Ada").SetUpdatedAt(1).
				Exec(ctx))
	})
	return p
}

func (p *shop) change(t testing.TB, f func(context.Context, *db.Client) error) {
	t.Helper()
	if err := p.InTx(p.ctx, func(ctx context.Context) error { return f(ctx, p.DB(ctx)) }); err != nil {
		t.Fatal(err)
	}
}

func (p *shop) revoke(t testing.TB) {
	p.change(t, func(ctx context.Context, c *db.Client) error {
		return c.APIKey.Update().Where(dbkey.ID(p.keyID)).ClearSlot().SetRevokedAt(micros.Now()).Exec(ctx)
	})
}

func refused(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.InvalidToken
}

func TestAuthenticate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p, k := newShop(t, s, nil), apikey.NewKeeper(s)
		v, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key)
		if err != nil || v.Kind != viewer.APIKey || v.Store != p.row.ID || v.Actor != p.keyID ||
			v.Principal != p.keyID || v.Credential != p.keyID || v.Currency != "EUR" || v.Name != "Sync" ||
			v.Role != "" {
			t.Errorf("key: %+v, %v", v, err)
		}
		if v.Granted != scope.Of(scope.OrdersWrite) || v.Scopes != scope.Of(scope.OrdersWrite, scope.OrdersRead) {
			t.Errorf("key: granted %s, effective %s", v.Granted, v.Scopes)
		}
		v, err = k.Authenticate(t.Context(), p.token.Reveal(), apikey.Key, apikey.Staff)
		if err != nil || v.Kind != viewer.Staff || v.Actor != p.person || v.Principal != p.person ||
			v.Credential != p.tokenID || v.Role != viewer.Support || v.Name != "Ada" ||
			v.Scopes != viewer.Support.Scopes().Effective() {
			t.Errorf("token: %+v, %v", v, err)
		}
		for name, token := range map[string]string{
			"empty": "", "unknown": apikey.Mint(apikey.Key).Reveal(), "another kind": p.token.Reveal(),
			"a typing error": p.key.Reveal()[:41] + "!", "spaces": " " + p.key.Reveal(),
		} {
			if v, err := k.Authenticate(t.Context(), token, apikey.Key); v != nil || !refused(err) {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		}
	})
}

// A cached credential costs no statement, and neither does a malformed one.
func TestAuthenticateRemembers(t *testing.T) {
	s := storetest.Open(t)
	p, k := newShop(t, s, nil), apikey.NewKeeper(s)
	first, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Statements()
	again, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key)
	if again != first || err != nil {
		t.Errorf("second time: %v, %v", again, err)
	}
	k.Authenticate(t.Context(), p.key.Reveal()[:41]+"!", apikey.Key)
	k.Authenticate(t.Context(), p.token.Reveal(), apikey.Key)
	if n := s.Statements() - before; n != 0 {
		t.Errorf("%d statements, want none", n)
	}
}

// A change that ends a credential takes effect at once if Forget is called.
func TestForget(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for _, tc := range []struct {
			name   string
			staff  bool
			change func(*shop) func(context.Context, *db.Client) error
		}{
			{"key revoked", false, func(p *shop) func(context.Context, *db.Client) error {
				return func(ctx context.Context, c *db.Client) error {
					return c.APIKey.Update().Where(dbkey.ID(p.keyID)).SetRevokedAt(micros.Now()).Exec(ctx)
				}
			}},
			{"key expired", false, func(p *shop) func(context.Context, *db.Client) error {
				return func(ctx context.Context, c *db.Client) error {
					return c.APIKey.Update().Where(dbkey.ID(p.keyID)).SetExpiresAt(micros.Now()).Exec(ctx)
				}
			}},
			{"store closed", false, func(p *shop) func(context.Context, *db.Client) error {
				return func(ctx context.Context, c *db.Client) error {
					return c.Store.Update().Where(store.ID(p.row.ID)).SetStatus(state.StoreClosed).Exec(ctx)
				}
			}},
			{"token revoked", true, func(p *shop) func(context.Context, *db.Client) error {
				return func(ctx context.Context, c *db.Client) error {
					return c.StaffToken.Update().Where(stafftoken.ID(p.tokenID)).SetRevokedAt(micros.Now()).Exec(ctx)
				}
			}},
			{"member removed", true, func(p *shop) func(context.Context, *db.Client) error {
				return func(ctx context.Context, c *db.Client) error {
					_, err := c.Staff.Delete().Where(staff.ID(p.person)).Exec(ctx)
					return err
				}
			}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				p, k := newShop(t, s, nil), apikey.NewKeeper(s)
				secret := p.key
				if tc.staff {
					secret = p.token
				}
				use := func() error {
					_, err := k.Authenticate(t.Context(), secret.Reveal(), apikey.Key, apikey.Staff)
					return err
				}
				if err := use(); err != nil {
					t.Fatal(err)
				}
				p.change(t, tc.change(p))
				if err := use(); err != nil {
					t.Errorf("before Forget: %v, want it cached", err)
				}
				k.Forget(p.row.ID)
				if err := use(); !refused(err) {
					t.Errorf("after Forget: %v, want refused", err)
				}
			})
		}
	})
}

// Forgetting one owner leaves the others cached.
func TestForgetIsOfOneOwner(t *testing.T) {
	s := storetest.Open(t)
	k, i := apikey.NewKeeper(s), newInstall(t, s, nil)
	other := newShop(t, s, nil)
	for k.Together(i.row.ID, other.row.ID) || k.Together(i.row.ID, other.keyID) ||
		k.Together(i.app, i.row.ID) || k.Together(i.app, i.keyID) ||
		k.Together(i.app, other.row.ID) || k.Together(i.app, other.keyID) {
		i, other = newInstall(t, s, nil), newShop(t, s, nil)
	}
	all := []apikey.Secret{other.key, i.key, i.secret}
	for _, tc := range []struct {
		name       string
		owner      xid.ID
		statements []int64 // statements for each of all
	}{
		{"nobody yet", xid.Nil, []int64{1, 1, 1}},
		{"a store", i.row.ID, []int64{0, 1, 1}},
		{"an app", i.app, []int64{0, 0, 1}},
	} {
		k.Forget(tc.owner)
		for n, secret := range all {
			before := int64(s.Statements())
			if _, err := k.Authenticate(t.Context(), secret.Reveal(), apikey.Key, apikey.Access); err != nil {
				t.Fatal(err)
			}
			if got := int64(s.Statements()) - before; got != tc.statements[n] {
				t.Errorf("%s forgotten: credential %d took %d statements, want %d", tc.name, n, got, tc.statements[n])
			}
		}
	}
}

// A revocation by another process takes effect within the contract's ten seconds, and a key's own
// expiry to the microsecond.
func TestFreshness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		revoked, expiring := newShop(t, s, nil), newShop(t, s, new(micros.Now().Add(5*time.Second)))
		k := apikey.NewKeeper(s)
		use := func(p *shop) error {
			_, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key)
			return err
		}
		if err := errors.Join(use(revoked), use(expiring)); err != nil {
			t.Fatal(err)
		}
		revoked.revoke(t)
		time.Sleep(5*time.Second - time.Microsecond)
		if err := errors.Join(use(revoked), use(expiring)); err != nil {
			t.Errorf("before their end: %v", err)
		}
		time.Sleep(time.Microsecond)
		if err := use(expiring); !refused(err) {
			t.Errorf("expired: %v, want refused", err)
		}
		time.Sleep(apikey.Freshness - 5*time.Second)
		if err := use(revoked); !refused(err) {
			t.Errorf("revoked %v ago elsewhere: %v, want refused", apikey.Freshness, err)
		}
	})
}

// The result of a look-up that read the key before it was revoked is not used afterwards, however
// late it is cached.
func TestLookUpAcrossForget(t *testing.T) {
	s := storetest.Open(t)
	p, k := newShop(t, s, nil), apikey.NewKeeper(s)
	apikey.RememberLate(t, k, p.key, func() {
		p.revoke(t)
		k.Forget(p.row.ID)
	})
	if _, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key); !refused(err) {
		t.Errorf("after Forget: %v, want refused", err)
	}
}

func TestWriteUsed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p, k := newShop(t, s, nil), apikey.NewKeeper(s)
		lastUse := func() (key, token *micros.Time) {
			return p.DB(p.ctx).APIKey.Query().Where(dbkey.ID(p.keyID)).OnlyX(p.ctx).LastUsedAt,
				p.DB(p.ctx).StaffToken.Query().Where(stafftoken.ID(p.tokenID)).OnlyX(p.ctx).LastUsedAt
		}
		for _, secret := range []apikey.Secret{p.key, p.token} {
			if _, err := k.Authenticate(t.Context(), secret.Reveal(), apikey.Key, apikey.Staff); err != nil {
				t.Fatal(err)
			}
		}
		// A key that is revoked right after its use still shows it.
		p.revoke(t)
		k.Forget(p.row.ID)
		k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key)
		if err := k.WriteUsed(t.Context()); err != nil {
			t.Fatal(err)
		}
		key, token := lastUse()
		if key == nil || token == nil {
			t.Fatalf("last use: key %v, token %v", key, token)
		}
		before := s.Statements()
		if err := k.WriteUsed(t.Context()); err != nil || s.Statements() != before {
			t.Errorf("unused: %d statements, %v, want none", s.Statements()-before, err)
		}
	})
}

// A use that could not be written is written the next time.
func TestWriteUsedAgain(t *testing.T) {
	s := storetest.Open(t)
	p, k := newShop(t, s, nil), apikey.NewKeeper(s)
	if _, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	k.WriteUsed(ended)
	if err := k.WriteUsed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.DB(p.ctx).APIKey.Query().Where(dbkey.ID(p.keyID)).OnlyX(p.ctx).LastUsedAt == nil {
		t.Error("the use was lost")
	}
}

// The target is below a microsecond and two allocations.
func BenchmarkAuthenticate(b *testing.B) {
	s := storetest.Open(b)
	p, k := newShop(b, s, nil), apikey.NewKeeper(s)
	token, ctx := p.key.Reveal(), b.Context()
	if n := testing.AllocsPerRun(100, func() { k.Authenticate(ctx, token, apikey.Key) }); n > 2 {
		b.Fatalf("%v allocations, want at most 2", n)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Authenticate(ctx, token, apikey.Key, apikey.Access); err != nil {
			b.Fatal(err)
		}
	}
}
