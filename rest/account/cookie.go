package account

import (
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/graph/session"
)

// Names of the cookie (contract, section 11). The prefix __Host- makes browsers
// refuse one that another host, or plain http, sets over it (RFC 6265bis, section
// 4.1.3.2).
const (
	secureCookie = "__Host-storefront"
	plainCookie  = "storefront_session"
)

// secure reports whether browsers reach us by https.
func (a *Account) secure() bool { return strings.HasPrefix(a.APIHost, "https://") }

func (a *Account) cookieName() string {
	if a.secure() {
		return secureCookie
	}
	return plainCookie
}

// cookie carries a token; an empty one takes the cookie away.
func (a *Account) cookie(token string) *http.Cookie {
	c := &http.Cookie{ //nolint:gosec // without Secure on plain http alone, where browsers would drop it
		Name: a.cookieName(), Value: token, Path: "/", Secure: a.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: int(session.Life.Seconds()),
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}

// token returns the cookie of a request. Two of one name are none: somebody
// planted one of them, and nobody can say which.
func (a *Account) token(r *http.Request) string {
	list := r.CookiesNamed(a.cookieName())
	if len(list) != 1 || list[0].Quoted {
		return ""
	}
	return list[0].Value
}
