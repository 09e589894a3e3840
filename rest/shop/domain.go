package shop

import (
	"net"
	"net/http"
	"strings"
)

// partRoot begins the paths of what pages consist of, such as stylesheets: a page of a preview, or of
// a shopper with a cart, loads them from its own host alone.
const partRoot = "/_"

// Elsewhere returns the address of the requested page at the host at which the store's visitors
// arrive, if the request came to another of its hosts; "" if not. Forms are answered where they were
// opened, and previews at the store_host alone.
func (s *Shop) Elsewhere(r *http.Request) string {
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok || v.front == nil || v.err != nil || r.Method != http.MethodGet && r.Method != http.MethodHead ||
		signed(r.URL.RawQuery) || strings.HasPrefix(r.URL.Path, partRoot) {
		return ""
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	arrive := v.state.Domain
	if arrive == nil && !v.brought || arrive != nil && strings.EqualFold(*arrive, strings.TrimSuffix(host, ".")) {
		return ""
	}
	return s.Core.ShopOrigin(v.state.Handle, arrive) + r.URL.RequestURI()
}
