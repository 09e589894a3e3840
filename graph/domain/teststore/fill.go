package teststore

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// TestStoreFill adds samples to an empty test store, with the operations that staff use: all of
// them, or none.
func (m Mutation) TestStoreFill(ctx context.Context) (*model.StorePayload, error) {
	var s *db.Store
	err := m.Commit(ctx, xid.Store, func(ctx context.Context) (_ *change.Record, err error) {
		if s, err = m.hold(ctx); err != nil {
			return nil, err
		}
		if err := m.empty(ctx); err != nil {
			return nil, err
		}
		f := &filling{Mutation: m, currency: s.Currency}
		for _, step := range []func(context.Context) error{f.createProducts, f.createCustomers, f.createOrders} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return &change.Record{Action: "store.fill", Kind: xid.Store, ID: s.ID}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.StorePayload{Store: m.ShownStore(s)}, nil
}

// empty returns an error if the store has data, which samples would mix with.
func (m Mutation) empty(ctx context.Context) error {
	c := m.Client(ctx)
	for _, exists := range []func(context.Context) (bool, error){
		c.Product.Query().Exist, c.Customer.Query().Exist, c.Order.Query().Exist,
	} {
		found, err := exists(ctx)
		if err != nil {
			return err
		}
		if found {
			return fault.State(fault.InvalidTransition, "The store is not empty. Reset it first.")
		}
	}
	return nil
}
