package account

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/graph/gcra"
)

// How many failures are let through at once, and then one per interval. They are
// about guessing, not about load: --rate-limit does not change them.
const (
	accountBurst = 10
	accountEvery = 30 * time.Second
	clientBurst  = 30
	clientEvery  = 5 * time.Second
)

// Throttle bounds how fast passwords may be guessed; see [session.Throttle]. It
// lives here and not beside the engine because the limiter does.
type Throttle struct {
	accounts *gcra.Limiter[digest.Sum]
	clients  *gcra.Limiter[netip.Prefix]
}

// NewThrottle makes a throttle for one process: each counts its own.
func NewThrottle() (*Throttle, error) {
	accounts, err := gcra.New[digest.Sum](gcra.Config{Rate: 1 / accountEvery.Seconds(), Burst: accountBurst})
	if err != nil {
		return nil, fmt.Errorf("throttle: %w", err)
	}
	clients, err := gcra.New[netip.Prefix](gcra.Config{Rate: 1 / clientEvery.Seconds(), Burst: clientBurst})
	if err != nil {
		return nil, fmt.Errorf("throttle: %w", err)
	}
	return &Throttle{accounts, clients}, nil
}

// Take implements session.Throttle.
func (t *Throttle) Take(account digest.Sum, client netip.Addr) time.Duration {
	if client.IsValid() {
		if d := t.clients.Take(gcra.Network(client)); !d.OK {
			return d.RetryAfter
		}
	}
	d := t.accounts.Take(account)
	if !d.OK && client.IsValid() {
		t.clients.Return(gcra.Network(client))
	}
	return d.RetryAfter
}

// Return implements session.Throttle.
func (t *Throttle) Return(account digest.Sum, client netip.Addr) {
	t.accounts.Return(account)
	if client.IsValid() {
		t.clients.Return(gcra.Network(client))
	}
}
