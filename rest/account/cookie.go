package account

import (
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/graph/engine/session"
)

// Names of the cookies (contract, section 11). Browsers refuse a cookie with the prefix __Host-
// that another host or plain http sets (RFC 6265bis, section 4.1.3.2).
const (
	secureCookie = "__Host-storefront"
	plainCookie  = "storefront_session"
	// A browser that has signed in before has a cookie of its own, which stays after signing out.
	secureDevice = "__Host-storefront-device"
	plainDevice  = "storefront_device"
	// A person between the password and the second factor.
	secureStep = "__Host-storefront-second"
	plainStep  = "storefront_second"
)

// secure reports whether browsers use https.
func (a *Account) secure() bool { return strings.HasPrefix(a.APIHost, "https://") }

func (a *Account) cookieName() string {
	if a.secure() {
		return secureCookie
	}
	return plainCookie
}

// cookie returns the session cookie; an empty token deletes it.
func (a *Account) cookie(token string) *http.Cookie {
	return a.made(a.cookieName(), token, session.Life)
}

// made returns a cookie of this host that scripts cannot read; an empty value deletes it.
func (a *Account) made(name, value string, life time.Duration) *http.Cookie {
	age := int(life.Seconds())
	if value == "" {
		age = -1
	}
	return &http.Cookie{ //nolint:gosec // without Secure on plain http only, where browsers would drop it
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

// setDevice sets the known-browser cookie after a sign-in.
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

// setStep sets the cookie of a person whose second factor is missing; an empty token deletes it.
func (a *Account) setStep(w http.ResponseWriter, token string) {
	http.SetCookie(w, a.made(a.stepName(), token, session.SecondLife))
}

// step returns the cookie between the password and the second factor.
func (a *Account) step(r *http.Request) string { return only(r, a.stepName()) }

// token returns the session cookie of a request.
func (a *Account) token(r *http.Request) string { return only(r, a.cookieName()) }

// device returns the known-browser cookie of a request.
func (a *Account) device(r *http.Request) string { return only(r, a.deviceName()) }

// only returns the value of a cookie, or "" if there are two of the name: an attacker may have
// planted either.
func only(r *http.Request, name string) string {
	list := r.CookiesNamed(name)
	if len(list) != 1 || list[0].Quoted {
		return ""
	}
	return list[0].Value
}
