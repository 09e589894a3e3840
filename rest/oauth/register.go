package oauth

import (
	"net/http"
	"time"

	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// register registers a client (RFC 7591, section 3). The answer has what the server made of the
// metadata, and no secret: clients are public.
func (f *Frontend) register(w http.ResponseWriter, r *http.Request) {
	if mediaOf(r.Header) != "application/json" {
		f.fail(w, r, &oauth.Error{Code: oauth.InvalidMetadata, Description: "The body must be application/json."})
		return
	}
	body, err := readBody(w, r)
	if err != nil {
		f.fail(w, r, err)
		return
	}
	c, err := f.Server.Register(r.Context(), body)
	if err != nil {
		f.fail(w, r, err)
		return
	}
	o := wire.Open(nil)
	o.Str("client_id", c.ID)
	o.Int("client_id_issued_at", c.Issued.Time().Truncate(time.Second).Unix())
	if c.Name != "" {
		o.Str("client_name", c.Name)
	}
	o.Strings("redirect_uris", c.Redirects)
	o.Strings("grant_types", []string{"authorization_code", "refresh_token"})
	o.Strings("response_types", []string{"code"})
	o.Str("token_endpoint_auth_method", "none")
	o.Str("scope", c.Scopes().String())
	send(w, http.StatusCreated, o.Close())
}
