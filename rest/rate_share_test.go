package rest

import (
	"bytes"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/fleet"
)

// server counts rates as one process.
type server struct {
	*API
	member *fleet.Member
	keys   *apikey.Keeper
}

func newServer(t *testing.T, s *ent.Store, rate float64, burst int, store float64) *server {
	t.Helper()
	a := &API{Config: Config{RatePerSecond: rate, RateBurst: burst, StoreRate: store, VisitorRate: 20, Rates: &Rates{},
		Core: &graph.Resolver{Core: &core.Core{Config: core.Config{Limits: limit.Values{}}}}}}
	if err := a.newLimiters(); err != nil {
		t.Fatal(err)
	}
	a.Rates.limiters = &a.rates
	m, err := fleet.New(fleet.Config{Store: s, ID: xid.New(), Role: state.ProcessServer})
	if err != nil {
		t.Fatal(err)
	}
	p := &server{API: a, member: m, keys: apikey.NewKeeper(s)}
	p.keys.OnReport(func(reported []apikey.PeerReport) {
		others := reported[:0]
		for _, x := range reported {
			if x.Process != m.ID {
				others = append(others, x)
			}
		}
		a.Rates.Hear(others)
	})
	return p
}

// beat does what a process does about once a second, and returns the number of statements.
func (p *server) beat(t *testing.T) uint64 {
	t.Helper()
	before := p.member.Store.Statements()
	if err := p.member.PublishRates(t.Context(), p.Rates.Tell); err != nil {
		t.Fatal(err)
	}
	if err := p.keys.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.member.Store.Statements() - before
}

func (p *server) take(v *viewer.Viewer, n int) (passed int) {
	for range n {
		if p.rates.take(v).OK {
			passed++
		}
	}
	return passed
}

// TestRatesOfFleet: requests that one process admits for a credential or a store count in the
// others. Use below a quarter of the rate costs no extra statement.
func TestRatesOfFleet(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		// Nothing refills while the test runs.
		const rate, burst = 1.0 / 3600, 40
		one, two := newServer(t, s, rate, burst, 0), newServer(t, s, rate, burst, 0)
		for _, p := range []*server{one, two} {
			if err := p.member.Beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.beat(t)
		}
		key := &viewer.Viewer{Kind: viewer.APIKey, Store: xid.New(), Principal: xid.New()}
		calm := &viewer.Viewer{Kind: viewer.APIKey, Store: xid.New(), Principal: xid.New()}
		two.take(calm, 1)
		if n := two.beat(t); n != 1 {
			t.Errorf("%d statements for a credential that rests, want the one of the look", n)
		}
		if n := one.take(key, 30); n != 30 {
			t.Fatalf("%d of 30 at first contact", n)
		}
		one.beat(t)
		two.beat(t)
		if n := two.take(key, burst); n < 8 || n > 12 {
			t.Errorf("another process let %d more through, want the 10 that are left", n)
		}
		if n := two.take(calm, burst); n != burst-1 {
			t.Errorf("another credential got %d", n)
		}
		two.beat(t)
		one.beat(t)
		if n := one.take(key, burst); n != 0 {
			t.Errorf("the first process let %d through when nothing was left", n)
		}
	})
}

// TestToldForm: reports are read as written; anything else is refused without harm.
func TestReportForm(t *testing.T) {
	p := newServer(t, storetest.Open(t), 1, 10, 5)
	v := &viewer.Viewer{Kind: viewer.OAuthApp, Store: xid.New(), Principal: xid.New()}
	p.take(v, 8)
	reported := p.Rates.Tell(1)
	credentials, stores, err := readReport(reported)
	if err != nil || len(credentials) != 1 || len(stores) != 1 || credentials[0].Key != allowanceOf(v) ||
		stores[0].Key != v.Store || credentials[0].Taken != 8 || stores[0].Taken != 8 || !stores[0].Busy {
		t.Fatalf("read %+v, %+v, %v", credentials, stores, err)
	}
	for i := range reported {
		for _, b := range [][]byte{reported[:i], append(bytes.Clone(reported[:i]), 0xff)} {
			p.Rates.Hear([]apikey.PeerReport{{Process: xid.New(), At: 1, Rates: b}})
		}
	}
	new(Rates).Hear([]apikey.PeerReport{{Rates: reported}})
	if new(Rates).Tell(2) != nil {
		t.Error("a process that counts alone has a report")
	}
}
