package account

import (
	"net/http"
	"net/url"

	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/rest/page"
)

// stale explains an emailed link that no longer works.
const stale = "It was already used or replaced, it is older than one day, or it belongs to another account. " +
	"Request another one in the dashboard, under Security."

type address struct{ Path, Email, Problem string }

// Address serves /address/{token}, where a signed-in person confirms that an address is theirs.
// Opening the page confirms nothing, because email scanners follow links.
func (a *Account) Address() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		a.showAddress(w, r, http.StatusOK, "")
	}, func(w http.ResponseWriter, r *http.Request, _ url.Values) {
		who := a.signedIn(w, r, r.URL.Path)
		if who == nil {
			return
		}
		err := a.Core.ConfirmAddress(r.Context(), tokenOf(r, access.AddressPath), who.User)
		if p, ok := problemsOf(err); ok {
			a.showAddress(w, r, refusedAs(w, err), p.rest+p.fields["email"])
			return
		}
		if err != nil {
			a.over(w, r, err, stale)
			return
		}
		page.Message(w, r, http.StatusOK, "Address confirmed", "You can close this page.")
	})
}

func (a *Account) showAddress(w http.ResponseWriter, r *http.Request, status int, problem string) {
	who := a.signedIn(w, r, r.URL.Path)
	if who == nil {
		return
	}
	row, err := a.Core.AskedAddress(r.Context(), tokenOf(r, access.AddressPath), who.User)
	if err != nil {
		a.over(w, r, err, stale)
		return
	}
	a.pages.Render(w, r, status, "address", address{r.URL.Path, *row.Email, problem})
}

// signedIn returns the person signed in, or redirects to the sign-in page, which returns to
// returnTo.
func (a *Account) signedIn(w http.ResponseWriter, r *http.Request, returnTo string) *session.Person {
	who, err := a.Person(r)
	if err != nil {
		a.failed(w, r, err)
		return nil
	}
	if who == nil {
		page.Redirect(w, SignInAddress(returnTo))
	}
	return who
}

// Lobby serves /account, the page of people who belong to no store.
func (a *Account) Lobby() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notAllowed(w, r, "GET, HEAD")
			return
		}
		if who := a.signedIn(w, r, r.URL.Path); who != nil {
			a.pages.Render(w, r, http.StatusOK, "lobby", who)
		}
	})
}

// Elsewhere returns where to redirect a browser that may not see the dashboard: to the sign-in page
// or to the lobby, or "" if it may. If the database is down, the requests of the dashboard's page
// report that.
func (a *Account) Elsewhere(r *http.Request) string {
	who, err := a.Person(r)
	switch {
	case err != nil:
		return ""
	case who == nil:
		return SignInAddress(r.URL.RequestURI())
	case len(who.Memberships) == 0:
		return LobbyPath
	}
	return ""
}
