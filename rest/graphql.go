package rest

import (
	"errors"
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// limited applies the REST rate limits to GraphQL. A credential's lineage has one allowance for
// both, and so has an address for failed credentials. The handler behind it looks the caller up
// again, from memory.
func (a *API) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, ok := a.spend(r)
		if !ok {
			refuseGraphQL(w, d)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// spend takes one request from the caller's allowance. Requests without a credential are refused
// later and cost nothing.
func (a *API) spend(r *http.Request) (d ratelimit.Decision, ok bool) {
	token, err := bearer(r)
	if err != nil || a.rates.credentials.Off() {
		return d, true
	}
	client := a.clientOf(r)
	v, err := a.Keys.AuthenticateFrom(r.Context(), client, token, apikey.Key, apikey.Access, apikey.Staff)
	if err == nil {
		d = a.rates.take(v)
		return d, d.OK
	}
	if f, is := errors.AsType[*fault.Error](err); is && f.Kind == fault.InvalidToken {
		d = ratelimit.TakeNetwork(a.rates.failures, client, 1)
		return d, d.OK
	}
	return d, true
}

// spendPerson takes one request from the allowance of a person with a cookie. The core calls it
// after it has read the session, so that the session is read once.
func (a *API) spendPerson(person xid.ID) error {
	if a.rates.credentials.Off() {
		return nil
	}
	if d := a.rates.credentials.Take(allowance{principal: person}); !d.OK {
		return &fault.Error{
			Kind: fault.RateLimited, Detail: "Too many requests: wait, then go on.", RetryAfter: d.RetryAfter,
		}
	}
	return nil
}

// refuseGraphQL answers in the form that GraphQL clients read.
func refuseGraphQL(w http.ResponseWriter, d ratelimit.Decision) {
	h := w.Header()
	h["Content-Type"], h["Cache-Control"] = jsonTypes, noStore
	h["Retry-After"] = []string{ratelimit.Seconds(d.RetryAfter)}
	w.WriteHeader(http.StatusTooManyRequests)
	o := wire.Open(nil)
	o.Name("errors")
	e := wire.Open(append(o.B, '['))
	e.Str("message", "Too many requests: wait, then go on.")
	e.Name("extensions")
	x := wire.Open(e.B)
	x.Plain("code", string(fault.RateLimited))
	e.B = x.Close()
	o.B = append(e.Close(), ']')
	w.Write(o.Close())
}
