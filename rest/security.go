package rest

import (
	"fmt"
	"net/http"
	"time"
)

// securityPath is where people who found a vulnerability look for a contact (RFC 9116, section 3).
const securityPath = "/.well-known/security.txt"

// securityLife is how long the contact is valid: less than a year (RFC 9116, section 2.5.5).
const securityLife = 90 * 24 * time.Hour

func (a *API) security() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		expires := time.Now().UTC().Truncate(24 * time.Hour).Add(securityLife)
		text := fmt.Appendf(nil, "Contact: %s\nExpires: %s\nCanonical: %s%s\n", a.SecurityContact,
			expires.Format(time.RFC3339), a.APIHost, securityPath)
		a.static("text/plain; charset=utf-8", text).ServeHTTP(w, r)
	})
}
