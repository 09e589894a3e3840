package merchant_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	dbdomain "github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// proved marks a domain as if DNS had proved it.
func proved(t *testing.T, p *graphtest.Shop, d *model.Domain) {
	t.Helper()
	p.PlantMany(t, 1, func(ctx context.Context, c *db.Client, _ []int) error {
		if err := c.DomainHost.Create().SetID(d.Host).SetStoreID(p.Model.ID).Exec(ctx); err != nil {
			return err
		}
		if err := c.Domain.Update().Where(dbdomain.ID(d.ID)).SetProvedAt(1).SetCheckedAt(1).Exec(ctx); err != nil {
			return err
		}
		return p.Domains.Arrive(ctx)
	})
}

// Visitors arrive at the first domain once it is proved, at another or the built-in host if people
// choose it, and at the built-in host when the domain is removed. Every step shows in the store.
func TestDomains(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m, q := p.Mutation(), p.Query()
		add := func(host string) *model.Domain {
			return graphtest.Must[*model.DomainPayload](t)(m.DomainAdd(p.Ctx, host)).Domain
		}
		arrive := func(want string) {
			t.Helper()
			s := graphtest.Must[*model.Store](t)(q.Store(p.Ctx))
			if want == "" {
				want = s.StoreHost
			}
			if s.URL != "https://"+want {
				t.Errorf("visitors arrive at %s, want %s", s.URL, want)
			}
		}
		first := add("https://WWW.example.com/")
		if first.Host != "www.example.com" || first.Status != "pending" || !first.Preferred || !first.Checking ||
			first.TXTName != "_storefront.www.example.com" || first.Certificate != nil {
			t.Errorf("added %+v", first)
		}
		arrive("")
		proved(t, p, first)
		arrive("www.example.com")
		second := add("shop.example.com")
		graphtest.Must[*model.DomainsPayload](t)(m.DomainPrefer(p.Ctx, new(second.PublicID())))
		arrive("") // until it is proved
		proved(t, p, second)
		arrive("shop.example.com")
		graphtest.Must[*model.DomainsPayload](t)(m.DomainPrefer(p.Ctx, nil))
		arrive("")
		graphtest.Must[*model.DomainsPayload](t)(m.DomainPrefer(p.Ctx, new(first.PublicID())))
		arrive("www.example.com")
		checked := graphtest.Must[*model.DomainPayload](t)(m.DomainCheck(p.Ctx, first.PublicID())).Domain
		if !checked.Checking || checked.Status != "connected" || !checked.Primary {
			t.Errorf("checked %+v", checked)
		}
		graphtest.Must[*model.DomainRemovePayload](t)(m.DomainRemove(p.Ctx, first.PublicID()))
		arrive("")
		if _, ok, err := p.Domains.HandleOf(t.Context(), "www.example.com"); ok || err != nil {
			t.Errorf("a removed domain leads to a store: %v", err)
		}
		if got, want := p.Audited(t), "store.create domain.add domain.add domain.prefer domain.prefer "+
			"domain.prefer domain.check domain.remove"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}

// A store has a bounded number of domains, cannot add what is not a domain, and knows nothing of
// those of another store.
func TestDomainRefusals(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		other := graphtest.NewShop(t, p.Resolver)
		theirs := graphtest.Must[*model.DomainPayload](t)(m.DomainAdd(other.Ctx, "www.example.com")).Domain.PublicID()
		for i := range limit.Domains {
			graphtest.Must[*model.DomainPayload](t)(m.DomainAdd(p.Ctx, fmt.Sprintf("d%d.example.com", i)))
		}
		for host, want := range map[string]string{"more.example.com": "limit_reached", "co.uk": "validation_failed",
			"x.localhost": "validation_failed", "": "validation_failed"} {
			if _, err := m.DomainAdd(p.Ctx, host); graphtest.FaultOf(err) != want {
				t.Errorf("%q: %v, want %s", host, err, want)
			}
		}
		for _, id := range []string{theirs, xid.Domain.Format(xid.New()), "dom_x", ""} {
			_, check := m.DomainCheck(p.Ctx, id)
			_, prefer := m.DomainPrefer(p.Ctx, &id)
			_, remove := m.DomainRemove(p.Ctx, id)
			for _, err := range []error{check, prefer, remove} {
				if graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%q: %v", id, err)
				}
			}
		}
		if n := len(graphtest.Must[[]*model.Domain](t)(p.Query().Domains(other.Ctx))); n != 1 {
			t.Errorf("the other store has %d domains", n)
		}
	})
}
