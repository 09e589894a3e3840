package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
)

// version admits only the listed integrations to v0 (contract, section 10).
func (a *API) version(c *call) error {
	if !c.legacy || c.viewer.Legacy {
		return nil
	}
	return fault.New(fault.VersionRetired, "Version v0 is retired: use "+Base+".")
}

// The headers of every answer of v0 (spec, section 9; RFC 9745, RFC 8594).
var (
	deprecation = []string{"@1775001600"} // 2026-04-01
	sunset      = []string{"Tue, 30 Jun 2026 23:59:59 GMT"}
)

func (a *API) retire(h http.Header) {
	h["Deprecation"], h["Sunset"] = deprecation, sunset
	h["Link"] = []string{"<" + a.APIHost + Base + `>; rel="successor-version"`}
}
