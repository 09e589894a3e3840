package account

import (
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/graph/engine/session"
)

// cookie is a cookie by its names over https and over plain http (contract, section 11). Browsers
// refuse the prefix __Host- from another host or plain http (RFC 6265bis, section 4.1.3.2).
type cookie struct {
	secure, plain string
	life          time.Duration
}

var (
	sessionCookie = cookie{"__Host-storefront", "storefront_session", session.Life}
	// deviceCookie is of a browser that has signed in before. It stays after signing out.
	deviceCookie = cookie{"__Host-storefront-device", "storefront_device", session.DeviceLife}
	// stepCookie is of a person between the password and the second factor.
	stepCookie = cookie{"__Host-storefront-second", "storefront_second", session.SecondLife}
)

func (a *Account) secure() bool { return strings.HasPrefix(a.APIHost, "https://") }

func (a *Account) nameOf(k cookie) string {
	if a.secure() {
		return k.secure
	}
	return k.plain
}

// set sets a cookie of this host that scripts cannot read; an empty value deletes it.
func (a *Account) set(w http.ResponseWriter, k cookie, value string) {
	age := int(k.life.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without Secure on plain http only, where browsers would drop it
		Name: a.nameOf(k), Value: value, Path: "/", Secure: a.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: age,
	})
}

// get returns the value of a cookie, or "" if there are two of the name: an attacker may have
// planted either.
func (a *Account) get(r *http.Request, k cookie) string {
	list := r.CookiesNamed(a.nameOf(k))
	if len(list) != 1 || list[0].Quoted {
		return ""
	}
	return list[0].Value
}
