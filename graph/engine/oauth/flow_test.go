package oauth_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/app"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// The whole flow: consent, code, tokens, refresh, and the rows that each leaves.
func TestFlow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		r := st.begin("scope", "orders.write unknown.read customers.read")
		if want := scope.Of(scope.OrdersRead, scope.OrdersWrite); r.Scopes != want {
			t.Errorf("asked %s, want %s", r.Scopes, want)
		}
		screen, err := st.Consent(st.person, r)
		if err != nil || screen.Known || !screen.Allowable() {
			t.Fatalf("%+v, %v", screen, err)
		}
		to, err := st.Allow(st.person, r, screen.Ticket)
		if err != nil {
			t.Fatal(err)
		}
		q := query(t, to)
		if !strings.HasPrefix(to, callback+"?") || q.Get("iss") != issuer || q.Get("state") != "s&1" {
			t.Errorf("sent to %s", to)
		}
		first, err := st.exchange(q.Get("code"))
		if err != nil {
			t.Fatal(err)
		}
		if first.ExpiresIn != time.Hour || first.Store != st.id || first.Scopes != r.Scopes {
			t.Errorf("%+v", first)
		}
		v, err := st.keys.Authenticate(t.Context(), first.Access.Reveal(), "sfa_")
		if err != nil || v.Store != st.id || v.Actor != st.app.ID || v.Scopes != r.Scopes {
			t.Errorf("%+v, %v", v, err)
		}
		second, err := st.refresh(first.Refresh)
		if err != nil || !st.opens(second.Access) || !st.opens(first.Access) {
			t.Errorf("after a refresh: %v", err)
		}
		if screen, err := st.Consent(st.person, st.begin()); err != nil || !screen.Known || screen.Earlier != r.Scopes {
			t.Errorf("earlier: %+v, %v", screen, err)
		}
	})
}

// A code that is presented again ends its family, whatever else is wrong; so does a rotated refresh
// token. The event, the notice and the audit row are written once.
func TestReuse(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for name, again := range map[string]func(st *stage, code string, first *oauth.Token) error{
			"the same request": func(
				st *stage, code string, _ *oauth.Token,
			) error {
				_, err := st.exchange(code)
				return err
			},
			"without a client": func(st *stage, code string, _ *oauth.Token) error {
				_, err := st.Token(t.Context(), form(t, "code", code), nil)
				return err
			},
			"as another grant type": func(st *stage, code string, _ *oauth.Token) error {
				_, err := st.Token(t.Context(), form(t, "code", code, "grant_type", "password"), nil)
				return err
			},
			"repeated parameters": func(st *stage, code string, _ *oauth.Token) error {
				_, err := st.Token(t.Context(), form(t, "code", code, "client_id", "a", "client_id", "b"), nil)
				return err
			},
			"a rotated refresh token": func(st *stage, _ string, first *oauth.Token) error {
				if next, err := st.refresh(first.Refresh); err != nil || !st.opens(next.Access) {
					t.Fatal(err)
				}
				_, err := st.refresh(first.Refresh)
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				st := newStage(t, s)
				secret := st.consent()
				first, err := st.exchange(secret)
				if err != nil || !st.opens(first.Access) {
					t.Fatal(err)
				}
				for range 2 {
					if err := again(st, secret, first); code(err) != oauth.InvalidGrant {
						t.Fatalf("got %v, want invalid_grant", err)
					}
					if name == "a rotated refresh token" {
						break // the second round could not refresh any more
					}
				}
				if g := st.only(); g.RevokedAt == nil || g.Version != 2 || g.EventSequence != 1 ||
					st.opens(first.Access) {
					t.Errorf("the family lives: %+v", g)
				}
				if _, err := st.refresh(first.Refresh); code(err) != oauth.InvalidGrant {
					t.Errorf("refresh: %v", err)
				}
				st.announced(t)
			})
		}
	})
}

// announced checks that there is one event, one notice and one audit row about the end of the
// grant.
func (st *stage) announced(t *testing.T) {
	t.Helper()
	c := st.store.DB(st.person)
	events, err := c.Event.Query().Where(dbevent.TypeEQ(event.AppGrantRevoked)).Count(st.person)
	notices, nerr := c.Notification.Query().Count(st.person)
	if err != nil || nerr != nil || events != 1 || notices != 1 {
		t.Errorf("%d events, %d notices (%v, %v), want one each", events, notices, err, nerr)
	}
}

