package checkout

import (
	"fmt"
	"net/netip"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Bursts and rates per second of invalid discount codes: by one cart, from one network, and by all
// visitors of a store behind an unnamed proxy. The latter share one allowance: with a small one a
// single visitor could block all others, and without one each new cart would be ten more tries.
var (
	cartGuesses    = ratelimit.Config{Rate: 1.0 / 60, Burst: 10}
	networkGuesses = ratelimit.Config{Rate: 1.0 / 30, Burst: 20}
	hiddenGuesses  = ratelimit.Config{Rate: 1.0 / 5, Burst: 200}
)

// Bursts and rates of requests to the payment provider about one order, and about all orders of a
// store: they use the merchant's keys, which have a rate limit there. Redirects to the payment
// count too, because shoppers repeat them.
var (
	orderLookups = ratelimit.Config{Rate: 1.0 / 5, Burst: 1}
	orderLeaves  = ratelimit.Config{Rate: 1.0 / 5, Burst: 6}
	storeLookups = ratelimit.Config{Rate: 2, Burst: 60}
)

// lookups limit the requests to payment providers, in each process alone.
type lookups struct{ orders, leaves, stores *ratelimit.Limiter[xid.ID] }

func newLooks() (l lookups, err error) {
	for _, one := range []struct {
		to **ratelimit.Limiter[xid.ID]
		of ratelimit.Config
	}{{&l.orders, orderLookups}, {&l.leaves, orderLeaves}, {&l.stores, storeLookups}} {
		if *one.to, err = ratelimit.New[xid.ID](one.of); err != nil {
			return l, fmt.Errorf("lookups at payments: %w", err)
		}
	}
	return l, nil
}

// allow reports whether the provider may be asked about an order; of is the limiter that counts it.
func (l lookups) allow(of *ratelimit.Limiter[xid.ID], store, order xid.ID) bool {
	return of.Take(order).OK && l.stores.Take(store).OK
}

// guess identifies the sender of a code. Each process counts alone.
type guess struct {
	cart    digest.Sum // zero if there is none
	network network
}

// network is a network that visits a store.
type network struct {
	store  xid.ID
	prefix netip.Prefix // zero for all visitors behind an unnamed proxy
}

// guesses limit the codes that are tried.
type guesses struct {
	carts            *ratelimit.Limiter[digest.Sum]
	networks, hidden *ratelimit.Limiter[network]
}

func newGuesses() (g guesses, err error) {
	if g.carts, err = ratelimit.New[digest.Sum](cartGuesses); err != nil {
		return g, fmt.Errorf("codes of carts: %w", err)
	}
	if g.networks, err = ratelimit.New[network](networkGuesses); err != nil {
		return g, fmt.Errorf("codes of networks: %w", err)
	}
	if g.hidden, err = ratelimit.New[network](hiddenGuesses); err != nil {
		return g, fmt.Errorf("codes of a store: %w", err)
	}
	return g, nil
}

// of returns the limiter of a network.
func (g guesses) of(n network) *ratelimit.Limiter[network] {
	if n.prefix.IsValid() {
		return g.networks
	}
	return g.hidden
}

// take counts a try before the code is checked, so that concurrent tries count too.
func (g guesses) take(by guess) ratelimit.Decision {
	d := g.of(by.network).Take(by.network)
	if !d.OK || by.cart == (digest.Sum{}) {
		return d
	}
	if d = g.carts.Take(by.cart); !d.OK {
		g.of(by.network).Return(by.network)
	}
	return d
}

// giveBack returns the try of a valid code.
func (g guesses) giveBack(by guess) {
	g.of(by.network).Return(by.network)
	if by.cart != (digest.Sum{}) {
		g.carts.Return(by.cart)
	}
}

// guess returns the sender of the request.
func (v *visit) guess() guess {
	by := guess{network: network{store: v.store}}
	if sum, ok := digest.OfToken(v.token()); ok {
		by.cart = sum
	}
	by.network.prefix, _ = ratelimit.Network(v.ClientOf(v.r))
	return by
}
