package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/export"
	"github.com/storefront-go/storefront/graph/install"
	"github.com/storefront-go/storefront/graph/link"
	"github.com/storefront-go/storefront/graph/memo"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
	"github.com/storefront-go/storefront/graph/session"
	"github.com/storefront-go/storefront/graph/webhook"
)

// Config is what the core needs.
type Config struct {
	Store *ent.Store
	// Keys authenticates credentials and forgets revoked ones.
	Keys *apikey.Keeper
	// Sessions keeps people signed in; by default one without a throttle.
	Sessions *session.Keeper
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
	// Themes keeps what themes consist of.
	Themes *install.Keeper
	// Reviewer tells whether the people of a store review what others submit to
	// the marketplace; nobody does by default.
	Reviewer func(*db.Store) bool
	Logger   *slog.Logger
}

// Resolver is the core: its Query and Mutation methods are every operation.
type Resolver struct {
	Config
	numbers *numbers
	// handles remembers what the addresses of assets need.
	handles *lru.Cache[xid.ID, string]
	// shelves remembers the assets of themes.
	shelves *memo.Cache[xid.ID, []*model.ThemeAsset]
	// rejected counts cursors that did not open.
	rejected atomic.Uint64
}

// RejectedCursors returns how many cursors were taken as absent.
func (r *Resolver) RejectedCursors() uint64 { return r.rejected.Load() }

// New makes the core.
func New(c Config) (*Resolver, error) {
	if c.Store == nil || c.Keys == nil || c.Pages == nil || c.HostOf == nil || c.APIHost == "" ||
		c.Links == nil || c.Webhooks == nil || c.Exports == nil || c.Themes == nil {
		return nil, errors.New("graph: every part is needed but Sessions, Reviewer and Logger")
	}
	if c.Reviewer == nil {
		c.Reviewer = func(*db.Store) bool { return false }
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Sessions == nil {
		var err error
		if c.Sessions, err = session.NewKeeper(session.Config{Store: c.Store, Logger: c.Logger}); err != nil {
			return nil, fmt.Errorf("graph: %w", err)
		}
	}
	r := &Resolver{Config: c, numbers: newNumbers(c.Store)}
	r.shelves = memo.NewCache[xid.ID, []*model.ThemeAsset](maxShelved)
	r.handles, _ = lru.New[xid.ID, string](maxHandles) // only a size below one is an error
	c.Themes.Preview = r.previewURL
	return r, nil
}

// Query returns the queries.
func (r *Resolver) Query() Query { return Query{r} }

// Mutation returns the mutations.
func (r *Resolver) Mutation() Mutation { return Mutation{r} }

// Query holds the root queries.
type Query struct{ *Resolver }

// Mutation holds the root mutations.
type Mutation struct{ *Resolver }

// client returns the database client of ctx.
func (r *Resolver) client(ctx context.Context) *db.Client { return r.Store.DB(ctx) }

// asker returns who asks; nobody is a fault, since the pipelines of both faces
// authenticate first.
func asker(ctx context.Context) (*viewer.Viewer, error) {
	v := viewer.From(ctx)
	if v == nil {
		return nil, fault.New(fault.AuthenticationRequired, "A credential is needed.")
	}
	return v, nil
}
