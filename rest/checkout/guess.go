package checkout

import (
	"fmt"
	"net/netip"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// How many discount codes that are none may be tried at once, and how many a second after
// that: by one cart, from one network, and by all visitors of a store whom a proxy hides that
// nobody named. Those have one allowance together: one of them could use up a small one for
// all, and with none at all each new cart would be ten more tries.
var (
	cartGuesses    = ratelimit.Config{Rate: 1.0 / 60, Burst: 10}
	networkGuesses = ratelimit.Config{Rate: 1.0 / 30, Burst: 20}
	hiddenGuesses  = ratelimit.Config{Rate: 1.0 / 5, Burst: 200}
)

// How often the payment provider is asked about one order, and about all of one store: with the keys
// of the merchant, who has a rate there. Whoever is led to pay asks too, which a shopper repeats.
var (
	orderLooks  = ratelimit.Config{Rate: 1.0 / 5, Burst: 1}
	orderLeaves = ratelimit.Config{Rate: 1.0 / 5, Burst: 6}
	storeLooks  = ratelimit.Config{Rate: 2, Burst: 60}
)

// looks count what payment providers are asked. Each process counts for itself.
type looks struct{ orders, leaves, stores *ratelimit.Limiter[xid.ID] }

func newLooks() (l looks, err error) {
	for _, one := range []struct {
		to **ratelimit.Limiter[xid.ID]
		of ratelimit.Config
	}{{&l.orders, orderLooks}, {&l.leaves, orderLeaves}, {&l.stores, storeLooks}} {
		if *one.to, err = ratelimit.New[xid.ID](one.of); err != nil {
			return l, fmt.Errorf("looks at payments: %w", err)
		}
	}
	return l, nil
}

// allow reports whether the provider may be asked about an order, of which one limiter counts.
func (l looks) allow(of *ratelimit.Limiter[xid.ID], store, order xid.ID) bool {
	return of.Take(order).OK && l.stores.Take(store).OK
}

// guess is who tries a code. Each process counts for itself.
type guess struct {
	cart    digest.Sum // zero for none
	network network
}

// network is one from which a store is visited.
type network struct {
	store  xid.ID
	prefix netip.Prefix // zero for all that are hidden by a proxy
}

// guesses count the codes that are tried.
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

// of are the allowances of all who come from a network.
func (g guesses) of(n network) *ratelimit.Limiter[network] {
	if n.prefix.IsValid() {
		return g.networks
	}
	return g.hidden
}

// take counts a try before it is known whether the code is one, so that many at once are
// counted too.
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

// giveBack takes back a try that was none: the code is one.
func (g guesses) giveBack(by guess) {
	g.of(by.network).Return(by.network)
	if by.cart != (digest.Sum{}) {
		g.carts.Return(by.cart)
	}
}

// guess is who sends the request.
func (v *visit) guess() guess {
	by := guess{network: network{store: v.store}}
	if sum, ok := digest.OfToken(v.token()); ok {
		by.cart = sum
	}
	by.network.prefix, _ = ratelimit.Network(v.ClientOf(v.r))
	return by
}
