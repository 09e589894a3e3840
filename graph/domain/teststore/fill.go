package teststore

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// TestStoreFill puts samples into a test store that has none, by the operations that people
// have: all of them, or none.
func (m Mutation) TestStoreFill(ctx context.Context) (*model.StorePayload, error) {
	var s *db.Store
	err := m.Commit(ctx, xid.Store, func(ctx context.Context) (_ *core.Record, err error) {
		if s, err = m.hold(ctx); err != nil {
			return nil, err
		}
		if err := m.empty(ctx); err != nil {
			return nil, err
		}
		f := &filling{Mutation: m, currency: s.Currency}
		for _, step := range []func(context.Context) error{f.makeProducts, f.makeCustomers, f.makeOrders} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return &core.Record{Action: "store.fill", Kind: xid.Store, ID: s.ID}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.StorePayload{Store: m.ShownStore(s)}, nil
}

// empty refuses a store that has something: samples would be among it.
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
			return fault.State(fault.InvalidTransition, "The store is not empty: reset it first.")
		}
	}
	return nil
}
