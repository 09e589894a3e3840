package apikey_test

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbkey "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// set changes the row of the key.
func (p *shop) set(t testing.TB, edit func(*db.APIKeyUpdate)) {
	t.Helper()
	p.change(t, func(ctx context.Context, c *db.Client) error {
		update := c.APIKey.Update().Where(dbkey.ID(p.keyID))
		edit(update)
		return update.Exec(ctx)
	})
}

// A key with a list of networks is refused from elsewhere, uncached or cached, and that does not
// count as a use.
func TestAuthenticateFrom(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := newShop(t, s, nil)
		p.set(t, func(u *db.APIKeyUpdate) { u.SetNetworks("192.0.2.0/24 2001:db8::/32") })
		for address, want := range map[string]bool{
			"192.0.2.7": true, "192.0.3.7": false, "2001:db8::1": true, "2001:db9::1": false, "::ffff:192.0.2.7": true,
			"2001:db8::1%eth0": true, "": false,
		} {
			from, k := netip.Addr{}, apikey.NewKeeper(s)
			if address != "" {
				from = netip.MustParseAddr(address)
			}
			for _, when := range []string{"looked up", "remembered"} {
				if _, err := k.AuthenticateFrom(t.Context(), from, p.key.Reveal(), apikey.Key); want != (err == nil) ||
					err != nil && !refused(err) {
					t.Errorf("%s, %s: %v", address, when, err)
				}
			}
			if err := k.WriteUsed(t.Context()); err != nil {
				t.Fatal(err)
			}
			row := p.DB(p.ctx).APIKey.Query().Where(dbkey.ID(p.keyID)).OnlyX(p.ctx)
			if used := row.LastUsedAt != nil; used != want {
				t.Errorf("%s: used %t", address, used)
			}
			p.set(t, func(u *db.APIKeyUpdate) { u.ClearLastUsedAt() })
		}
		// Another credential of the store has no list.
		if _, err := apikey.NewKeeper(s).Authenticate(t.Context(), p.token.Reveal(), apikey.Staff); err != nil {
			t.Error(err)
		}
	})
}

// A rotated key expires at its time even if it is cached.
func TestAuthenticateRetired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		p := newShop(t, s, nil)
		k := apikey.NewKeeper(s)
		p.set(t, func(u *db.APIKeyUpdate) { u.SetRetiresAt(micros.Now().Add(2 * time.Second)) })
		if _, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // less than entries are cached
		if _, err := k.Authenticate(t.Context(), p.key.Reveal(), apikey.Key); !refused(err) {
			t.Errorf("after its end: %v", err)
		}
	})
}

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.0/24": "192.0.2.0/24", "192.0.2.7": "192.0.2.7/32", "2001:db8::": "2001:db8::/128",
		"0.0.0.0/0":        "0.0.0.0/0",
		"::ffff:192.0.2.7": "192.0.2.7/32", "192.0.2.7/24": "", "fe80::1%eth0": "", "::ffff:192.0.2.0/120": "",
		"192.0.2": "", "": "", "example.com": "", "192.0.2.0/33": "",
	} {
		p, err := apikey.ParseNetwork(text)
		if (err == nil) != (want != "") || err == nil && p.String() != want {
			t.Errorf("%q: %v, %v; want %q", text, p, err, want)
		}
	}
}
