package rest

import (
	"cmp"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/mcp"
)

// authenticate finds the caller (contract, section 2; RFC 6750).
func (a *API) authenticate(c *call) error {
	token, err := bearer(c.r)
	if err != nil {
		return a.failedAuthentication(c, err)
	}
	v, err := a.Keys.AuthenticateFrom(c.ctx, c.client, token, apikey.Key, apikey.Access)
	if err != nil {
		return a.failedAuthentication(c, err)
	}
	if c.query.values.Has("access_token") { // RFC 6750, section 2.3, is not offered
		return fault.New(fault.InvalidRequest,
			"A credential in the query is never accepted: send it in the Authorization header alone.")
	}
	if at := c.resource(); v.Resource != "" && v.Resource != at {
		return fault.New(fault.InvalidToken, "The token is for another resource: "+a.APIHost+v.Resource+".")
	}
	c.viewer = v
	c.ctx = viewer.With(c.ctx, v)
	return nil
}

// agentKey marks the context of a request that an agent's tool makes.
type agentKey struct{}

// resource returns the path of the resource that a request is for (RFC 8707). Requests of tools are
// for the agents' resource.
func (c *call) resource() string {
	if c.row != nil && c.row.resource != "" || c.ctx.Value(agentKey{}) != nil {
		return mcp.Path
	}
	return Base
}

func bearer(r *http.Request) (string, error) {
	headers := r.Header["Authorization"]
	if len(headers) > 1 {
		return "", fault.New(fault.InvalidToken, "The headers contain two credentials.")
	}
	if len(headers) == 0 {
		return "", fault.New(fault.AuthenticationRequired, "Send a credential: Authorization: Bearer <API key>.")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", fault.New(fault.AuthenticationRequired, "The Authorization header must use the Bearer scheme.")
	}
	return strings.TrimLeft(token, " "), nil
}

// failedAuthentication limits how fast one address may try credentials.
func (a *API) failedAuthentication(c *call, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.InvalidToken || a.rates.failures.Off() {
		return err
	}
	d := ratelimit.TakeNetwork(a.rates.failures, c.client, 1)
	return cmp.Or(exceeded(d, "Too many failed authentications from this address."), err)
}

func (a *API) limit(c *call) error {
	if a.rates.credentials.Off() {
		return nil
	}
	c.rate, c.rated = a.rates.take(c.viewer), true
	return exceeded(c.rate, tooMany)
}

// clientOf returns the address of the client. It logs the first forwarded request whose proxy
// --trusted-proxies does not name: all visitors behind that proxy share one address.
func (a *API) clientOf(r *http.Request) netip.Addr {
	proxies := Proxies(a.TrustedProxies)
	if len(r.Header["X-Forwarded-For"]) > 0 && !proxies.trust(r) && a.forwarded.CompareAndSwap(false, true) {
		a.Logger.WarnContext(r.Context(), "a proxy that --trusted-proxies does not name forwards requests: all "+
			"visitors behind it count as one client", "peer", r.RemoteAddr)
	}
	return proxies.Client(r)
}

func (p Proxies) trust(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && p.contain(peer.Addr().Unmap())
}

// Proxies are networks whose X-Forwarded-For is trusted.
type Proxies []netip.Prefix

// Client returns the address of the client: the peer's or, if the peer is one of the proxies, the
// last address in X-Forwarded-For that is not a proxy.
func (p Proxies) Client(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := peer.Addr().Unmap()
	if len(p) == 0 || !p.contain(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next, ok := hopOf(hop)
		if !ok {
			return addr
		}
		if addr = next; !p.contain(addr) {
			return addr
		}
	}
	return addr
}

// hopOf reads one entry of X-Forwarded-For: an address, which some proxies write with its port or
// in brackets.
func hopOf(entry string) (netip.Addr, bool) {
	entry = strings.TrimSpace(entry)
	if hostport, err := netip.ParseAddrPort(entry); err == nil {
		return hostport.Addr().Unmap(), true
	}
	if inner, ok := strings.CutPrefix(entry, "["); ok {
		entry = strings.TrimSuffix(inner, "]")
	}
	addr, err := netip.ParseAddr(entry)
	return addr.Unmap(), err == nil
}

func (p Proxies) contain(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// cors sets the CORS headers and answers a preflight. It reports whether it answered.
func (a *API) cors(c *call) bool {
	if !crossOrigin(c.r.URL.Path) {
		return false
	}
	h := c.w.Header()
	h["Access-Control-Allow-Origin"] = anyOrigin
	if c.r.Method != http.MethodOptions || c.r.Header.Get("Access-Control-Request-Method") == "" {
		h["Access-Control-Expose-Headers"] = exposed
		return false
	}
	h["Access-Control-Allow-Methods"] = []string{"GET, HEAD, POST, PUT, PATCH, DELETE"}
	h["Access-Control-Allow-Headers"] = []string{"*, Authorization"}
	if asked := c.r.Header.Values("Access-Control-Request-Headers"); len(asked) > 0 {
		h["Access-Control-Allow-Headers"] = []string{strings.Join(asked, ", ")}
	}
	h["Access-Control-Max-Age"] = []string{"7200"}
	h["Vary"] = []string{"Access-Control-Request-Headers"}
	c.status = http.StatusNoContent
	c.w.WriteHeader(c.status)
	return true
}

// Header values that every answer shares; never changed.
var (
	anyOrigin = []string{"*"}
	exposed   = []string{"X-Request-Id, Location, ETag, Retry-After, RateLimit, RateLimit-Policy, " +
		"Idempotent-Replayed, WWW-Authenticate, Deprecation, Sunset, Link"}
)
