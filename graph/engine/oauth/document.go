package oauth

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// IsDocument reports whether a client id is the URL of a Client ID Metadata Document
// (draft-ietf-oauth-client-id-metadata-document, section 3), which an unregistered client uses. Ids
// of registered apps have no scheme.
func IsDocument(id string) bool { return strings.HasPrefix(id, "https://") }

type document struct {
	host      string   // of the client id, the only member that the client cannot invent
	name      string   // as the client calls itself; empty for none
	redirects []string // at least one, each allowed by [checkDocumentRedirect]
}

// checkDocumentURL returns the URL of a client id, or nil if the draft or the policy refuses it.
// Client ids are compared as texts, so a second spelling of the same URL is refused.
func checkDocumentURL(p egress.Policy, id string) *url.URL {
	u, wrong := p.CheckURL(id)
	if wrong != "" || !IsDocument(id) || u.String() != id {
		return nil
	}
	steps := strings.Split(u.Path, "/") // percent-decoded, so that %2e%2e is a dot segment too
	if len(u.Path) < 2 || slices.Contains(steps, ".") || slices.Contains(steps, "..") {
		return nil
	}
	return u
}

// parseDocument parses the document at the URL id. Unknown members are ignored. People read the
// reasons for a refusal.
func parseDocument(id *url.URL, body []byte) (*document, error) {
	v, err := wire.Parse(body)
	if err != nil || v.Kind() != wire.ObjectKind {
		return nil, errors.New("it is not a JSON object with each member once")
	}
	if text(v, "client_id") != id.String() {
		return nil, errors.New("its client_id is not its own address")
	}
	for _, name := range []string{"client_secret", "client_secret_expires_at"} {
		if m, ok := v.Get(name); ok && m.Kind() != wire.NullKind {
			return nil, errors.New("it holds a client secret, which a public document cannot keep")
		}
	}
	if m, ok := v.Get("token_endpoint_auth_method"); ok && m.Text() != "none" {
		return nil, errors.New("its token_endpoint_auth_method is not none")
	}
	if !holds(v, "grant_types", "authorization_code") || !holds(v, "response_types", "code") {
		return nil, errors.New("it does not use the authorization code grant")
	}
	d := &document{host: id.Host, name: text(v, "client_name")}
	d.redirects, err = redirectsOf(v)
	return d, err
}

var errRedirects = errors.New("it names no allowed redirect URI, or too many")

// redirectsOf returns the redirect URIs that this server allows. Others are for other servers.
func redirectsOf(v wire.Value) (allowed []string, err error) {
	list, _ := v.Get("redirect_uris")
	if list.Kind() != wire.ArrayKind || list.Len() > limit.RedirectURIs {
		return nil, errRedirects
	}
	for _, m := range list.Elements() {
		if m.Kind() == wire.StringKind && checkDocumentRedirect(m.Text()) {
			allowed = append(allowed, m.Text())
		}
	}
	if len(allowed) == 0 {
		return nil, errRedirects
	}
	return allowed, nil
}

// checkDocumentRedirect reports whether a redirect URI of a document is allowed: those that an app
// may register, and http on localhost, which unregistered clients use. Browsers resolve that name
// to the device only.
func checkDocumentRedirect(uri string) bool {
	if rest, ok := strings.CutPrefix(uri, localhost); ok {
		uri = loopbacks[0] + rest
	}
	return CheckRedirectURI(uri) == ""
}

func text(v wire.Value, name string) string {
	m, _ := v.Get(name)
	if m.Kind() != wire.StringKind {
		return ""
	}
	return m.Text()
}

// holds reports whether a list has a text, or is absent and so has it (RFC 7591, section 2).
func holds(v wire.Value, name, text string) bool {
	list, ok := v.Get(name)
	if !ok {
		return true
	}
	for _, m := range list.Elements() {
		if m.Kind() == wire.StringKind && m.Text() == text {
			return true
		}
	}
	return false
}
