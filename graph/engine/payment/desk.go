package payment

import (
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Desk calls payment providers, and encrypts the secrets of stores' accounts with them.
type Desk struct {
	Stripe  Provider
	sealer  *keyring.Sealer
	wakeups chan struct{}
}

// NewDesk returns a desk that encrypts secrets with the ring.
func NewDesk(ring *keyring.Ring, stripe Provider) *Desk {
	return &Desk{Stripe: stripe, sealer: ring.Sealer("payment secrets"), wakeups: make(chan struct{}, 1)}
}

// Seal encrypts a secret of an account.
func (d *Desk) Seal(account xid.ID, secret string) []byte {
	return d.sealer.Seal([]byte(secret), account[:])
}

// Open decrypts data of [Desk.Seal], also if it was sealed under an older root secret.
func (d *Desk) Open(account xid.ID, sealed []byte) (string, error) {
	plain, err := d.sealer.Open(sealed, account[:])
	return string(plain), fault.Wrap("open a secret of a payment account", err)
}

// Wake makes the next round of payments start now.
func (d *Desk) Wake() {
	select {
	case d.wakeups <- struct{}{}:
	default: // already signaled
	}
}

// Wakeups receives after [Desk.Wake].
func (d *Desk) Wakeups() <-chan struct{} { return d.wakeups }
