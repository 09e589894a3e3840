package app

import (
	"net/url"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
)

// Marketplace names the stores that review submissions.
type Marketplace struct {
	MarketplaceReviewers []string `env:"STOREFRONT_MARKETPLACE_REVIEWERS" placeholder:"HANDLE" help:"Handles of the stores whose owners and admins review themes for the marketplace (default none; with --demo, its stores)."`
}

func (m Marketplace) reviews(s *db.Store) bool {
	return s.Demo || slices.Contains(m.MarketplaceReviewers, s.Handle)
}

// redactedURL returns an address without what follows its path, which may hold keys.
func redactedURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(unreadable)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
