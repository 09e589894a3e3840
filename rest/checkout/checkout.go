package checkout

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// Config is the configuration of the pages.
type Config struct {
	Carts    *cart.Carts
	Shoppers *shopper.Shoppers
	Core     storefront.Storefront
	// Links signs and verifies the addresses of orders.
	Links *link.Signer
	// ClientOf returns the address of the client.
	ClientOf func(*http.Request) netip.Addr
	Logger   *slog.Logger
}

// Checkout serves the pages of all stores.
type Checkout struct {
	Config
	pages   map[string]func() (*template.Template, error)
	origins *http.CrossOriginProtection
	guesses guesses
	lookups lookups
	// photoPlaces holds the forms with photos.
	photoPlaces chan struct{}
}

// New creates the pages.
func New(c Config) (*Checkout, error) {
	if c.Carts == nil || c.Shoppers == nil || c.Core.Core == nil || c.Links == nil || c.ClientOf == nil {
		return nil, errors.New("checkout: Carts, Shoppers, Core, Links and ClientOf are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	pages, err := templates()
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	tried, err := newGuesses()
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	asked, err := newLooks()
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	return &Checkout{Config: c, pages: pages, origins: http.NewCrossOriginProtection(), guesses: tried, lookups: asked,
		photoPlaces: make(chan struct{}, photoForms)}, nil
}

// Paths of the pages.
const (
	cartPath     = "/cart"
	addPath      = "/cart/add"
	linePath     = "/cart/line"
	leftRoot     = link.CartRoot
	checkoutPath = "/checkout"
	placePath    = "/checkout/place"
	reopenPath   = "/checkout/reopen"
	orderRoot    = link.OrderRoot
	againSuffix  = "/again"
	cancelSuffix = "/cancel"
	paySuffix    = "/pay"
	invoiceRoot  = "/invoices/"
	// returnSuffix and withdrawSuffix begin a return and a withdrawal, and findPath mails the link to an order.
	returnSuffix   = "/return"
	withdrawSuffix = "/withdraw"
	findPath       = FindPath
	stylePath      = "/_checkout/page.css"
	scriptPath     = "/_checkout/passkey.js"
)

// Owns reports whether a path belongs to these pages.
func Owns(path string) bool {
	switch path {
	case cartPath, addPath, linePath, checkoutPath, stylePath, scriptPath, passwordPath, accountPath:
		return true
	}
	return strings.HasPrefix(path, checkoutPath+"/") || strings.HasPrefix(path, accountPath+"/") ||
		strings.HasPrefix(path, orderRoot) || strings.HasPrefix(path, leftRoot)
}

// postWeight is how many pages a form counts as in the visitor rate: it tries a code or writes.
const postWeight = 5

// Weight returns how many pages a request counts as.
func Weight(r *http.Request) int {
	if r.Method == http.MethodPost && Owns(r.URL.Path) {
		return postWeight
	}
	return 1
}