// A failed first attempt consumes nothing.
func TestFailedTryConsumesNothing(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	other := st.register("orders.read", callback)
	secret := st.consent()
	good := map[string]string{"grant_type": "authorization_code", "code": secret, "client_id": st.app.ClientID,
		"redirect_uri": callback, "code_verifier": verifier}
	for _, tc := range []struct{ name, value, want string }{
		{"grant_type", "refresh_token", oauth.InvalidRequest},
		{"grant_type", "implicit", oauth.UnsupportedGrantType},
		{"grant_type", "", oauth.InvalidRequest},
		{"client_id", other.ClientID, oauth.InvalidGrant},
		{"client_id", "nobody", oauth.InvalidClient},
		{"client_id", "", oauth.InvalidClient},
		{"redirect_uri", "http://127.0.0.1/callback", oauth.InvalidGrant},
		{"redirect_uri", "", oauth.InvalidRequest},
		{"code_verifier", "", oauth.InvalidRequest},
		{"code_verifier", challenge(verifier), oauth.InvalidGrant},
		{"code_verifier", verifier[1:], oauth.InvalidGrant},
		{"client_secret", "x", oauth.InvalidClient},
	} {
		var pairs []string
		for name, value := range good {
			if name != tc.name {
				pairs = append(pairs, name, value)
			}
		}
		if _, err := st.Token(t.Context(), form(t, append(pairs, tc.name, tc.value)...), nil); code(err) != tc.want {
			t.Errorf("%s=%q: got %v, want %s", tc.name, tc.value, err, tc.want)
		}
	}
	if _, err := st.exchange(secret); err != nil {
		t.Errorf("the good request: %v", err)
	}
}

// Lifetimes by a fake clock: 60 s for a code, an hour for an access token, 30 days without use and
// 180 in all for a family.
func TestLifetimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, storetest.Open(t))
		late := st.consent()
		time.Sleep(oauth.CodeLife)
		if _, err := st.exchange(late); code(err) != oauth.InvalidGrant {
			t.Errorf("a late code: %v", err)
		}
		token := st.token()
		time.Sleep(oauth.AccessLife)
		if st.opens(token.Access) {
			t.Error("the access token outlived its hour")
		}
		idle := st.token()
		time.Sleep(oauth.RefreshLife)
		if _, err := st.refresh(idle.Refresh); code(err) != oauth.InvalidGrant {
			t.Errorf("an idle family: %v", err)
		}
		token = st.token()
		for range 9 {
			time.Sleep(20*24*time.Hour - time.Minute)
			next, err := st.refresh(token.Refresh)
			if err != nil {
				t.Fatal(err)
			}
			token = next
		}
		if token.ExpiresIn > 10*time.Minute {
			t.Errorf("the last access token lives %s, beyond its family", token.ExpiresIn)
		}
		time.Sleep(10 * time.Minute)
		if _, err := st.refresh(token.Refresh); code(err) != oauth.InvalidGrant {
			t.Errorf("a family of more than 180 days: %v", err)
		}
	})
}

