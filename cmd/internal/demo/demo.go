package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
)

// Config says what to create and where to report it.
type Config struct {
	Core *graph.Resolver
	// Orders is how many orders each store gets on the first start, and the most images.
	Orders int
	Path   string
	// API is {api_host}; Admin is the admin port's address.
	API, Admin string
	Logger     *slog.Logger
}

// Prepare creates what is missing of the demo stores and their credentials, and writes the file
// with the current addresses. Credentials in the file are kept while they work; all others of a
// demo store are revoked. The file is not changed while the server with its addresses runs; see
// [File.Runs].
func Prepare(ctx context.Context, c Config) (*File, error) {
	if c.Core == nil || c.Path == "" || c.API == "" {
		return nil, errors.New("demo: Core, Path and API are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	known, err := read(c.Path)
	if err != nil {
		c.Logger.InfoContext(ctx, "the demo gets new credentials", "reason", err)
		known = &File{}
	}
	f := &File{APIHost: c.API, BaseURL: c.API + "/api/public/v1", GraphQLURL: c.API + "/graphql",
		DashboardURL: c.API + "/dashboard", AdminURL: c.Admin}
	plans, err := shops()
	if err != nil {
		return nil, err
	}
	for i, plan := range plans {
		began := time.Now()
		s, err := c.fill(ctx, plan)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", plan.Name, err)
		}
		entry, err := s.credentials(ctx, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", plan.Name, err)
		}
		f.Stores = append(f.Stores, *entry)
		if i == 0 {
			if f.OAuthApp, err = s.app(ctx, known.OAuthApp); err != nil {
				return nil, fmt.Errorf("%s: %w", plan.Name, err)
			}
		}
		c.Logger.InfoContext(ctx, "demo store", "name", plan.Name, "store_host", entry.StoreHost, "took",
			time.Since(began))
	}
	if known.running(ctx, c.API) {
		f.Runs = known.APIHost
		return f, nil
	}
	if err := f.write(c.Path); err != nil {
		return nil, err
	}
	return f, nil
}

type seeder struct {
	Config
	shop
	graph.Mutation
	store *db.Store
	user  xid.ID
}

// fill creates the store of a plan, or finishes what an interrupted start left.
func (c Config) fill(ctx context.Context, plan shop) (*seeder, error) {
	s := &seeder{Config: c, shop: plan, Mutation: c.Core.Mutation()}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if s.store.Demo {
		return s, nil
	}
	ctx = viewer.With(ctx, s.person())
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"pages", s.content}, {"terms", s.sells}, {"products", s.products}, {"pictures", s.pictures},
		{"customers", s.customers}, {"orders", s.orders}, {"finish", s.finish},
	} {
		if err := step.run(ctx); err != nil {
			return nil, fmt.Errorf("make %s: %w", step.name, err)
		}
	}
	return s, nil
}

// person returns the store's owner as a viewer.
func (s *seeder) person() *viewer.Viewer {
	v := &viewer.Viewer{Kind: viewer.Staff, Actor: s.user, Principal: s.user, Name: s.Owner, Role: viewer.Owner,
		Granted: viewer.Owner.Scopes(), Scopes: viewer.Owner.Scopes().Effective(), Currency: s.Currency}
	if s.store != nil {
		v.Store = s.store.ID
	}
	return v
}
