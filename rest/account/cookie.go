package account

import (
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/graph/engine/session"
)

// Names of the cookie (contract, section 11). The prefix __Host- makes browsers
// refuse one that another host, or plain http, sets over it (RFC 6265bis, section
// 4.1.3.2).
const (
	secureCookie = "__Host-storefront"
	plainCookie  = "storefront_session"
	// Who signed in with a browser before is known by a cookie of its own, which
	// stays when they sign out.
	secureDevice = "__Host-storefront-device"
	plainDevice  = "storefront_device"
	// Who is on the way from the password to the second factor.
	secureStep = "__Host-storefront-second"
	plainStep  = "storefront_second"
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
	return a.made(a.cookieName(), token, session.Life)
}

// made is a cookie of this host that no script reads; one without a value takes it away.
func (a *Account) made(name, value string, life time.Duration) *http.Cookie {
	age := int(life.Seconds())
	if value == "" {
		age = -1
	}
	return &http.Cookie{ //nolint:gosec // without Secure on plain http alone, where browsers would drop it
		Name: name, Value: value, Path: "/", Secure: a.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: age,
	}
}

func (a *Account) deviceName() string {
	if a.secure() {
		return secureDevice
	}
	return plainDevice
}

// setDevice sets the cookie of known browsers after a sign-in.
func (a *Account) setDevice(w http.ResponseWriter, device string) {
	if device == "" {
		return
	}
	http.SetCookie(w, a.made(a.deviceName(), device, session.DeviceLife))
}

func (a *Account) stepName() string {
	if a.secure() {
		return secureStep
	}
	return plainStep
}

// setStep sets the cookie of somebody whose second factor is missing; an empty token
// takes it away.
func (a *Account) setStep(w http.ResponseWriter, token string) {
	http.SetCookie(w, a.made(a.stepName(), token, session.SecondLife))
}

// step returns the cookie of the way to the second factor.
func (a *Account) step(r *http.Request) string { return only(r, a.stepName()) }

// token returns the cookie of a request's session.
func (a *Account) token(r *http.Request) string { return only(r, a.cookieName()) }

// device returns the cookie of known browsers of a request.
func (a *Account) device(r *http.Request) string { return only(r, a.deviceName()) }

// only returns the value of a cookie. Two of one name are none: somebody planted one
// of them, and nobody can say which.
func only(r *http.Request, name string) string {
	list := r.CookiesNamed(name)
	if len(list) != 1 || list[0].Quoted {
		return ""
	}
	return list[0].Value
}
