// Package core holds what all operations share: the caller, lists, checks of inputs, changes of
// rows and their errors. The packages of the domain (catalog, sales, access, …) embed [Core] and
// add their operations.
package core

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/budget"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// Config holds what all operations depend on. What only some of them use is in the Engines of their
// package.
type Config struct {
	Store *ent.Store
	// Pages signs cursors.
	Pages *page.Codec
	// HostOf returns the store_host for the handle of a store.
	HostOf func(handle string) string
	// APIHost is {api_host} without a trailing slash.
	APIHost string
	// Limits are the limits that the operator set for all stores. The keeper of the rates adds them
	// before it serves.
	Limits limit.Values
	// NearLimit notifies the staff of the viewer's store that it has reached 80 % of a limit; nil
	// notifies nobody.
	NearLimit func(ctx context.Context, name limit.Name, most int64) error
	Logger    *slog.Logger
}

// Core holds the dependencies and the state that operations share.
type Core struct {
	Config
	// Answers bounds the memory of responses.
	Answers *budget.Ledger
	// rejected counts cursors that could not be opened.
	rejected atomic.Uint64
	fixed    *lru.Cache[xid.ID, fixed]
	limits   *lru.Cache[xid.ID, known]
	rows     *rows
	// Written bounds the bytes of write requests.
	Written *PerMinute
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
	if c.Store == nil || c.Pages == nil || c.HostOf == nil || c.APIHost == "" {
		return nil, errors.New("core: a store, cursors, the hosts of stores and the API's host are needed")
	}
	if c.NearLimit == nil {
		c.NearLimit = func(context.Context, limit.Name, int64) error { return nil }
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	c.Limits = maps.Clone(c.Limits)
	if c.Limits == nil {
		c.Limits = limit.Values{}
	}
	fixed, _ := lru.New[xid.ID, fixed](maxCached) // only a size below one is an error
	limits, _ := lru.New[xid.ID, known](maxCached)
	return &Core{Config: c, Answers: budget.NewLedger(), fixed: fixed, limits: limits, rows: newRows(),
		Written: NewPerMinute(limit.WrittenBytes)}, nil
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

// RequireReadScope returns a fault if the viewer lacks the scope to read the rows of an export, if a kind is
// given, or the events, which must not be sent to such a viewer (contract, section 5, Ownership).
// It is applied to writes and to stored answers of writes.
func RequireReadScope(ctx context.Context, kind state.ExportKind, events ...event.Type) error {
	v, err := Caller(ctx)
	if err != nil {
		return err
	}
	if needed := scope.OfExport(kind); needed != "" && !v.Scopes.Has(needed) {
		return lacks(needed, "An export of "+kind.Words())
	}
	for _, name := range events {
		if e, ok := event.Find(name); ok && !v.Scopes.Has(e.Scope) {
			return lacks(e.Scope, "The event "+string(name))
		}
	}
	return nil
}

// RequireScope returns a fault if the viewer lacks a scope that a part of an operation needs.
func RequireScope(ctx context.Context, name, part string) error {
	if v, err := Caller(ctx); err != nil || v.Scopes.Has(name) {
		return err
	}
	return lacks(name, part)
}

func lacks(name, what string) error {
	return &fault.Error{Kind: fault.InsufficientScope, Scope: name, Detail: what + " needs the scope " + name + "."}
}
