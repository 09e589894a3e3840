package account

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/page"
)

const maxBody = 16 << 10 // of a form, in bytes

type form struct {
	Problem  string
	ReturnTo string
	Email    page.Field
	Password page.Field
	Send     page.Button
	// Passkey is where the form with a passkey is sent; empty where passkeys are not available.
	Passkey, Options string
}

// show answers with the form. It keeps the email address, never a password.
func (a *Account) show(w http.ResponseWriter, r *http.Request, status int, problem, email, returnTo string) {
	a.pages.Render(w, r, status, "sign-in", form{
		Problem: problem, ReturnTo: local(returnTo),
		Email: page.Field{Name: "email", Label: "Email address", Type: "email", Value: email,
			Autocomplete: "username", Required: true, Autofocus: email == ""},
		Password: page.Field{Name: "password", Label: "Password", Type: "password",
			Autocomplete: "current-password", Required: true, Autofocus: email != ""},
		Send: page.Button{Label: "Sign in"}, Passkey: a.offer(PasskeyPath), Options: PasskeyOptionsPath,
	})
}

// SignIn serves /sign-in: GET shows the form, POST takes it.
func (a *Account) SignIn() http.Handler { return a.pair(a.ask, a.take) }

// ask shows the form, or redirects a person who is already signed in.
func (a *Account) ask(w http.ResponseWriter, r *http.Request) {
	returnTo := ""
	if values := r.URL.Query()["return_to"]; len(values) == 1 {
		returnTo = values[0]
	}
	p, err := a.Person(r)
	switch {
	case err != nil:
		a.failed(w, r, err)
	case p != nil:
		page.Redirect(w, local(returnTo))
	default:
		a.show(w, r, http.StatusOK, "", "", returnTo)
	}
}

func (a *Account) take(w http.ResponseWriter, r *http.Request, values url.Values) {
	email, returnTo := values.Get("email"), values.Get("return_to")
	signed, err := a.Sessions.SignIn(r.Context(), a.attempt(r, email, values.Get("password")))
	f, is := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		a.signed(w, signed, local(returnTo))
	case is:
		a.refused(w, r, f, email, returnTo)
	default:
		a.failed(w, r, err)
	}
}

func (a *Account) attempt(r *http.Request, email, text string) session.Attempt {
	return session.Attempt{Email: email, Password: text, Agent: r.UserAgent(), Client: a.client(r),
		Former: a.get(r, sessionCookie), Device: a.get(r, deviceCookie), Unknown: a.Core.WarnOfBrowser}
}

// signed sets the session cookie and redirects to an address here, or to the second factor.
func (a *Account) signed(w http.ResponseWriter, s session.Signed, to string) {
	if s.Second != "" {
		a.set(w, stepCookie, s.Second)
		page.Redirect(w, SecondPath+"?return_to="+url.QueryEscape(to))
		return
	}
	a.set(w, sessionCookie, s.Token)
	if s.Device != "" {
		a.set(w, deviceCookie, s.Device)
	}
	page.Redirect(w, to)
}

// refused shows the form again with the error. The status of a wrong password is 403: a 401 would
// have to name an HTTP authentication scheme.
func (a *Account) refused(w http.ResponseWriter, r *http.Request, f *fault.Error, email, returnTo string) {
	status := http.StatusForbidden
	switch f.Kind {
	case fault.RateLimited:
		status = http.StatusTooManyRequests
	case fault.Unavailable:
		status = http.StatusServiceUnavailable
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", ratelimit.Seconds(f.RetryAfter))
	}
	a.show(w, r, status, f.Detail, email, returnTo)
}

// SignOut serves POST /sign-out. It accepts any session cookie, and succeeds without one.
func (a *Account) SignOut() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			notAllowed(w, r, "POST")
			return
		}
		if a.foreign(w, r) {
			return
		}
		if token := a.get(r, sessionCookie); token != "" {
			if err := a.Sessions.SignOut(r.Context(), token); err != nil {
				a.failed(w, r, err)
				return
			}
		}
		a.set(w, sessionCookie, "")
		page.Redirect(w, signedOutTo(w, r))
	})
}

// signedOutTo returns the sign-in page, with the form's return_to if there is one: the consent page
// asks the next person the same question. If the form cannot be read, there is no return_to.
func signedOutTo(w http.ResponseWriter, r *http.Request) string {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if r.ParseForm() != nil || r.PostForm.Get("return_to") == "" {
		return SignInPath
	}
	return SignInAddress(local(r.PostForm.Get("return_to")))
}

// Home serves /, which redirects to the dashboard.
func Home() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notAllowed(w, r, "GET, HEAD")
			return
		}
		page.Redirect(w, home)
	})
}

// foreign refuses a POST from a page of another site, and reports whether it did.
func (a *Account) foreign(w http.ResponseWriter, r *http.Request) bool {
	if a.origins.Check(r) == nil {
		return false
	}
	page.Message(w, r, http.StatusForbidden, "Request blocked",
		"The form was sent from another site. Open the page at this address and try again.")
	return true
}

// Refuse explains how sign-in is enabled where it is not safe (contract, section 11). The consent
// page uses it too.
func Refuse(w http.ResponseWriter, r *http.Request) {
	page.Message(w, r, http.StatusForbidden, "Sign-in is disabled",
		"This server uses plain http on an address that other machines can reach, so passwords could be intercepted. "+
			"The operator can enable https with --tls-cert and --tls-key, or with a proxy and --public-url "+
			"https://… . In a trusted network, --insecure-http allows sign-in without https.")
}

// readForm reads a form with one value per name, or answers with the error.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	refuse := func(status int, title, text string) (url.Values, bool) {
		page.Message(w, r, status, title, text)
		return nil, false
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return refuse(http.StatusUnsupportedMediaType, "Unsupported content type",
			"Send application/x-www-form-urlencoded.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refuse(http.StatusRequestEntityTooLarge, "The form is too large",
			"Go back, shorten your input and try again.")
	}
	values, parseErr := url.ParseQuery(string(body))
	if err != nil || parseErr != nil {
		return refuse(http.StatusBadRequest, "The form is not valid", "Go back and try again.")
	}
	for _, list := range values {
		if len(list) > 1 {
			return refuse(http.StatusBadRequest, "The form is not valid",
				"A field appears twice. Go back and try again.")
		}
	}
	return values, true
}

func notAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	w.Header().Set("Allow", allow)
	page.Message(w, r, http.StatusMethodNotAllowed, "Method not allowed", "This address accepts "+allow+".")
}

func (a *Account) failed(w http.ResponseWriter, r *http.Request, err error) {
	a.Logger.ErrorContext(r.Context(), "account page failed", "error", err)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Unavailable {
		w.Header().Set("Retry-After", ratelimit.Seconds(f.RetryAfter))
		page.Message(w, r, http.StatusServiceUnavailable, "Temporarily unavailable", "Try again in a moment.")
		return
	}
	page.Message(w, r, http.StatusInternalServerError, "Something went wrong",
		"We have logged the error. Try again later.")
}
