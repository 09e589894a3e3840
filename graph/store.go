package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// Store returns the store of the viewer.
func (q Query) Store(ctx context.Context) (*model.Store, error) {
	if _, err := asker(ctx); err != nil {
		return nil, err
	}
	s, err := q.Resolver.store(ctx)
	if err != nil {
		return nil, explain("store", err)
	}
	return q.shown(s), nil
}

// store reads the viewer's store.
func (r *Resolver) store(ctx context.Context) (*db.Store, error) {
	return only(r.client(ctx).Store.Query().Where(store.ID(viewer.From(ctx).Store)).Load(ctx))
}

// shown is a store with the host that serves it.
func (r *Resolver) shown(s *db.Store) *model.Store {
	return &model.Store{Store: s, StoreHost: r.HostOf(s.Handle)}
}

// StoreCreate creates.
func (m Mutation) StoreCreate(ctx context.Context, in model.StoreCreateInput) (*model.StorePayload, error) {
	return nil, errPending
}

// StoreUpdate updates.
func (m Mutation) StoreUpdate(ctx context.Context, in model.StoreUpdateInput) (*model.StorePayload, error) {
	return nil, errPending
}

// StoreClose closes.
func (m Mutation) StoreClose(ctx context.Context, expectedVersion int64) (*model.StorePayload, error) {
	return nil, errPending
}
