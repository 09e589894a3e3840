package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// guarded returns a place where guesses are counted.
func guarded(t testing.TB, s *ent.Store) *place {
	t.Helper()
	p := newPlace(t, s)
	p.Keeper.devices.keys = secrets(1)
	return p
}

// secrets returns keys of cookies by number; the first signs.
func secrets(numbers ...byte) []keyring.MACKey {
	keys := make([]keyring.MACKey, len(numbers))
	for i, n := range numbers {
		keys[i] = keyring.MACKey{ID: n, Key: [keyring.KeyLen]byte{n}}
	}
	return keys
}

// another returns a keeper of another process on the same database.
func (p *place) another() *place {
	p.t.Helper()
	k, err := NewKeeper(Config{Store: p.store, Devices: p.devices.keys})
	if err != nil {
		p.t.Fatal(err)
	}
	return &place{Keeper: k, t: p.t, ctx: p.ctx, shop: p.shop, ada: p.ada}
}

const ada, bob = "ada@example.com", "bob@example.com" // there is no Bob

// fail counts wrong passwords without verifying them and returns how many were admitted.
func (p *place) fail(n int, email string, from func(i int) Source) (let int) {
	p.t.Helper()
	for i := range n {
		switch err := p.admit(p.t.Context(), ratelimit.TakeAll, p.charges(digest.Of([]byte(email)), from(i))); {
		case err == nil:
			let++
		case waits(p.t, err) <= 0:
			p.t.Fatal(err)
		}
	}
	return let
}

// waits returns the wait of a RateLimited fault, or 0.
func waits(t testing.TB, err error) time.Duration {
	t.Helper()
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.RateLimited {
		return f.RetryAfter
	}
	return 0
}

func network(i int) Source {
	return Source{Client: netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)})}
}

func at(i int) func(int) Source { return func(int) Source { return network(i) } }

// try signs in with the right password.
func (p *place) try(from Source) (Signed, error) {
	return p.SignIn(p.t.Context(), Attempt{Email: ada, Password: secret, Client: from.Client, Device: from.Device})
}

// A stranger's guesses block only the stranger, up to the loose limit of the account, which does
// not block a known browser. All processes count together, and unknown accounts are counted like
// others.
func TestStrangers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := guarded(t, s)
		known, err := p.try(network(1))
		if err != nil || !known.NewDevice || known.Device == "" {
			t.Fatalf("%+v, %v", known, err)
		}
		browser := Source{Client: network(7).Client, Device: known.Device}
		for _, email := range []string{ada, bob} {
			if let := p.fail(6, email, at(7)) + p.another().fail(44, email, at(7)); let != perNetwork.Burst {
				t.Errorf("%s: one network: %d let through, want %d", email, let, perNetwork.Burst)
			}
		}
		if _, err := p.try(network(7)); waits(t, err) <= 0 {
			t.Errorf("the right password, from their network: %v", err)
		}
		for name, from := range map[string]Source{"another network": network(8), "a known browser": browser} {
			if _, err := p.try(from); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, email := range []string{ada, bob} {
			let := p.fail(300, email, func(i int) Source { return network(1000 + i) })
			if want := accountRate.Burst - perNetwork.Burst; let < want || let > want+1 {
				t.Errorf("%s: 300 networks: %d let through, want %d", email, let, want)
			}
		}
		if _, err := p.another().try(network(9)); waits(t, err) <= 0 {
			t.Errorf("behind the loose bound: %v", err)
		}
		if again, err := p.another().try(browser); err != nil || again.NewDevice {
			t.Errorf("a known browser, behind the loose bound: %+v, %v", again, err)
		}
	})
}

