package account

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/rest/page"
)

type forgot struct {
	Problem string
	Email   page.Field
}

// Forgot serves /forgot. The answer is the same for every address.
func (a *Account) Forgot() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		if !a.Core.Notifier.Sends() {
			noMail(w, r)
			return
		}
		a.showForgot(w, r, http.StatusOK, "", problems{})
	}, a.takeForgot)
}

func (a *Account) showForgot(w http.ResponseWriter, r *http.Request, status int, email string, p problems) {
	a.pages.Render(w, r, status, "forgot", forgot{Problem: p.rest, Email: page.Field{Name: "email",
		Label: "Email address", Type: "email", Value: email, Autocomplete: "username", Error: p.fields["email"],
		Required: true, Autofocus: true}})
}

func (a *Account) takeForgot(w http.ResponseWriter, r *http.Request, form url.Values) {
	email := strings.TrimSpace(form.Get("email"))
	err := a.Core.ForgotPassword(r.Context(), email)
	p, ok := problemsOf(err)
	switch {
	case errors.Is(err, access.ErrNoMail):
		noMail(w, r)
	case ok:
		a.showForgot(w, r, refusedAs(w, err), email, p)
	case err != nil:
		a.failed(w, r, err)
	default:
		page.Message(w, r, http.StatusOK, "Check your email", "If an account has this address, we sent it a link "+
			"to set a new password. The link is valid for 30 minutes. We send at most three links per hour.")
	}
}

// noMail explains whom to ask if links cannot be emailed.
func noMail(w http.ResponseWriter, r *http.Request) {
	page.Message(w, r, http.StatusOK, "Ask the operator of this service", "This service does not send email. "+
		"The operator can set a new password with: storefront staff password EMAIL --store HANDLE")
}

type reset struct {
	Path, Email, Problem string
	// Unproved says that the account will lose its contents, because its address was never
	// confirmed.
	Unproved bool
	Password page.Field
}

// used explains a password link that no longer works.
const used = "It was already used or is older than 30 minutes. Request another one on the sign-in page."

// Reset serves /reset/{token}, where the holder of an emailed link chooses a password.
func (a *Account) Reset() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		a.showReset(w, r, http.StatusOK, problems{})
	}, func(w http.ResponseWriter, r *http.Request, form url.Values) {
		err := a.Core.SetForgotten(r.Context(), tokenOf(r, access.ResetPath), form.Get("password"))
		p, ok := problemsOf(err)
		switch {
		case ok:
			a.showReset(w, r, refusedAs(w, err), p)
		case err != nil:
			a.over(w, r, err, used)
		default:
			a.set(w, sessionCookie, "")
			page.Redirect(w, SignInAddress(home))
		}
	})
}

func (a *Account) showReset(w http.ResponseWriter, r *http.Request, status int, p problems) {
	who, err := a.Core.AskedReset(r.Context(), tokenOf(r, access.ResetPath))
	if err != nil {
		a.over(w, r, err, used)
		return
	}
	a.pages.Render(w, r, status, "reset", reset{Path: r.URL.Path, Email: who.Email, Problem: p.rest,
		Unproved: who.VerifiedAt == nil, Password: newPassword(p.fields["password"])})
}
