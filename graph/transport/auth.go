package transport

import (
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/idem"
)

// authenticate returns the viewer of a request. It never accepts a credential in the URL, because
// URLs end up in logs.
func (h *handler) authenticate(r *http.Request) (*viewer.Viewer, error) {
	token, err := bearer(r.Header.Values("Authorization"))
	inQuery := strings.Contains(r.URL.RawQuery, "access_token") && r.URL.Query().Has("access_token")
	switch {
	case err != nil:
		return nil, err
	case inQuery && token != "":
		return nil, fault.New(fault.InvalidRequest,
			"A credential in the URL is not accepted. Send it only in the header.")
	case token != "":
		v, err := h.Core.Keys.AuthenticateFrom(r.Context(), h.Client(r), token, apikey.Key, apikey.Access, apikey.Staff)
		// The URL of the metadata ends with the path of the resource (RFC 9728, section 3.1).
		if err == nil && !strings.HasSuffix(h.ResourceMetadata, v.Resource) {
			return nil, fault.New(fault.InvalidToken, "The token is for another resource.")
		}
		return v, err
	case !inQuery && h.Session != nil && r.Method == http.MethodPost && h.Origins.Check(r) == nil:
		v, err := h.Session(r)
		if v != nil || err != nil {
			return v, err
		}
	}
	return nil, fault.New(fault.AuthenticationRequired, "Send a credential in the header Authorization: Bearer.")
}

// bearer returns the credential of the Authorization headers, or "" if there is none or it has
// another scheme (RFC 6750, section 2.1).
func bearer(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimLeft(token, " ")
	switch {
	case len(values) > 1 || strings.ContainsAny(token, " ,"):
		return "", fault.New(fault.InvalidToken, "Send one credential.")
	case !strings.EqualFold(scheme, "Bearer"):
		return "", nil
	case token == "":
		return "", fault.New(fault.InvalidToken, "The credential is empty.")
	}
	return token, nil
}

// challenge returns the WWW-Authenticate header of a 401 (RFC 6750, section 3). Without a
// credential it contains no error.
func (h *handler) challenge(k fault.Kind) string {
	s := `Bearer realm="storefront"`
	if h.ResourceMetadata != "" {
		s += `, resource_metadata="` + h.ResourceMetadata + `"`
	}
	if k == fault.InvalidToken {
		s += `, error="invalid_token"`
	}
	return s
}

func idempotencyKey(r *http.Request) (key string, keyed bool, err error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", false, nil
	}
	key = values[0]
	if len(values) > 1 {
		key = "" // two keys are invalid
	}
	return key, true, idem.CheckKey(key, true)
}