// Failures of a known browser count for that browser only, and are limited too.
func TestKnownBrowserIsBounded(t *testing.T) {
	p := guarded(t, storetest.Open(t))
	first, err := p.try(network(1))
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.try(network(1))
	if err != nil {
		t.Fatal(err)
	}
	if let := p.fail(50, ada, func(i int) Source {
		return Source{Client: network(i).Client, Device: first.Device}
	}); let != perNetwork.Burst {
		t.Errorf("%d let through, want %d", let, perNetwork.Burst)
	}
	if _, err := p.try(Source{Device: first.Device}); waits(t, err) <= 0 {
		t.Errorf("after its failures: %v", err)
	}
	for name, from := range map[string]Source{"another browser": {Device: second.Device}, "none": network(1)} {
		if _, err := p.try(from); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Guesses with a stolen credential are limited and block only that credential.
func TestCredentialIsBounded(t *testing.T) {
	p := guarded(t, storetest.Open(t))
	stolen := SourceOf(&viewer.Viewer{Session: digest.Of([]byte("stolen"))})
	for name, own := range map[string]*viewer.Viewer{
		"a session": {Session: digest.Of([]byte("own"))}, "a token": {Credential: xid.New()},
	} {
		p.fail(50, ada, func(int) Source { return stolen })
		if _, err := p.Prove(t.Context(), ada, secret, stolen); waits(t, err) <= 0 {
			t.Errorf("stolen: %v", err)
		}
		if _, err := p.Prove(t.Context(), ada, secret, SourceOf(own)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.try(network(1)); err != nil {
		t.Errorf("a sign-in: %v", err)
	}
}

// Concurrent attempts are counted too, in all processes: no more wrong ones than the limit are
// answered as wrong, and beyond it a right one is not answered either.
func TestGuessesAtOnce(t *testing.T) {
	hashed()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		p := guarded(t, s)
		keepers := []*place{p, p.another()}
		var reported atomic.Int32
		for range 2 { // as many at once as can wait for the hasher
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					_, err := keepers[i%2].Prove(t.Context(), ada, "wrong", network(3))
					if errors.Is(err, ErrWrong) {
						reported.Add(1)
					} else if waits(t, err) <= 0 {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		if n := int(reported.Load()); n != perNetwork.Burst {
			t.Errorf("%d were answered, want %d", n, perNetwork.Burst)
		}
	})
}

// A right password that was admitted next to wrong ones is refused once those are counted.
func TestRightBesideWrong(t *testing.T) {
	p := guarded(t, storetest.Open(t))
	charges := p.charges(digest.Of([]byte(ada)), network(3))
	if err := p.admit(t.Context(), ratelimit.Wait, charges); err != nil {
		t.Fatal(err)
	}
	p.fail(perNetwork.Burst, ada, at(3))
	if err := p.admit(t.Context(), ratelimit.Wait, charges); waits(t, err) <= 0 {
		t.Errorf("%v", err)
	}
}

// A limited sign-in runs two more statements than an unlimited one, from known and unknown
// browsers. A refused one runs one statement and no hash. Failures of the service are not counted.
func TestGuessStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		free, p := newPlace(t, s), &place{}
		*p = *free
		p.Keeper = &Keeper{store: s, devices: devices{secrets(1)}, log: free.log}
		cost := func(f func()) uint64 {
			before := s.Statements()
			f()
			return s.Statements() - before
		}
		sign := func(p *place, from Source) func() {
			return func() {
				if _, err := p.try(from); err != nil {
					t.Fatal(err)
				}
			}
		}
		plain := cost(sign(free, network(1)))
		known, err := p.try(network(1))
		if err != nil {
			t.Fatal(err)
		}
		for name, from := range map[string]Source{"a stranger": network(2), "known": {Device: known.Device}} {
			if n := cost(sign(p, from)); n != plain+2 {
				t.Errorf("%s: %d statements, want %d", name, n, plain+2)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 2 * perNetwork.Burst {
			_, err := p.Prove(ended, ada, "wrong", network(3))
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Unavailable {
				t.Fatal(err)
			}
		}
		p.fail(perNetwork.Burst-1, ada, at(3))
		sign(p, network(3))()
		p.fail(1, ada, at(3))
		if n := cost(func() {
			if _, err := p.try(network(3)); waits(t, err) <= 0 {
				t.Error(err)
			}
		}); n != 1 {
			t.Errorf("refused: %d statements, want 1", n)
		}
	})
}

// One attempt is restored every half minute, and the refusal has the wait.
func TestGuessesRecover(t *testing.T) {
	hashed() // before the bubble: others use it
	synctest.Test(t, func(t *testing.T) {
		p := guarded(t, storetest.Open(t))
		p.fail(50, ada, at(3))
		_, err := p.try(network(3))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.RetryAfter != 30*time.Second ||
			f.Detail != "Too many attempts. Try again in 30 seconds." {
			t.Errorf("%v", err)
		}
		time.Sleep(30 * time.Second)
		for range 3 { // successes are not counted
			if _, err := p.try(network(3)); err != nil {
				t.Error(err)
			}
		}
		if let := p.fail(2, ada, at(3)); let != 1 {
			t.Errorf("%d let through, want 1", let)
		}
	})
}

// One network is limited across all accounts. IPv6 networks have the size that providers assign.
func TestManyAccounts(t *testing.T) {
	p := guarded(t, storetest.Open(t))
	let := 0
	for i := range 50 {
		from := Source{Client: netip.MustParseAddr(fmt.Sprintf("2001:db8:0:1::%x", i))}
		let += p.fail(1, fmt.Sprintf("p%d@example.com", i), func(int) Source { return from })
	}
	if let != networkRate.Burst {
		t.Errorf("%d let through, want %d", let, networkRate.Burst)
	}
}

// Loopback and private addresses belong to an unconfigured proxy with all visitors behind it:
// guesses at other accounts block nobody there, and guesses at one account stop at the limit of the
// account.
func TestBehindUnnamedProxy(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "10.1.2.3", "fd00::1", "::ffff:192.168.1.1"} {
		p, from := guarded(t, storetest.Open(t)), Source{Client: netip.MustParseAddr(address)}
		for i := range 35 {
			email := fmt.Sprintf("p%d@example.com", i)
			p.person(email, hashed()) // the password of an unknown person is hashed at full cost
			_, err := p.SignIn(t.Context(), Attempt{Email: email, Password: "wrong", Client: from.Client})
			if waits(t, err) > 0 {
				t.Fatalf("%s: guess %d waits", address, i)
			}
		}
		if _, err := p.try(from); err != nil {
			t.Errorf("%s: the right password: %v", address, err)
		}
	}
}
