package oauth_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// lets consents to the request of a client in a store.
func (st *stage) lets(ctx context.Context, r *oauth.Request) string {
	st.t.Helper()
	screen, err := st.Consent(ctx, r)
	if err != nil {
		st.t.Fatal(err)
	}
	to, err := st.Allow(ctx, r, screen.Ticket)
	if err != nil {
		st.t.Fatal(err)
	}
	return query(st.t, to).Get("code")
}

// An unregistered client completes the whole flow, and its row belongs to the store.
func TestDocumentFlow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st, h := documented(t, s)
		tokens, err := st.exchange(st.consent("scope", "orders.read", "resource", issuer+"/mcp"))
		if err != nil {
			t.Fatal(err)
		}
		if !st.opens(tokens.Access) || tokens.Scopes.String() != "orders.read" {
			t.Errorf("the token opens %q", tokens.Scopes)
		}
		v, err := st.keys.Authenticate(t.Context(), tokens.Access.Reveal(), "sfa_")
		if err != nil || v.Resource != "/mcp" || v.Name != "Helper" || v.AppStore != st.id {
			t.Errorf("%+v, %v", v, err)
		}
		next, err := st.refresh(tokens.Refresh, "resource", issuer+"/mcp")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.refresh(next.Refresh, "resource", issuer+"/api/public/v1"); code(err) != oauth.InvalidTarget {
			t.Errorf("for another resource: %v", err)
		}
		h.serve("Renamed", callback, "https://new.test/cb")
		st.serve() // another process has no cache
		again, err := st.exchange(st.consent())
		if err != nil {
			t.Fatal(err)
		}
		row := st.store.DB(st.person).App.Query().Where(apps.MetadataURL(st.app.ClientID)).OnlyX(st.person)
		if row.Name != "Renamed" || row.StoreID != st.id || row.Version != 2 ||
			row.Developer != h.Listener.Addr().String() {
			t.Errorf("%+v", row)
		}
		if err := st.Revoke(t.Context(), form(t, "token", next.Refresh.Reveal(), "client_id", st.app.ClientID),
			nil); err != nil || st.opens(next.Access) || !st.opens(again.Access) {
			t.Errorf("revoked: %v, the first consent opens %v, the second %v", err, st.opens(next.Access),
				st.opens(again.Access))
		}
	})
}

// The document at the time of the consent applies; a stolen code is refused to every other client.
func TestDocumentAttacks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st, h := documented(t, s)
		if _, err := st.asks(t.Context(), "redirect_uri", "https://evil.test/cb"); code(err) != oauth.InvalidRequest {
			t.Errorf("another redirect: %v", err)
		}
		if _, err := st.asks(t.Context(), "resource", "https://evil.test/mcp"); code(err) != oauth.InvalidTarget {
			t.Errorf("another resource: %v", err)
		}
		for resource, want := range map[string]string{issuer: "", issuer + "/mcp/": "",
			issuer + "/mcpx": oauth.InvalidTarget, issuer + ".evil.test/mcp": oauth.InvalidTarget,
			"/mcp": oauth.InvalidTarget} {
			if _, err := st.asks(t.Context(), "resource", resource); code(err) != want {
				t.Errorf("the resource %q: %v", resource, err)
			}
		}
		st.changedWhileRead(t, h)
		st.storesApart(t)
		// Another client, and one whose document does not exist, present the code.
		stolen, mine := st.lets(st.person, st.begin()), st.app.ClientID
		for _, thief := range []string{h.URL + "/thief.json", "https://nowhere.example/c", st.register("orders.read",
			callback).ClientID} {
			st.app.ClientID = thief
			if _, err := st.exchange(stolen); code(err) != oauth.InvalidGrant {
				t.Errorf("%s: %v", thief, err)
			}
		}
		st.app.ClientID = mine
		row := st.store.DB(st.person).App.Query().Where(apps.MetadataURL(mine)).OnlyX(st.person)
		st.app.ClientID = row.ClientID
		if _, err := st.exchange(stolen); code(err) != oauth.InvalidClient {
			t.Errorf("by the key of the row: %v", err)
		}
		st.app.ClientID = mine
		h.serve("Helper", "https://moved.test/cb") // between the consent and the token
		st.serve()
		tokens, err := st.exchange(stolen)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.asks(t.Context()); code(err) != oauth.InvalidRequest {
			t.Errorf("the former redirect: %v", err)
		}
		if _, err := st.exchange(stolen); code(err) != oauth.InvalidGrant || st.opens(tokens.Access) {
			t.Errorf("the code again: %v", err)
		}
	})
}

// changedWhileRead changes the name of a client while the consent screen is open.
func (st *stage) changedWhileRead(t *testing.T, h *host) {
	t.Helper()
	screen, err := st.Consent(st.person, st.begin())
	if err != nil {
		t.Fatal(err)
	}
	h.serve("Storefront", callback)
	st.serve()
	r := st.begin()
	if r.App.Name != h.Listener.Addr().String() {
		t.Errorf("the app calls itself %q", r.App.Name)
	}
	if _, err := st.Allow(st.person, r, screen.Ticket); !errors.Is(err, oauth.ErrInvalidTicket) {
		t.Errorf("a ticket of another name: %v", err)
	}
	h.serve("Helper", callback)
	st.serve()
}

// storesApart connects one client to two stores: changes in one do not affect the other.
func (st *stage) storesApart(t *testing.T) {
	t.Helper()
	_, row := storetest.Merchant(t, st.store)
	v := *viewer.From(st.person)
	v.Store = row.ID
	other := viewer.With(t.Context(), &v)
	mine, err := st.exchange(st.lets(st.person, st.begin()))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := st.exchange(st.lets(other, st.begin()))
	if err != nil || theirs.Store != row.ID {
		t.Fatal(theirs, err)
	}
	here := st.store.DB(st.person).App.Query().Where(apps.MetadataURLNotNil()).OnlyX(st.person)
	there := st.store.DB(other).App.Query().Where(apps.MetadataURLNotNil()).OnlyX(other)
	if here.ID == there.ID || here.ClientID == there.ClientID || there.StoreID != row.ID {
		t.Errorf("%v and %v", here, there)
	}
	if err := st.Revoke(t.Context(), form(t, "token", theirs.Refresh.Reveal(), "client_id", st.app.ClientID),
		nil); err != nil || st.opens(theirs.Access) || !st.opens(mine.Access) {
		t.Errorf("revoked: %v, theirs opens %v, mine %v", err, st.opens(theirs.Access), st.opens(mine.Access))
	}
}

// Concurrent first consents to one document create one row.
func TestDocumentRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		st, _ := documented(t, s)
		const n = 6
		var all sync.WaitGroup
		for range n {
			r := st.begin()
			screen, err := st.Consent(st.person, r)
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				if _, err := st.Allow(st.person, r, screen.Ticket); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		c := st.store.DB(st.person)
		if rows, grants := c.App.Query().Where(apps.MetadataURLNotNil()).CountX(st.person),
			c.Grant.Query().Where(grant.StoreID(st.id)).CountX(st.person); rows != 1 || grants != n {
			t.Errorf("%d apps and %d grants of %d consents", rows, grants, n)
		}
	})
}
