package oauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest/variant"
)

// serverMetadata describes the authorization server (RFC 8414, section 2).
type serverMetadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint,omitempty"`
	ScopesSupported       []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	IssParameter          bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207, section 3
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`
	ServiceDocumentation  string   `json:"service_documentation"`
}

// resourceMetadata describes a protected resource (RFC 9728, section 2).
type resourceMetadata struct {
	Resource              string   `json:"resource"`
	AuthorizationServers  []string `json:"authorization_servers"`
	ScopesSupported       []string `json:"scopes_supported"`
	BearerMethods         []string `json:"bearer_methods_supported"`
	ResourceDocumentation string   `json:"resource_documentation"`
}

func (f *Frontend) serverDocument() (http.Handler, error) {
	issuer, none := f.Server.Issuer, []string{"none"}
	var registration string
	if f.Server.Registration {
		registration = issuer + RegisterPath
	}
	return f.document(serverMetadata{
		Issuer:                issuer,
		AuthorizationEndpoint: issuer + AuthorizePath,
		TokenEndpoint:         issuer + TokenPath,
		RevocationEndpoint:    issuer + RevokePath,
		RegistrationEndpoint:  registration,
		ScopesSupported:       scope.Names(),
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{"authorization_code", "refresh_token"},
		TokenAuthMethods:      none,
		RevocationAuthMethods: none,
		ChallengeMethods:      []string{"S256"},
		IssParameter:          true,
		ClientDocuments:       true,
		ServiceDocumentation:  issuer + "/docs",
	})
}

func (f *Frontend) resourceDocument(path string) (http.Handler, error) {
	issuer := f.Server.Issuer
	return f.document(resourceMetadata{
		Resource:              issuer + path,
		AuthorizationServers:  []string{issuer},
		ScopesSupported:       scope.Names(),
		BearerMethods:         []string{"header"},
		ResourceDocumentation: issuer + "/docs",
	})
}

// document serves a fixed document: GET and HEAD, with 304 for a known tag.
func (f *Frontend) document(v any) (http.Handler, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("oauth: write metadata: %w", err)
	}
	tag := variant.StrongTag(body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			wrongMethod(w, "GET, HEAD")
			return
		}
		if !f.Account.Allowed {
			f.refuse(w, http.StatusForbidden, invalid(closed))
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("ETag", tag)
		variant.Content(w, r, bytes.NewReader(body))
	}), nil
}
