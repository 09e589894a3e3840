package rest

import (
	"errors"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/rest/mcp"
	frontend "github.com/storefront-go/storefront/rest/oauth"
)

// authorization mounts the authorization server's frontend (contract, section 7).
func (a *API) authorization(router *mux.Router) error {
	if a.OAuth == nil {
		return nil
	}
	if a.Account == nil {
		return errors.New("OAuth needs Account: a person must consent")
	}
	f, err := frontend.New(frontend.Config{Server: a.OAuth, Account: a.Account, Resources: []string{Base, mcp.Path},
		RatePerSecond: a.RatePerSecond, RateBurst: a.RateBurst, ClientOf: a.clientOf, Logger: a.Logger})
	if err != nil {
		return err
	}
	routes, err := f.Routes()
	if err != nil {
		return err
	}
	for path, handler := range routes {
		router.Path(path).Handler(a.plain(path, handler))
	}
	return nil
}
