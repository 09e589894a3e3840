package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
)

// Request is a valid authorization request.
type Request struct {
	App *db.App
	// Registration is set for a client that registered itself.
	Registration *Registration
	// Scopes are the requested scopes that the app is registered for, with implied read scopes.
	Scopes      scope.Set
	RedirectURI string
	State       string
	resource    string // the path of the requested resource; empty for none
	challenge   string
	issuer      string
	stated      bool // the request had a state
}

// Begin validates an authorization request (RFC 6749, section 4.1.1). Its error is an [*Error],
// which says whether the person may carry it to the client.
func (s *Server) Begin(ctx context.Context, p Params) (*Request, error) {
	r := &Request{issuer: s.Issuer}
	if err := s.checkRedirect(ctx, p, r); err != nil {
		return nil, err
	}
	err := r.read(p)
	if named := p.Get("resource"); err == nil && named != "" {
		var ok bool
		if r.resource, ok = s.resource(named); !ok {
			err = errTarget()
		}
	}
	if err != nil {
		err.request = r
		return nil, err
	}
	return r, nil
}

// checkRedirect validates the app and the redirect URI, to which no error is sent until then.
func (s *Server) checkRedirect(ctx context.Context, p Params, r *Request) error {
	if p.isRepeated("client_id") || p.isRepeated("redirect_uri") {
		return p.checkRepeated()
	}
	row, registration, err := s.requestedApp(ctx, p.Get("client_id"))
	refusal, _ := errors.AsType[*Error](err)
	switch {
	case refusal != nil:
		return refusal
	case errors.Is(err, errUnknown):
		return refuse(InvalidClient, "Unknown client_id.")
	case err != nil:
		return failed("look up client", err)
	case row.DisabledAt != nil:
		return refuse(UnauthorizedClient, "The app was disabled by its developer.")
	}
	r.App, r.Registration, r.RedirectURI = row, registration, p.Get("redirect_uri")
	if r.RedirectURI == "" {
		return refuse(InvalidRequest, "The parameter redirect_uri is missing.")
	}
	if !registered(strings.Fields(row.RedirectUris), r.RedirectURI) {
		return refuse(InvalidRequest, "The redirect_uri is not registered for this app.")
	}
	return nil
}

// read validates the parameters whose errors may be reported to the client.
func (r *Request) read(p Params) *Error {
	if !p.isRepeated("state") {
		r.State, r.stated = p.Get("state"), p.Get("state") != ""
	}
	if err := p.checkRepeated(); err != nil {
		return err
	}
	switch p.Get("response_type") {
	case "code":
	case "":
		return refuse(InvalidRequest, "The parameter response_type is missing.")
	default: // there is no implicit flow (spec, section 5)
		return refuse(UnsupportedResponseType, "The only response_type is code.")
	}
	if mode := p.Get("response_mode"); mode != "" && mode != "query" {
		return refuse(InvalidRequest, "The only response_mode is query.")
	}
	if err := r.checkPKCE(p); err != nil {
		return err
	}
	return r.scope(p.Get("scope"))
}

// checkPKCE requires PKCE with S256 of every client (RFC 9700, section 2.1.1). A missing method
// means plain, which is refused too.
func (r *Request) checkPKCE(p Params) *Error {
	r.challenge = p.Get("code_challenge")
	switch {
	case r.challenge == "":
		return refuse(InvalidRequest, "The parameter code_challenge is missing: PKCE is required.")
	case p.Get("code_challenge_method") != "S256":
		return refuse(InvalidRequest, "The code_challenge_method is not S256: transform algorithm not supported.")
	case !checkChallenge(r.challenge):
		return refuse(InvalidRequest, "The code_challenge is not the base64url of a SHA-256.")
	}
	return nil
}

// scope sets the requested scopes that the app is registered for; no request means all of them.
func (r *Request) scope(asked string) *Error {
	r.Scopes = scope.Parse(r.App.Scopes).Effective()
	if asked != "" {
		r.Scopes &= scope.Parse(asked).Effective()
	}
	if r.Scopes == 0 {
		return refuse(InvalidScope, "The app is not registered for any of these scopes.")
	}
	return nil
}

// answer returns the redirect URI with parameters, the issuer (RFC 9207, section 2) and the
// client's state. An existing query of the URI is kept (RFC 6749, section 3.1.2).
func (r *Request) answer(pairs ...string) string {
	q := url.Values{"iss": {r.issuer}}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	if r.stated {
		q.Set("state", r.State)
	}
	join := "?"
	if strings.Contains(r.RedirectURI, "?") {
		join = "&"
	}
	return r.RedirectURI + join + q.Encode()
}

// Host describes for the consent screen where the person will be sent: the host of a web address,
// an app on this device for a loopback one, else the private scheme.
func (r *Request) Host() string {
	if r.Local() {
		return "an app on this device"
	}
	u, err := url.Parse(r.RedirectURI)
	if err != nil || u.Host == "" || u.Scheme != "https" {
		scheme, _, _ := strings.Cut(r.RedirectURI, ":")
		return "the app " + scheme + " on this device"
	}
	return u.Host
}

// Local reports whether the answer goes to a loopback address, where any program on the device can
// take it.
func (r *Request) Local() bool {
	_, _, ok := loopback(r.RedirectURI)
	return ok
}

// digest binds a ticket to what was shown. Lengths keep the digests of two requests apart.
func (r *Request) digest() [sha256.Size]byte {
	var b []byte
	app := []string{r.App.ClientID}
	if r.App.MetadataURL != nil { // the name in a document may change while a person reads it
		app = []string{*r.App.MetadataURL, r.App.Name}
	}
	for _, text := range append(app, r.RedirectURI, r.State, r.challenge, r.Scopes.String(), r.resource) {
		b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	return sha256.Sum256(b)
}
