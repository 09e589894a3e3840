package oauth

import (
	"context"
	"net/url"
	"time"
)

// Unexported functions for the tests.
var (
	CheckDocumentURL = checkDocumentURL
	Lifetime         = lifetime
)

// LimitFetch sets how long a fetch of a document may take.
func (s *Server) LimitFetch(d time.Duration) { s.documents.limit = d }

// Fetch fetches a document whatever the form of its URL.
func (s *Server) Fetch(ctx context.Context, u *url.URL) error {
	return s.documents.fetch(ctx, u).refusal
}

// ParseDocument returns the name and the redirect URIs of a document.
func ParseDocument(id string, body []byte) (name string, redirects []string, err error) {
	u, err := url.Parse(id)
	if err != nil {
		return "", nil, err
	}
	d, err := parseDocument(u, body)
	if err != nil {
		return "", nil, err
	}
	return d.name, d.redirects, nil
}

// Sign sets the id of a registration, whenever it was issued.
func (s *Server) Sign(r *Registration) error { return s.registrar.sign(r) }

// Unexported functions for the tests of registrations.
var (
	ParseRegistration = parseRegistration
	DocumentKey       = documentKey
)
