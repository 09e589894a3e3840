package account

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/rest/page"
)

// Paths of the page on which a signed-in person confirms their identity again.
const (
	AgainPath        = "/sign-in/again"
	AgainOptionsPath = "/sign-in/again/options"
)

// AgainAddress is the page that confirms a person's identity and returns to a path.
func AgainAddress(returnTo string) string {
	return AgainPath + "?return_to=" + url.QueryEscape(returnTo)
}

type again struct {
	Problem, ReturnTo, Email string
	Password                 page.Field
	Send                     page.Button
	// Passkey is where the form with a passkey is sent; empty if the person has none.
	Passkey, Options string
}

// Again serves /sign-in/again. A visitor who is not signed in signs in, which confirms it too.
func (a *Account) Again() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		returnTo := local(r.URL.Query().Get("return_to"))
		if p := a.signedIn(w, r, returnTo); p != nil {
			a.askAgain(w, r, p, http.StatusOK, "", returnTo)
		}
	}, func(w http.ResponseWriter, r *http.Request, form url.Values) {
		returnTo := local(form.Get("return_to"))
		p := a.signedIn(w, r, returnTo)
		if p == nil {
			return
		}
		_, err := a.Core.Prove(r.Context(), factor.By{Person: p.User, Session: p.Session}, access.Proof{
			Password: form.Get("password"),
			Factor:   factor.Answer{Ceremony: form.Get("ceremony"), Response: []byte(form.Get("response"))},
		})
		f, is := errors.AsType[*fault.Error](err)
		switch {
		case err == nil:
			page.Redirect(w, returnTo)
		case errors.Is(err, session.ErrWrong):
			a.askAgain(w, r, p, http.StatusForbidden, "Wrong password.", returnTo)
		case is && f.Kind != fault.Unavailable:
			a.askAgain(w, r, p, waits(w, f), f.Detail, returnTo)
		default:
			a.failed(w, r, err)
		}
	})
}

func (a *Account) askAgain(w http.ResponseWriter, r *http.Request, p *session.Person, status int,
	problem, returnTo string,
) {
	rows, err := a.Core.Factors.List(r.Context(), p.User)
	if err != nil {
		a.failed(w, r, err)
		return
	}
	s := again{Problem: problem, ReturnTo: returnTo, Email: p.Email, Send: page.Button{Label: "Continue"},
		Options: AgainOptionsPath, Password: page.Field{Name: "password", Label: "Password", Type: "password",
			Autocomplete: "current-password", Required: true, Autofocus: true}}
	if slices.ContainsFunc(rows, kind(state.FactorPasskey)) {
		s.Passkey = a.offer(AgainPath)
	}
	a.pages.Render(w, r, status, "again", s)
}

// AgainOptions serves /sign-in/again/options: the passkey request options of a signed-in person.
func (a *Account) AgainOptions() http.Handler {
	return a.question(func(r *http.Request) (*factor.Ceremony, error) {
		p, err := a.Person(r)
		switch {
		case err != nil:
			return nil, err
		case p == nil:
			return nil, fault.New(fault.Forbidden, "You are signed out. Sign in again.")
		}
		return a.Core.Factors.AskSecond(r.Context(), p.User)
	})
}
