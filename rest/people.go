package rest

import (
	"net/http"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/dashboard"
	"github.com/storefront-go/storefront/rest/page"
)

// people mounts the pages on which people sign in and decide. GraphQL requests
// with a cookie count against the person's allowance, as their tokens do.
func (a *API) people(router *mux.Router) error {
	if a.Account == nil {
		return nil
	}
	a.Account.Attach(account.Hooks{Client: a.clientOf, Spend: a.spendPerson})
	for path, handler := range map[string]http.Handler{
		"/": account.Home(), account.SignInPath: a.Account.SignIn(), account.SignOutPath: a.Account.SignOut(),
		page.StylePath: page.Style(),
	} {
		router.Path(path).Handler(a.plain(path, handler))
	}
	pages, err := dashboard.New(dashboard.Config{Signed: a.signed, SignIn: account.SignInAddress})
	if err != nil {
		return err
	}
	router.Path(dashboard.Root).Handler(a.plain(dashboard.Root, pages))
	router.PathPrefix(dashboard.Root + "/").Handler(a.plain(dashboard.Root, pages))
	return nil
}

// signed reports whether a browser is signed in. A database that is away is reported by
// the page's own requests.
func (a *API) signed(r *http.Request) bool {
	p, err := a.Account.Person(r)
	return err != nil || p != nil
}
