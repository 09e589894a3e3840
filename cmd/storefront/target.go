package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
)

// place is the data of a command.
type place struct {
	app.Storage
	app.Naming
	app.Limits
	output
}

// open runs f with the core. A server may keep running on the same data: what a command revokes
// takes effect there within two seconds.
func (p place) open(s *session, f func(*app.Base, *graph.Resolver) error) error {
	if err := s.storage(&p.Storage); err != nil {
		return err
	}
	if err := cmp.Or(p.Naming.Check(), p.Limits.Check()); err != nil {
		return &usageError{err}
	}
	base, err := app.Open(s.ctx, app.Opening{Storage: p.Storage, Limits: p.Limits})
	if err != nil {
		return err
	}
	hooks, err := base.Engine(app.Delivery{}, false, false, nil)
	if err != nil {
		return errors.Join(err, base.Close())
	}
	core, err := base.Core(p.Naming.Addresses(), hooks, app.Marketplace{}, nil)
	if err == nil {
		err = f(base, core)
	}
	return errors.Join(err, base.Close())
}

// target is one store of a place.
type target struct {
	place
	Store string `short:"s" env:"STOREFRONT_STORE" placeholder:"HANDLE" help:"The store, by its handle or id; may be left out while there is only one."`
}

// work is the context of a command in its store; ctx is the operator's.
type work struct {
	*graph.Resolver
	ctx   context.Context
	store *db.Store
}

// enter runs f as the operator in the store.
func (t target) enter(s *session, f func(work) error) error {
	return t.open(s, func(base *app.Base, core *graph.Resolver) error {
		store, err := base.FindStore(s.ctx, t.Store)
		if err != nil {
			return err
		}
		return f(work{core, viewer.Operator(s.ctx, store.ID), store})
	})
}

// pages reads a whole list, page by page.
func pages[T any](read func(after *string) (nodes []T, next string, err error)) ([]T, error) {
	var all []T
	var after *string
	for {
		nodes, next, err := read(after)
		if err != nil {
			return nil, err
		}
		if all = append(all, nodes...); next == "" {
			return all, nil
		}
		after = &next
	}
}
