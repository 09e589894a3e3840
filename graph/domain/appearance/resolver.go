// Package appearance holds the operations on themes of a store and on the marketplace of themes.
package appearance

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/lib/cache"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
)

// Engines are what the operations of this package use besides the core.
type Engines struct {
	Themes *install.Keeper
	Links  *link.Signer
	Tasks  *task.Keeper
}

// Resolver holds the dependencies of the operations of this package.
type Resolver struct {
	*core.Core
	Engines
	// Reviewer reports whether staff of a store review marketplace submissions; nil means of no store.
	Reviewer func(*db.Store) bool
	assetsOf *cache.Cache[xid.ID, []*model.ThemeAsset]
	// themeChanges counts the theme changes that this process made, by the last byte of the store
	// id.
	themeChanges [256]atomic.Uint64
}

// New returns the resolver.
func New(c *core.Core, e Engines) *Resolver {
	return &Resolver{Core: c, Engines: e, assetsOf: cache.NewCache[xid.ID, []*model.ThemeAsset](maxAssets)}
}

// ThemeGeneration changes whenever this process changes a theme of the store. Stores share counters;
// a change of another store only causes a re-read.
func (r *Resolver) ThemeGeneration(store xid.ID) uint64 {
	return r.themeChanges[store[len(store)-1]].Load()
}

// countThemeChange changes the value of [Resolver.ThemeGeneration] once the transaction of ctx
// commits.
func (r *Resolver) countThemeChange(ctx context.Context, _ xid.ID) {
	store := viewer.From(ctx).Store
	ent.OnCommit(ctx, func() { r.themeChanges[store[len(store)-1]].Add(1) })
}

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }

// The parameters of a preview URL. It is signed for the path "/" and valid for every page.
const (
	// PreviewTheme names the theme, PreviewStore its store.
	PreviewTheme = "preview"
	PreviewStore = "store"
)

// PreviewURL returns the URL at which anyone who has it can preview a theme of the store, until the
// end of tomorrow, UTC. It is constant for a day, so representations that contain it, and their
// ETags, are too.
func (r *Resolver) PreviewURL(s *db.Store, theme xid.ID) string {
	today := micros.Now().Time().Truncate(24 * time.Hour)
	return r.StoreOrigin(s.Handle) + r.Links.Sign("/", micros.Of(today.AddDate(0, 0, 2)),
		PreviewTheme, xid.Theme.Format(theme), PreviewStore, xid.Store.Format(s.ID))
}
