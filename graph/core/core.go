// Package core is what every operation shares: who asks, how lists are walked,
// inputs checked, rows changed and errors explained. The packages of the domain
// (catalog, sales, access, …) embed [Core] and add their operations to it.
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

// Config is what the operations need.
type Config struct {
	Store *ent.Store
	// Keys authenticates credentials and forgets revoked ones.
	Keys *apikey.Keeper
	// Sessions keeps people signed in; by default one without a throttle.
	Sessions *session.Keeper
	// Factors keeps people's second factors.
	Factors *factor.Keeper
	// Pages signs cursors.
	Pages *page.Codec
	// HostOf returns the store_host of a store by its handle.
	HostOf func(handle string) string
	// APIHost is {api_host}, without a slash at its end.
	APIHost string
	// Links signs downloads and previews.
	Links *link.Signer
	// Webhooks keeps the queues of webhook endpoints.
	Webhooks *webhook.Engine
	// Exports writes the files of export jobs.
	Exports *export.Engine
	// Erasures takes redacted customers out of what is kept; by default one of its own.
	Erasures *erase.Engine
	// Shelves puts products on the shelves of storefronts in the background; by default
	// one of its own.
	Shelves *listings.Keeper
	// Themes keeps what themes consist of.
	Themes *install.Keeper
	// Pictures keeps copies of products' pictures.
	Pictures *images.Keeper
	// Payments asks payment providers.
	Payments *payment.Desk
	// Notifier writes to people; nil where there is no mail server.
	Notifier *notify.Notifier
	// Tasks carries out what changes do to the rows of others; by default one of its own.
	Tasks *task.Keeper
	// Limits are those that the operator set for all stores. Who keeps the rates
	// enters them before it serves.
	Limits limit.Values
	// TestPayments lets stores offer the way to pay that moves no money.
	TestPayments bool
	// Reviewer reports whether the people of a store review what others submit to
	// the marketplace; nobody does by default.
	Reviewer func(*db.Store) bool
	Logger   *slog.Logger
}

// Core is the parts that operations work with.
type Core struct {
	Config
	// Answers bounds the memory of answers.
	Answers *budget.Ledger
	// rejected counts cursors that did not open.
	rejected atomic.Uint64
	// fixed remembers what never changes about stores.
	fixed *lru.Cache[xid.ID, fixed]
	// limits remembers those of stores for a moment.
	limits *lru.Cache[xid.ID, known]
	// rows remembers how many rows stores have.
	rows *rows
	// Written bounds the bytes that writes send.
	Written *PerMinute
	// Megapixels bounds the images that are uploaded.
	Megapixels *PerMinute
	// looks counts the changes of stores' themes that this process made.
	looks [256]atomic.Uint64
}

// Looks is another number after this process has changed a theme of the store, and now
// and then of another one.
func (c *Core) Looks(store xid.ID) uint64 { return c.looks[store[len(store)-1]].Load() }

// looksChanged makes [Core.Looks] another number once the transaction of ctx commits.
func (c *Core) looksChanged(ctx context.Context, store xid.ID) {
	ent.OnCommit(ctx, func() { c.looks[store[len(store)-1]].Add(1) })
}

// fixed is what never changes about a store.
type fixed struct {
	handle string
	test   bool
}

// maxFixed is of how many stores it is remembered.
const maxFixed = 10_000

// New checks the configuration and fills in its defaults.
func New(c Config) (*Core, error) {
	if c.Store == nil || c.Keys == nil || c.Factors == nil || c.Pages == nil || c.HostOf == nil ||
		c.APIHost == "" || c.Links == nil || c.Webhooks == nil || c.Exports == nil || c.Themes == nil ||
		c.Pictures == nil || c.Payments == nil {
		return nil, errors.New("graph: every part is needed but Sessions, Erasures, Shelves, Notifier, Tasks, Limits, Reviewer and Logger")
	}
	if c.Reviewer == nil {
		c.Reviewer = func(*db.Store) bool { return false }
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Shelves == nil {
		c.Shelves = listings.NewKeeper(c.Store)
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
	fixed, _ := lru.New[xid.ID, fixed](maxFixed) // only a size below one is an error
	limits, _ := lru.New[xid.ID, known](maxFixed)
	return &Core{Config: c, Answers: budget.NewLedger(), fixed: fixed, limits: limits, rows: newRows(),
		Written: NewPerMinute(limit.WrittenBytes), Megapixels: NewPerMinute(limit.ImageMegapixels)}, nil
}

// RejectedCursors returns how many cursors were taken as absent.
func (c *Core) RejectedCursors() uint64 { return c.rejected.Load() }

// Client returns the database client of ctx.
func (c *Core) Client(ctx context.Context) *db.Client { return c.Store.DB(ctx) }

// Unproved is the answer to somebody who proved too long ago who they are, see
// [viewer.Viewer.Stale].
func Unproved() *fault.Error {
	return fault.New(fault.ProofRequired, "Prove first that it is you: you last did more than ten minutes ago.")
}

// Proved refuses a sensitive action, one that leads money, data or access elsewhere, to a person who
// proved too long ago who they are, and to a staff token that was not created for sensitive actions:
// whoever holds it need not be that person. The table of these actions is in the test of package graph.
func Proved(ctx context.Context) error {
	v, err := Caller(ctx)
	switch {
	case err != nil:
		return err
	case v.Stale():
		return Unproved()
	case v.Kind == viewer.Staff && !v.Credential.IsNil() && !v.Sensitive:
		return fault.New(fault.Forbidden,
			"This staff token may not do this: sign in to the dashboard, or create a token with sensitive: true.")
	}
	return nil
}

// Caller returns who asks; nobody is a fault, since REST and GraphQL authenticate
// first.
func Caller(ctx context.Context) (*viewer.Viewer, error) {
	v := viewer.From(ctx)
	if v == nil {
		return nil, fault.New(fault.AuthenticationRequired, "A credential is needed.")
	}
	return v, nil
}
