package rest

import (
	"errors"
	"io"
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// limited applies the REST rate limits to GraphQL. A credential's lineage has one allowance for
// both, and so has an address for failed credentials. The handler behind it looks the caller up
// again, from memory.
func (a *API) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d := a.spend(r); !d.OK {
			refuseGraphQL(w, d)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// spend takes one request from the caller's allowance. Requests without a credential are refused
// later and cost nothing.
func (a *API) spend(r *http.Request) ratelimit.Decision {
	free := ratelimit.Decision{OK: true}
	token, err := bearer(r)
	if err != nil || a.rates.credentials.Off() {
		return free
	}
	client := a.clientOf(r)
	v, err := a.Keys.AuthenticateFrom(r.Context(), client, token, apikey.Key, apikey.Access, apikey.Staff)
	if err == nil {
		return a.rates.take(v)
	}
	if f, is := errors.AsType[*fault.Error](err); is && f.Kind == fault.InvalidToken {
		return ratelimit.TakeNetwork(a.rates.failures, client, 1)
	}
	return free
}

// spendPerson takes one request from the allowance of a person with a cookie. The core calls it
// after it has read the session, so that the session is read once.
func (a *API) spendPerson(person xid.ID) error {
	return exceeded(a.rates.credentials.Take(allowance{principal: person}), tooMany)
}

// refuseGraphQL answers in the form that GraphQL clients read.
func refuseGraphQL(w http.ResponseWriter, d ratelimit.Decision) {
	h := w.Header()
	h["Content-Type"], h["Cache-Control"] = jsonTypes, noStore
	h["Retry-After"] = []string{ratelimit.Seconds(d.RetryAfter)}
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, `{"errors":[{"message":"`+tooMany+`","extensions":{"code":"`+
		string(fault.RateLimited)+`"}}]}`)
}
