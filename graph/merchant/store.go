package merchant

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// Store returns the store of the viewer.
func (q Query) Store(ctx context.Context) (*model.Store, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	s, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	return q.ShownStore(s), nil
}

// storeEdit is a change of the viewer's store.
type storeEdit struct {
	*db.Store
	update  *db.StoreUpdate
	changed []string
}

// changeStore runs edit on the viewer's store if it has the expected version.
// The update then holds the row, and then runs before the commit, with the
// store as it was before.
func (m Mutation) changeStore(ctx context.Context, expected int64, action string, edit func(*storeEdit) error, then func(ctx context.Context, before db.Store) error) (*model.StorePayload, error) {
	var s *db.Store
	err := m.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if s, err = m.CurrentStore(ctx); err != nil {
			return err
		}
		if s.Version != expected {
			return core.Stale(xid.Store, expected, s.Version)
		}
		before := *s
		e := &storeEdit{Store: s, update: m.Client(ctx).Store.Update().Where(store.ID(s.ID), store.Version(expected))}
		if err := edit(e); err != nil || len(e.changed) == 0 {
			return err
		}
		s.Version++
		s.UpdatedAt = core.UpdateTime(s.UpdatedAt)
		n, err := e.update.SetVersion(s.Version).SetUpdatedAt(s.UpdatedAt).Save(ctx)
		if err := core.Swapped(xid.Store, n, err); err != nil {
			return err
		}
		if err := then(ctx, before); err != nil {
			return err
		}
		// Credentials are remembered with the store's state and currency.
		ent.OnCommit(ctx, func() { m.Keys.Forget(s.ID) })
		return audit.Write(ctx, m.Client(ctx), action, xid.Store, s.ID, "")
	})
	if err != nil {
		return nil, core.Explain("store", err)
	}
	return &model.StorePayload{Store: m.ShownStore(s)}, nil
}

// StoreUpdate changes the members that are given. The currency is fixed once an
// order number was taken.
func (m Mutation) StoreUpdate(ctx context.Context, in model.StoreUpdateInput) (*model.StorePayload, error) {
	c := &core.Check{}
	core.Opt(in.Name, func(s string) { c.Line("name", s, limit.Line) })
	core.Opt(in.Timezone, func(s string) { c.Timezone("timezone", s) })
	core.Opt(in.Currency, func(s string) { in.Currency = new(c.Currency("currency", s)) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, in.ExpectedVersion, "store.update", func(e *storeEdit) error {
		core.Replace(&e.changed, in.Name, "name", &e.Name, e.update.SetName)
		core.Replace(&e.changed, in.Timezone, "timezone", &e.Timezone, e.update.SetTimezone)
		if in.Currency != nil && *in.Currency != e.Currency {
			e.Currency = *in.Currency
			e.changed = append(e.changed, "currency")
		}
		return nil
	}, func(ctx context.Context, before db.Store) error {
		if in.Currency == nil || *in.Currency == before.Currency {
			return nil
		}
		return m.changeCurrency(ctx, before.ID, *in.Currency)
	})
}

// changeCurrency writes the currency into a store that has no orders and sells
// nothing in another one. The condition stands in the update: a number that an
// order takes meanwhile fixes the currency.
func (m Mutation) changeCurrency(ctx context.Context, id xid.ID, currency string) error {
	n, err := m.Client(ctx).Store.Update().Where(store.ID(id), store.NextNumber(firstNumber)).SetCurrency(currency).Save(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.State(fault.CurrencyFixed, "The store has orders: its currency is fixed.")
	}
	query := m.Client(ctx).Product.Query().Where(product.StatusEQ(state.ProductActive), product.CurrencyNEQ(currency)).Limit(1)
	query.Modify(ent.ForUpdate)
	active, err := query.Load(ctx)
	if err != nil {
		return err
	}
	if len(active) > 0 {
		return fault.State(fault.CurrencyMismatch, "Active products are priced in "+active[0].Currency+": unpublish them first.")
	}
	return nil
}

// StoreSetLegacy says whether v0 is still served to the store (contract, section
// 10). Only owners and the operator do.
func (m Mutation) StoreSetLegacy(ctx context.Context, expectedVersion int64, legacy bool) (*model.StorePayload, error) {
	if err := core.OwnerOnly(ctx, "say whether v0 is served"); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, expectedVersion, "store.set_legacy", func(e *storeEdit) error {
		core.Replace(&e.changed, &legacy, "legacy", &e.Legacy, e.update.SetLegacy)
		return nil
	}, func(context.Context, db.Store) error { return nil })
}

// firstNumber is the next order number of a store without orders.
const firstNumber = 1001

// StoreClose closes the store: its credentials stop, its rows are kept. Only an
// owner may.
func (m Mutation) StoreClose(ctx context.Context, expectedVersion int64) (*model.StorePayload, error) {
	if err := core.OwnerOnly(ctx, "close the store"); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, expectedVersion, "store.close", func(e *storeEdit) error {
		if err := core.Allowed("store", e.Status, state.StoreClosed, state.StoreOpen); err != nil {
			return err
		}
		e.Status = state.StoreClosed
		e.update.SetStatus(e.Status)
		e.changed = append(e.changed, "status")
		return nil
	}, func(context.Context, db.Store) error { return nil })
}