// A refresh may narrow the scopes of its access token, but never widen them, and scopes that the
// app lost are lost at once.
func TestScopesOfRefresh(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	token := st.token()
	narrow, err := st.refresh(token.Refresh, "scope", "orders.read")
	if err != nil || narrow.Scopes != scope.Of(scope.OrdersRead) {
		t.Fatalf("%+v, %v", narrow, err)
	}
	if v, err := st.keys.Authenticate(t.Context(), narrow.Access.Reveal(), "sfa_"); err != nil ||
		v.Scopes != narrow.Scopes {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := st.refresh(narrow.Refresh, "scope", "orders.read customers.read"); code(err) != oauth.InvalidScope {
		t.Errorf("wider: %v", err)
	}
	wide, err := st.refresh(narrow.Refresh)
	if err != nil || wide.Scopes != token.Scopes {
		t.Errorf("the next one: %+v, %v", wide, err)
	}
	ctx := viewer.Operator(t.Context(), st.app.StoreID)
	err = st.store.InTx(ctx, func(ctx context.Context) error {
		return st.store.DB(ctx).App.Update().Where(app.ID(st.app.ID)).SetScopes("products.read").Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	less, err := st.refresh(wide.Refresh)
	if err != nil || less.Scopes != scope.Of(scope.ProductsRead) {
		t.Errorf("after the app lost a scope: %+v, %v", less, err)
	}
}

// A ticket is valid once, for its session, store and request.
func TestTicket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, storetest.Open(t))
		r := st.begin()
		ticket := func(ctx context.Context, r *oauth.Request) string {
			screen, err := st.Consent(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			return screen.Ticket
		}
		good := ticket(st.person, r)
		for name, bad := range map[string]string{"none": "", "rubbish": "x", "longer": good + "A",
			"another session": ticket(st.as(viewer.Owner), r),
			"another request": ticket(st.person, st.begin("scope", "orders.read"))} {
			if _, err := st.Allow(st.person, r, bad); !errors.Is(err, oauth.ErrInvalidTicket) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := st.Allow(st.person, r, good); err != nil {
			t.Error(err)
		}
		for _, again := range []func(context.Context, *oauth.Request, string) (string, error){st.Allow, st.Deny} {
			if _, err := again(st.person, r, good); !errors.Is(err, oauth.ErrInvalidTicket) {
				t.Errorf("again: %v", err)
			}
		}
		denied := ticket(st.person, r)
		to, err := st.Deny(st.person, r, denied)
		if q := query(t, to); err != nil || q.Get("error") != oauth.AccessDenied || q.Get("state") != "s&1" ||
			q.Get("iss") != issuer {
			t.Errorf("denied: %s, %v", to, err)
		}
		if _, err := st.Allow(st.person, r, denied); !errors.Is(err, oauth.ErrInvalidTicket) {
			t.Errorf("allowed after a denial: %v", err)
		}
		late := ticket(st.person, r)
		time.Sleep(oauth.TicketLife)
		if _, err := st.Allow(st.person, r, late); !errors.Is(err, oauth.ErrInvalidTicket) {
			t.Errorf("late: %v", err)
		}
	})
}

// People can only grant scopes that they have.
func TestWhoMayConsent(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	for role, want := range map[viewer.Role]bool{
		viewer.Owner: true, viewer.Admin: true, viewer.Developer: false, viewer.Support: false,
	} {
		ctx, r := st.as(role), st.begin()
		screen, err := st.Consent(ctx, r)
		if err != nil || screen.Allowable() != want {
			t.Errorf("%s: %+v, %v", role, screen, err)
		}
		if _, err := st.Allow(ctx, r, screen.Ticket); (err == nil) != want {
			t.Errorf("%s: %v", role, err)
		}
	}
	r := st.begin("scope", "products.read")
	if screen, err := st.Consent(st.as(viewer.Developer), r); err != nil || !screen.Allowable() {
		t.Errorf("a developer and products: %+v, %v", screen, err)
	}
}

func TestRevoke(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st := newStage(t, s)
		other := st.register("orders.read", callback)
		token := st.token()
		revoke := func(client, token string) error {
			return st.Revoke(t.Context(), form(t, "client_id", client, "token", token), nil)
		}
		for _, secret := range []string{token.Access.Reveal(), token.Refresh.Reveal()} {
			if err := revoke(other.ClientID, secret); code(err) != oauth.InvalidGrant || !st.opens(token.Access) {
				t.Errorf("another client's: %v", err)
			}
		}
		if err := revoke(st.app.ClientID, token.Access.Reveal()); err != nil || st.opens(token.Access) {
			t.Errorf("access token: %v", err)
		}
		next, err := st.refresh(token.Refresh)
		if err != nil || !st.opens(next.Access) {
			t.Fatalf("the grant outlives its token: %v", err)
		}
		if err := revoke(st.app.ClientID, next.Refresh.Reveal()); err != nil || st.opens(next.Access) {
			t.Errorf("refresh token: %v", err)
		}
		if g := st.only(); g.RevokedReason == nil || *g.RevokedReason != state.GrantEndedByApp {
			t.Errorf("%+v", g)
		}
		for _, unknown := range []string{"x", next.Refresh.Reveal(), "sfa_eJElZ4aqVd9dS47AmIVjWVtNogEe9THy4eX2t3"} {
			if err := revoke(st.app.ClientID, unknown); err != nil {
				t.Errorf("%s: %v", unknown, err)
			}
		}
	})
}

// The steps cost a constant number of statements: two look-ups, three writes, and those of the
// transaction.
func TestStatements(t *testing.T) {
	st := newStage(t, storetest.Open(t))
	secret := st.consent()
	before := st.store.Statements()
	token, err := st.exchange(secret)
	if n := st.store.Statements() - before; err != nil || n != 5 {
		t.Errorf("exchange: %d statements, want 5 (%v)", n, err)
	}
	before = st.store.Statements()
	_, err = st.refresh(token.Refresh)
	if n := st.store.Statements() - before; err != nil || n != 5 {
		t.Errorf("refresh: %d statements, want 5 (%v)", n, err)
	}
}

// Ended grants and tokens are purged; what still distinguishes theft from error is kept.
func TestPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, storetest.Open(t))
		st.consent() // never redeemed
		secret := st.consent()
		token, err := st.exchange(secret)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(26 * time.Hour)
		if n, err := st.Purge(t.Context()); err != nil || n != 4 { // two tickets, a token, a grant
			t.Errorf("%d rows, %v", n, err)
		}
		if _, err := st.refresh(token.Refresh); err != nil {
			t.Errorf("the family is gone: %v", err)
		}
		if _, err := st.exchange(secret); code(err) != oauth.InvalidGrant || st.only().RevokedAt == nil {
			t.Errorf("the used code was forgotten: %v", err)
		}
		time.Sleep(31 * 24 * time.Hour)
		if _, err := st.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, all := storetest.AllStores(t, st.store)
		if n, err := c.Credential.Query().Count(all); err != nil || n != 0 {
			t.Errorf("%d credentials are left (%v)", n, err)
		}
		if g := st.only(); g.RevokedAt == nil || g.CreatedAt() > micros.Now() {
			t.Errorf("the record of the grant: %+v", g)
		}
	})
}
