package rest

import (
	"fmt"
	"math"
	"net/http"
	"net/netip"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/shop"
)

// Visitors may burst to this many times their rate: people browse a shop page by page, and one
// address may be a whole office.
const visitorBurst = 10

// limiters bound the requests of callers (contract, section 13). A limiter that is off allows
// everything.
type limiters struct {
	credentials *ratelimit.Limiter[allowance]
	// stores bound all credentials of a store together.
	stores *ratelimit.Limiter[xid.ID]
	// failures and visitors count by the client's network; they do not depend on other servers.
	failures, visitors *ratelimit.Limiter[netip.Prefix]
}

// allowance is the key of a credential's rate: a lineage of keys or a person across stores, or an app in
// one store, so that one merchant's traffic never slows the app for another.
type allowance struct{ store, principal xid.ID }

func allowanceOf(v *viewer.Viewer) allowance {
	if v.Kind == viewer.OAuthApp {
		return allowance{v.Store, v.Principal}
	}
	return allowance{principal: v.Principal}
}

// newLimiters creates the limiters. A rate of 0 for credentials turns off the store rate too.
func (a *API) newLimiters() (err error) {
	of := ratelimit.Config{Rate: a.RatePerSecond, Burst: a.RateBurst}
	shared := of
	shared.Servers = a.Servers
	if a.rates.credentials, err = ratelimit.New[allowance](shared); err != nil {
		return fmt.Errorf("rates of credentials: %w", err)
	}
	if a.rates.failures, err = ratelimit.New[netip.Prefix](of); err != nil {
		return fmt.Errorf("rates of failures: %w", err)
	}
	if a.rates.credentials.Off() {
		a.RateBurst, a.StoreRate, a.VisitorRate = 0, 0, 0
	}
	a.Core.Limits[limit.RatePerSecond] = int64(math.Ceil(a.RatePerSecond))
	a.Core.Limits[limit.RateBurst] = int64(a.RateBurst)
	a.Core.Limits[limit.StoreRatePerSecond] = int64(math.Ceil(a.StoreRate))
	a.Core.Limits[limit.VisitorRatePerSecond] = int64(math.Ceil(a.VisitorRate))
	a.rates.stores, err = ratelimit.New[xid.ID](ratelimit.Config{Rate: a.StoreRate, Burst: max(int(2*a.StoreRate), 1),
		Servers: a.Servers})
	if err != nil {
		return fmt.Errorf("rates of stores: %w", err)
	}
	a.rates.visitors, err = ratelimit.New[netip.Prefix](ratelimit.Config{Rate: shop.PageCost * a.VisitorRate,
		Burst: max(int(shop.PageCost*visitorBurst*a.VisitorRate), shop.PageCost)})
	if err != nil {
		return fmt.Errorf("rates of visitors: %w", err)
	}
	a.policy = a.rates.credentials.Policy("default")
	return nil
}

// take counts a request of a credential and of its store. A request that the store's rate refuses
// does not count for the credential.
func (l *limiters) take(v *viewer.Viewer) ratelimit.Decision {
	key := allowanceOf(v)
	d := l.credentials.Take(key)
	if !d.OK {
		return d
	}
	if all := l.stores.Take(v.Store); !all.OK {
		l.credentials.Return(key)
		return all
	}
	return d
}

const tooMany = "Too many requests: wait, then go on."

// exceeded returns the refusal of a request that a rate does not allow, or nil.
func exceeded(d ratelimit.Decision, detail string) error {
	if d.OK {
		return nil
	}
	return &fault.Error{Kind: fault.RateLimited, Detail: detail, RetryAfter: d.RetryAfter}
}

// visit counts a request to a storefront by its [shop.Cost], and returns whether it is allowed.
func (a *API) visit(r *http.Request, n int) ratelimit.Decision {
	return ratelimit.TakeNetwork(a.rates.visitors, a.clientOf(r), n)
}
