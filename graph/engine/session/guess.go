package session

import (
	"context"
	"net/netip"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// How many failures are let through at once, and then one per interval. They are
// about guessing, not about load: --rate-limit does not change them.
var (
	// perNetwork bounds what one network tries at one account; what one known browser
	// does; and what one credential does that is asked for the password again.
	perNetwork = ratelimit.Rate{Burst: 10, Every: 30 * time.Second}
	// networkRate bounds what one network tries at all accounts.
	networkRate = ratelimit.Rate{Burst: 30, Every: 5 * time.Second}
	// accountRate bounds what all strangers together try at one account.
	accountRate = ratelimit.Rate{Burst: 100, Every: time.Minute}
)

// Source is where an attempt comes from: what its failures are counted by.
type Source struct {
	// Client is the address, behind the trusted proxies.
	Client netip.Addr
	// Device is the cookie of browsers that are known; empty for none.
	Device string
	// Credential names what the person is signed in with who proves it once more;
	// empty for who is not.
	Credential string
}

// SourceOf is the source of who is signed in: another one's guesses with a stolen
// credential stop no one but that credential.
func SourceOf(v *viewer.Viewer) Source {
	if v.Credential.IsNil() {
		return Source{Credential: string(v.Session[:])}
	}
	return Source{Credential: string(v.Credential[:])}
}

// charges are what a failure counts for. A known browser has an allowance of its own,
// which strangers cannot use up, and which is of use to no one but that browser.
// Whether there is such an account makes no difference.
func (k *Keeper) charges(account digest.Sum, from Source) []ratelimit.Charge {
	if len(k.devices.keys) == 0 {
		return nil
	}
	charge := func(purpose, of string, r ratelimit.Rate) ratelimit.Charge {
		return ratelimit.Charge{Key: ratelimit.Key("guess "+purpose, of), Rate: r}
	}
	of := string(account[:])
	if from.Credential != "" {
		return []ratelimit.Charge{charge("credential", of+from.Credential, perNetwork)}
	}
	if n, ok := k.devices.known(account, from.Device, micros.Now()); ok {
		return []ratelimit.Charge{charge("device", of+string(n[:]), perNetwork)}
	}
	network, counted := ratelimit.Network(from.Client)
	if !counted {
		return []ratelimit.Charge{charge("account", of, accountRate)}
	}
	return []ratelimit.Charge{charge("account", of, accountRate), charge("network", network.String(), networkRate),
		charge("account network", of+network.String(), perNetwork)}
}

// trusted reports whether an attempt is of a known browser, or of who is signed in: it
// is looked at before those of strangers.
func (k *Keeper) trusted(account digest.Sum, from Source) bool {
	_, known := k.devices.known(account, from.Device, micros.Now())
	return known || from.Credential != ""
}

// admit refuses an attempt that has nothing left. Asked before the password is looked
// at, it saves the work; asked again when it was right, it keeps what was tried at the
// same time from being worth more: each of the wrong ones is counted before it is
// answered.
func (k *Keeper) admit(ctx context.Context, charges []ratelimit.Charge) error {
	if len(charges) == 0 {
		return nil
	}
	wait, err := ratelimit.Wait(ctx, k.store, charges...)
	if err != nil {
		return explain("sign in", err)
	}
	return k.throttled(wait)
}

// count notes a failure before it is answered. Where nothing is left, the answer is
// that, and says nothing of the password.
func (k *Keeper) count(ctx context.Context, charges []ratelimit.Charge) error {
	if len(charges) == 0 {
		return nil
	}
	wait, err := ratelimit.TakeAll(ctx, k.store, charges...)
	if err != nil {
		return explain("sign in", err)
	}
	return k.throttled(wait)
}

func (k *Keeper) throttled(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	k.counts.throttled.Add(1)
	return &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
		Detail: "Too many attempts: try again in " + seconds(wait) + "."}
}
