package session

import (
	"context"
	"net/netip"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Rates of failed attempts: a burst, then one per interval. They limit guessing, not load, so
// --rate-limit does not change them.
var (
	// perNetwork bounds failures of one network at one account, of one known browser, and of one
	// credential whose person confirms their password.
	perNetwork = ratelimit.Rate{Burst: 10, Every: 30 * time.Second}
	// networkRate bounds failures of one network at all accounts.
	networkRate = ratelimit.Rate{Burst: 30, Every: 5 * time.Second}
	// accountRate bounds failures of all unknown browsers together at one account.
	accountRate = ratelimit.Rate{Burst: 100, Every: time.Minute}
)

// Source is where an attempt comes from. Failures are counted by it.
type Source struct {
	// Client is the address behind the trusted proxies.
	Client netip.Addr
	// Device is the cookie of known browsers, or empty.
	Device string
	// Credential identifies the session or token of a signed-in person who confirms their password;
	// empty for a sign-in.
	Credential string
}

// SourceOf returns the source of a signed-in viewer. Guesses with a stolen credential block that
// credential only.
func SourceOf(v *viewer.Viewer) Source {
	if v.Credential.IsNil() {
		return Source{Credential: string(v.Session[:])}
	}
	return Source{Credential: string(v.Credential[:])}
}

// charges returns the rates that a failure counts against. A known browser has its own allowance,
// which strangers cannot exhaust and only that browser can use. The result does not depend on
// whether the account exists.
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
	list := []ratelimit.Charge{charge("account", of, accountRate)}
	if network, counted := ratelimit.Network(from.Client); counted {
		list = append(list, charge("network", network.String(), networkRate),
			charge("account network", of+network.String(), perNetwork))
	}
	return list
}

// trusted reports whether an attempt comes from a known browser or a signed-in person. Such
// attempts are verified before those of strangers.
func (k *Keeper) trusted(account digest.Sum, from Source) bool {
	_, known := k.devices.known(account, from.Device, micros.Now())
	return known || from.Credential != ""
}

// admit refuses an attempt that has no allowance left, as take says. [ratelimit.Wait] counts nothing:
// before the password is verified it saves that work, and after a right password it keeps concurrent
// guesses from exceeding the allowance, because [ratelimit.TakeAll] counts every wrong one before it
// is answered. The answer then does not depend on the password.
func (k *Keeper) admit(
	ctx context.Context, take func(context.Context, *ent.Store, ...ratelimit.Charge) (time.Duration, error),
	charges []ratelimit.Charge,
) error {
	if len(charges) == 0 {
		return nil
	}
	wait, err := take(ctx, k.store, charges...)
	if err != nil {
		return explain("sign in", err)
	}
	if wait <= 0 {
		return nil
	}
	k.counts.throttled.Add(1)
	text := "a second"
	if n := (wait + time.Second - 1) / time.Second; n > 1 {
		text = strconv.Itoa(int(n)) + " seconds"
	}
	return &fault.Error{Kind: fault.RateLimited, RetryAfter: wait,
		Detail: "Too many attempts. Try again in " + text + "."}
}
