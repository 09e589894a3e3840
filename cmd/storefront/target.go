package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

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

type target struct {
	place
	Store string `short:"s" env:"STOREFRONT_STORE" placeholder:"HANDLE" help:"The handle or id of the store; optional if there is only one."`
}

// work is the context of a command in its store; ctx is the operator's.
type work struct {
	*graph.Resolver
	ctx   context.Context
	store *db.Store
}

func (t target) enter(s *session, f func(work) error) error {
	return t.open(s, func(base *app.Base, core *graph.Resolver) error {
		store, err := base.FindStore(s.ctx, t.Store)
		if err != nil {
			return err
		}
		return f(work{core, viewer.Operator(s.ctx, store.ID), store})
	})
}

func pages[T any](
	w work, read func(ctx context.Context, first *int, after *string) (*model.Connection[T], error),
) ([]T, error) {
	var all []T
	var after *string
	for {
		page, err := read(w.ctx, new(100), after)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Nodes...); page.Next == "" {
			return all, nil
		}
		after = &page.Next
	}
}

// list prints the items of a list in the store; show returns the cells of one.
func list[T, V any](
	t target, s *session, head []string, read func(work) ([]T, error), item func(T) V, show func(V) []string,
) error {
	return t.enter(s, func(w work) error {
		all, err := read(w)
		if err != nil {
			return err
		}
		items, rows := make([]V, len(all)), table{head}
		for i, one := range all {
			items[i] = item(one)
			rows = append(rows, show(items[i]))
		}
		return t.print(s, items, rows)
	})
}
