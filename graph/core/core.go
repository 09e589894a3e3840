// Package core holds what all operations share: the caller, lists, checks of inputs, changes of
// rows and their errors. The packages of the domain (catalog, sales, access, …) embed [Core] and
// add their operations.
package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/budget"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// Config holds the dependencies of the operations.
type Config struct {
	Store *ent.Store
	// Keys authenticates credentials and drops revoked ones from its cache.
	Keys *apikey.Keeper
	// Sessions manages sign-in sessions; the default has no throttle.
	Sessions *session.Keeper
	// Factors manages second factors.
	Factors *factor.Keeper
	// Pages signs cursors.
	Pages *page.Codec
	// HostOf returns the store_host for the handle of a store.
	HostOf func(handle string) string
	// APIHost is {api_host} without a trailing slash.
	APIHost string
	// Links signs downloads and previews.
	Links *link.Signer
	// Webhooks manages the queues of webhook endpoints.
	Webhooks *webhook.Engine
	// Exports writes the files of export jobs.
	Exports *export.Engine
	// Erasures removes redacted customers from stored data. It has a default.
	Erasures *erase.Engine
	// Listings updates the listing index of storefronts in the background. It has a default.
	Listings *listings.Keeper
	// Themes stores the files of themes.
	Themes *install.Keeper
	// Images stores copies of product images.
	Images *images.Keeper
	// Payments calls payment providers.
	Payments *payment.Desk
	// Notifier sends notifications to people; nil without a mail server.
	Notifier *notify.Notifier
	// Tasks runs what a change does to rows of other owners. It has a default.
	Tasks *task.Keeper
	// Limits are the limits that the operator set for all stores. The keeper of the rates adds them
	// before it serves.
	Limits limit.Values
	// TestPayments lets stores offer the payment method that moves no money.
	TestPayments bool
	// Reviewer reports whether staff of a store review marketplace submissions. By default no store
	// reviews.
	Reviewer func(*db.Store) bool
	Logger   *slog.Logger
}

// Core holds the dependencies and the state that operations share.
type Core struct {
	Config
	// Answers bounds the memory of responses.
	Answers *budget.Ledger
	// rejected counts cursors that could not be opened.
	rejected atomic.Uint64
	// fixed caches the immutable part of stores.
	fixed *lru.Cache[xid.ID, fixed]
	// limits caches the limits of stores for [knownFor].
	limits *lru.Cache[xid.ID, known]
	// rows caches how many rows stores have.
	rows *rows
	// Written bounds the bytes of write requests.
	Written *PerMinute
	// Megapixels bounds the size of uploaded images.
	Megapixels *PerMinute
	// themeChanges counts the theme changes that this process made, by the last byte of the store
	// id.
	themeChanges [256]atomic.Uint64
}

// ThemeGeneration changes whenever this process changes a theme of the store. Stores share counters; a change
// of another store only causes a re-read.
func (c *Core) ThemeGeneration(store xid.ID) uint64 {
	return c.themeChanges[store[len(store)-1]].Load()
}

// themeChanged changes the value of [Core.ThemeGeneration] once the transaction of ctx commits.
func (c *Core) themeChanged(ctx context.Context, store xid.ID) {
	ent.OnCommit(ctx, func() { c.themeChanges[store[len(store)-1]].Add(1) })
}

// fixed is the immutable part of a store.
type fixed struct {
	handle string
	test   bool
}

// maxCached bounds how many stores each cache holds.
const maxCached = 10_000

// New returns a Core with the defaults filled in. It fails if a required part is missing.
func New(c Config) (*Core, error) {
	if c.Store == nil || c.Keys == nil || c.Factors == nil || c.Pages == nil || c.HostOf == nil ||
		c.APIHost == "" || c.Links == nil || c.Webhooks == nil || c.Exports == nil || c.Themes == nil ||
		c.Images == nil || c.Payments == nil {
		return nil, errors.New("graph: only Sessions, Erasures, Listings, Notifier, Tasks, Limits, Reviewer and Logger are optional")
	}
	if c.Reviewer == nil {
		c.Reviewer = func(*db.Store) bool { return false }
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Listings == nil {
		c.Listings = listings.NewKeeper(c.Store)
	}
	if c.Tasks == nil {
		c.Tasks = task.NewKeeper(c.Store, c.Logger)
	}
	if c.Erasures == nil {
		c.Erasures = erase.New(erase.Config{Store: c.Store, Notifier: c.Notifier, Logger: c.Logger})
	}
	if c.Sessions == nil {
		var err error
		if c.Sessions, err = session.NewKeeper(session.Config{Store: c.Store, Logger: c.Logger}); err != nil {
			return nil, fmt.Errorf("graph: %w", err)
		}
	}
	c.Limits = maps.Clone(c.Limits)
	if c.Limits == nil {
		c.Limits = limit.Values{}
	}
	fixed, _ := lru.New[xid.ID, fixed](maxCached) // only a size below one is an error
	limits, _ := lru.New[xid.ID, known](maxCached)
	return &Core{Config: c, Answers: budget.NewLedger(), fixed: fixed, limits: limits, rows: newRows(),
		Written: NewPerMinute(limit.WrittenBytes), Megapixels: NewPerMinute(limit.ImageMegapixels)}, nil
}

// RejectedCursors returns how many cursors could not be opened; their lists started at the first
// page.
func (c *Core) RejectedCursors() uint64 { return c.rejected.Load() }

// Client returns the database client of ctx.
func (c *Core) Client(ctx context.Context) *db.Client { return c.Store.DB(ctx) }

// ProofRequired returns the fault for a person whose last proof of identity is too old, see
// [viewer.Viewer.Stale].
func ProofRequired() *fault.Error {
	return fault.New(fault.ProofRequired, "Confirm it's you first. You last did so more than ten minutes ago.")
}

// RequireProof protects sensitive actions, which give money, data or access to others. It refuses people
// whose last proof of identity is too old, and staff tokens that were not created for sensitive
// actions, because the bearer may be another person. A test of package graph lists these actions.
func RequireProof(ctx context.Context) error {
	v, err := Caller(ctx)
	switch {
	case err != nil:
		return err
	case v.Stale():
		return ProofRequired()
	case v.Kind == viewer.Staff && !v.Credential.IsNil() && !v.Sensitive:
		return fault.New(fault.Forbidden,
			"This staff token cannot do this. Sign in to the dashboard, or create a token with sensitive: true.")
	}
	return nil
}

// Caller returns the viewer of ctx. Without one it returns a fault; REST and GraphQL authenticate
// before they call operations.
func Caller(ctx context.Context) (*viewer.Viewer, error) {
	v := viewer.From(ctx)
	if v == nil {
		return nil, fault.New(fault.AuthenticationRequired, "A credential is required.")
	}
	return v, nil
}
