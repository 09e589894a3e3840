package merchant

import (
	"context"
	"maps"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/stock"
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

type storeEdit = change.Edit[*db.Store, *db.StoreUpdate]

// stores returns how stores change. A viewer sees and changes only their own.
func (r *Resolver) stores() *change.Versioned[*db.Store, *db.StoreUpdate] {
	return &change.Versioned[*db.Store, *db.StoreUpdate]{
		Kind: xid.Store,
		Load: func(ctx context.Context, _ xid.ID) (*db.Store, error) { return r.CurrentStore(ctx) },
		Head: func(s *db.Store) change.Head {
			return change.Head{Store: s.ID, ID: s.ID, Version: &s.Version, UpdatedAt: &s.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.StoreUpdate {
			return r.Client(ctx).Store.Update().Where(store.ID(id), store.Version(version))
		},
	}
}

func (m Mutation) changeStore(ctx context.Context, expected int64, action string,
	edit func(context.Context, *storeEdit) error,
) (*model.StorePayload, error) {
	id := xid.Store.Format(viewer.From(ctx).Store)
	s, err := core.Change(ctx, m.Core, m.stores(), id, expected, action, func(ctx context.Context, e *storeEdit) error {
		if err := edit(ctx, e); err != nil || len(e.Changed) == 0 {
			return err
		}
		// Cached credentials include the store's state and currency.
		return m.Keys.Revoke(ctx, e.Row.ID, e.Row.ID)
	})
	if err != nil {
		return nil, err
	}
	return &model.StorePayload{Store: m.ShownStore(s)}, nil
}

// StoreUpdate changes the given members. The currency is fixed once an order number was taken.
func (m Mutation) StoreUpdate(ctx context.Context, in model.StoreUpdateInput) (*model.StorePayload, error) {
	c := &core.Check{}
	core.Opt(in.Name, func(s string) { c.Name("name", s, limit.Line) })
	core.Opt(in.Timezone, func(s string) { c.Timezone("timezone", s) })
	core.Opt(in.Currency, func(s string) { in.Currency = new(c.Currency("currency", s)) })
	core.Opt(in.ContactEmail.Value(), func(s string) { in.ContactEmail = model.Some(c.Email("contact_email", s)) })
	core.Opt(in.RemindHours.Value(), func(n int64) { c.Within("remind_hours", n, 1, limit.RemindHours) })
	core.Opt(in.LowStock.Value(), func(n int64) { c.Within("low_stock", n, 0, limit.Inventory) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := m.checkContactEmail(ctx, in.ContactEmail.Value()); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, in.ExpectedVersion, "store.update", func(ctx context.Context, e *storeEdit) error {
		s, u := e.Row, e.Update
		if core.Deref(in.StockEvents) && !stock.Reports(ctx) {
			return fault.State(fault.InvalidTransition, "Events of stock are available once the upgrade is finished "+
				"(storefront migrate finalize).")
		}
		core.Replace(&e.Changed, in.StockEvents, "stock_events", &s.StockEvents, u.SetStockEvents)
		core.MemberOpt(&e.Changed, in.ContactEmail, "contact_email", &s.ContactEmail, u.SetContactEmail,
			u.ClearContactEmail)
		core.MemberOpt(&e.Changed, in.LowStock, "low_stock", &s.LowStock, u.SetLowStock, u.ClearLowStock)
		core.MemberOpt(&e.Changed, in.RemindHours, "remind_hours", &s.RemindHours, u.SetRemindHours, u.ClearRemindHours)
		core.Replace(&e.Changed, in.ShopperCancels, "shopper_cancels", &s.ShopperCancels, u.SetShopperCancels)
		core.Replace(&e.Changed, in.Name, "name", &s.Name, u.SetName)
		core.Replace(&e.Changed, in.Language, "language", &s.Language, u.SetLanguage)
		core.Replace(&e.Changed, in.Timezone, "timezone", &s.Timezone, u.SetTimezone)
		if in.Currency != nil && *in.Currency != s.Currency {
			s.Currency = *in.Currency
			e.Changed = append(e.Changed, "currency")
			e.Then = func(ctx context.Context) error { return m.changeCurrency(ctx, s.ID, s.Currency) }
		}
		return nil
	})
}

// checkContactEmail refuses an unverified contact address to a store that is not proven: replies to
// its emails could go to a stranger.
func (m Mutation) checkContactEmail(ctx context.Context, address *string) error {
	if address == nil {
		return nil
	}
	s, err := m.CurrentStore(ctx)
	if err != nil || s.ContactEmail != nil && *s.ContactEmail == *address {
		return err
	}
	if err := core.RequireProof(ctx); err != nil { // replies will go elsewhere
		return err
	}
	proven, err := notify.Proven(ctx, m.Client(ctx), s, m.Limits)
	if err != nil || proven {
		return err
	}
	people, err := m.Client(ctx).User.Query().Where(user.Email(*address)).Load(ctx)
	if err != nil {
		return err
	}
	if len(people) == 1 && people[0].VerifiedAt != nil {
		n, err := m.Client(ctx).Staff.Query().Where(staff.ID(people[0].ID)).Count(ctx)
		if err != nil || n > 0 {
			return err
		}
	}
	return core.Invalid("contact_email", fault.UnknownValue,
		"The contact email of a new store must be a verified email address of its staff.")
}

// changeCurrency changes the currency of a store that has no orders and no amounts in another
// currency. The condition is part of the update, so an order number taken concurrently fixes the
// currency.
func (m Mutation) changeCurrency(ctx context.Context, id xid.ID, currency string) error {
	n, err := m.Client(ctx).Store.Update().Where(store.ID(id), store.NextNumber(firstNumber)).
		SetCurrency(currency).Save(ctx)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.State(fault.CurrencyFixed, "The store has orders. Its currency cannot be changed.")
	}
	query := m.Client(ctx).Product.Query().
		Where(product.StatusEQ(state.ProductActive), product.CurrencyNEQ(currency)).Limit(1)
	query.Modify(ent.ForUpdate)
	active, err := query.Load(ctx)
	if err != nil {
		return err
	}
	if len(active) > 0 {
		return fault.State(fault.CurrencyMismatch,
			"Active products are priced in "+active[0].Currency+". Unpublish them first.")
	}
	return m.checkNoAmounts(ctx)
}

// checkNoAmounts refuses another currency to a store whose shipping rates and discounts have
// amounts in the present one. Creating the first of these writes the store's row, so it happens
// before or after this change.
func (m Mutation) checkNoAmounts(ctx context.Context) error {
	zones := m.Client(ctx).ShippingZone.Query().Limit(1)
	zones.Modify(ent.ForUpdate)
	zone, err := zones.Load(ctx)
	if err != nil {
		return err
	}
	discounts := m.Client(ctx).Discount.Query().Limit(1)
	discounts.Modify(ent.ForUpdate)
	discount, err := discounts.Load(ctx)
	if err != nil {
		return err
	}
	if len(zone)+len(discount) > 0 {
		return fault.State(fault.CurrencyMismatch,
			"Shipping rates and discounts use the store's currency. Delete them first.")
	}
	return nil
}

// StoreSetLegacy sets whether v0 is still served to the store (contract, section 10). Only owners
// and the operator may.
func (m Mutation) StoreSetLegacy(ctx context.Context, expectedVersion int64,
	legacy bool,
) (*model.StorePayload, error) {
	if err := core.OwnerOnly(ctx, "say whether v0 is served"); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, expectedVersion, "store.set_legacy", func(_ context.Context, e *storeEdit) error {
		core.Replace(&e.Changed, &legacy, "legacy", &e.Row.Legacy, e.Update.SetLegacy)
		return nil
	})
}

// StoreRequireSecondFactor sets whether the store's staff need a second factor. An owner who
// requires one must have one; the operator needs none.
func (m Mutation) StoreRequireSecondFactor(ctx context.Context, expectedVersion int64,
	required bool,
) (*model.StorePayload, error) {
	if err := core.OwnerOnly(ctx, "say who needs a second factor"); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, expectedVersion, "store.require_second_factor", func(
		_ context.Context, e *storeEdit,
	) error {
		core.Replace(&e.Changed, &required, "second_factor", &e.Row.SecondFactor, e.Update.SetSecondFactor)
		e.Then = func(ctx context.Context) error { return m.hasFactor(ctx, required) }
		return nil
	})
}

// StoreSetRefundProof sets the sum from which refunds need a recent identity confirmation, nil for
// none.
func (m Mutation) StoreSetRefundProof(ctx context.Context, expectedVersion int64,
	aboveMinor *int64,
) (*model.StorePayload, error) {
	if err := core.OwnerOnly(ctx, "say which refunds need a proof"); err != nil {
		return nil, err
	}
	c := &core.Check{}
	core.Opt(aboveMinor, func(n int64) { c.Amount("above_minor", n) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, expectedVersion, "store.set_refund_proof", func(_ context.Context, e *storeEdit) error {
		core.MemberOpt(&e.Changed, core.Given(aboveMinor), "refund_proof_minor", &e.Row.RefundProofMinor,
			e.Update.SetRefundProofMinor, e.Update.ClearRefundProofMinor)
		return nil
	})
}

func (m Mutation) hasFactor(ctx context.Context, required bool) error {
	v := viewer.From(ctx)
	if !required || !v.IsPerson() {
		return nil
	}
	have, err := m.Factors.List(ctx, v.Actor)
	if err == nil && len(have) == 0 {
		err = fault.State(fault.SecondFactorNeeded, "Set up a second factor for yourself first.")
	}
	return err
}

// firstNumber is the next order number of a store without orders.
const firstNumber = 1001

// StoreClose closes the store: its shop and credentials stop working, its rows are kept. Only an
// owner may, and only owners can open the dashboard of a closed store.
func (m Mutation) StoreClose(ctx context.Context, expectedVersion int64) (*model.StorePayload, error) {
	return m.setStatus(ctx, expectedVersion, "close", state.StoreClosed, state.StoreOpen)
}

// StoreReopen opens a closed store again. Nothing was deleted, so its credentials have the powers
// that they had, unless they expired or were revoked meanwhile. Only an owner may.
func (m Mutation) StoreReopen(ctx context.Context, expectedVersion int64) (*model.StorePayload, error) {
	return m.setStatus(ctx, expectedVersion, "reopen", state.StoreOpen, state.StoreClosed)
}

func (m Mutation) setStatus(
	ctx context.Context, expectedVersion int64, verb string, to, from state.StoreStatus,
) (*model.StorePayload, error) {
	if err := core.OwnerOnly(ctx, verb+" the store"); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, expectedVersion, "store."+verb, func(_ context.Context, e *storeEdit) error {
		if err := core.CheckTransition("store", e.Row.Status, to, from); err != nil {
			return err
		}
		core.Replace(&e.Changed, &to, "status", &e.Row.Status, e.Update.SetStatus)
		return nil
	})
}

// Languages returns the languages of storefronts.
func (Query) Languages(context.Context) ([]state.Language, error) { return state.Languages(), nil }

// StoreSetLimits sets own limits of the viewer's store, each as "name=number", or removes them, as
// "name=". Only the operator may. What the store has above a limit stays.
func (m Mutation) StoreSetLimits(ctx context.Context, expectedVersion int64,
	settings []string,
) (*model.StorePayload, error) {
	if v, err := core.Caller(ctx); err != nil || v.Kind != viewer.System {
		return nil, fault.New(fault.Forbidden, "Only the operator can set limits.")
	}
	return m.changeStore(ctx, expectedVersion, "store.set_limits", func(_ context.Context, e *storeEdit) error {
		before, err := e.Row.Limits.Values()
		if err != nil {
			return err
		}
		own := limit.Values{}
		maps.Copy(own, before)
		for _, text := range settings {
			if err := setOwn(own, text); err != nil {
				return err
			}
		}
		if !maps.Equal(own, before) {
			e.Row.Limits = document.NewLimits(own)
			e.Changed, e.Detail = []string{"limits"}, strings.Join(settings, " ")
			e.Update.SetLimits(e.Row.Limits)
			m.LimitsChanged(ctx)
		}
		return nil
	})
}

func setOwn(own limit.Values, text string) error {
	name, number, _ := strings.Cut(text, "=")
	switch row, ok := limit.Name(name).Row(); {
	case ok && row.Whole:
		return fault.Newf(fault.ValidationFailed, "The limit %s is the same for all stores.", name)
	case ok && number == "" && text != name:
		delete(own, row.Name)
		return nil
	}
	if err := own.Set(text); err != nil {
		return fault.New(fault.ValidationFailed, err.Error())
	}
	return nil
}
