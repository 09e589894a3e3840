package rest

import (
	"net/http"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/dashboard"
	"github.com/storefront-go/storefront/rest/page"
)

// people mounts the pages on which people sign in and give consent. GraphQL requests with a cookie
// count against the person's allowance, as their tokens do.
func (a *API) people(router *mux.Router) {
	if a.Account == nil {
		return
	}
	a.Account.Attach(a.clientOf, a.spendPerson)
	for path, handler := range map[string]http.Handler{
		"/": account.Home(), account.SignInPath: a.Account.SignIn(), account.SignOutPath: a.Account.SignOut(),
		account.LobbyPath: a.Account.Lobby(), access.ForgotPath: a.Account.Forgot(),
		access.InvitationPath + "{token}": a.Account.Invitation(), access.ResetPath + "{token}": a.Account.Reset(),
		access.AddressPath + "{token}": a.Account.Address(), page.StylePath: page.Style(),
		account.SecondPath: a.Account.Second(), account.SecondOptionsPath: a.Account.SecondOptions(),
		account.PasskeyPath: a.Account.Passkey(), account.PasskeyOptionsPath: a.Account.PasskeyOptions(),
		account.AgainPath: a.Account.Again(), account.AgainOptionsPath: a.Account.AgainOptions(),
		page.ScriptPath: page.Script(), link.StopRoot + "{token}": a.Account.Stop(),
		link.AlertStopRoot + "{token}":     a.Account.StopAlert(),
		link.MarketingStopRoot + "{token}": a.Account.Unsubscribe(),
	} {
		router.Path(path).Handler(a.plain(path, handler))
	}
	pages := later(func() (http.Handler, error) {
		return dashboard.New(dashboard.Config{Elsewhere: a.Account.Elsewhere, Frames: a.Core.StoreOrigin("*")})
	})
	router.Path(auditPath).Handler(a.auditDownload())
	if a.Blobs != nil {
		router.Path(imagePath).Handler(a.plain(imagePath, a.images.handler(a.images.imageOfPerson)))
		router.Path(returnFilePath).Handler(a.plain(returnFilePath, a.images.handler(a.images.returnFile)))
		router.Path(picturePath).Handler(a.plain(picturePath, a.images.handler(a.images.ofPerson)))
	}
	router.Path(dashboard.Root).Handler(a.plain(dashboard.Root, pages))
	router.PathPrefix(dashboard.Root + "/").Handler(a.plain(dashboard.Root, pages))
}
