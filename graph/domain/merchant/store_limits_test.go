package merchant_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Only the operator sets a store's own limits, and this is audited.
func TestStoreSetLimits(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		m := p.Mutation()
		owner := p.As(p.Owner.ID, viewer.Owner)
		if _, err := m.StoreSetLimits(owner, 1, []string{"people=7"}); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("an owner: %v", err)
		}
		if _, err := m.StoreSetLimits(p.Ctx, 9, []string{"people=7"}); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("a version that is not: %v", err)
		}
		for _, bad := range [][]string{{"people=0"}, {"persons=7"}, {"people"}, {""}, {"stores=7"}, {"stores="},
			{"rate_burst=7"}, {"persons="}, {"people=7", "apps=x"}} {
			if _, err := m.StoreSetLimits(p.Ctx, 1, bad); graphtest.FaultOf(err) != "validation_failed" {
				t.Errorf("%q: %v", bad, err)
			}
		}
		set := func(version int64, settings ...string) limit.Values {
			t.Helper()
			s := graphtest.Must[*model.StorePayload](t)(m.StoreSetLimits(p.Ctx, version, settings)).Store
			return graphtest.Must[limit.Values](t)(p.LimitsOf(s.Store))
		}
		if v := set(1, "people=7", "apps=5"); v.Of(limit.People) != 7 || v.Of(limit.Apps) != 5 ||
			v.Of(limit.Themes) != 100 {
			t.Errorf("%v", v)
		}
		if v := set(2, "people=7"); v.Of(limit.People) != 7 { // unchanged
			t.Errorf("%v", v)
		}
		if v := set(2, "people=", "apps=6"); v.Of(limit.People) != 500 || v.Of(limit.Apps) != 6 {
			t.Errorf("%v", v)
		}
		if v := set(3, "apps="); len(v) != 0 {
			t.Errorf("%v", v)
		}
		other := p.Other(t)
		if v := graphtest.Must[limit.Values](t)(p.OwnLimits(other.Ctx)); len(v) != 0 {
			t.Errorf("another store: %v", v)
		}
		if got, want := p.Audited(t), "store.create store.set_limits store.set_limits store.set_limits"; got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
	})
}
