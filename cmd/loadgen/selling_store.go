package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/model"
)

// collection is the handle of the collection of what is tagged [corpus.Tag].
const collection = "chosen"

// seller is the first store of a dataset, which sells.
type seller struct {
	*app.Base
	carts *corpus.Carts
}

// openSeller makes the first store of the data sell, unless it does already, and waits
// until all of its products are on their shelves.
func openSeller(ctx context.Context, dir string, d *dataset) (*seller, error) {
	base, err := app.Open(ctx, app.Opening{Storage: app.Storage{Data: filepath.Join(dir, "selling"),
		Database: d.address}, Relaxed: true})
	if err != nil {
		return nil, err
	}
	s := &seller{Base: base}
	if err := s.prepare(ctx, d.corpus.Shops[0].ID); err != nil {
		return nil, errors.Join(err, base.Close())
	}
	return s, nil
}

func (s *seller) prepare(ctx context.Context, shop string) error {
	id, err := xid.Store.Parse(shop)
	if err != nil {
		return err
	}
	hooks, err := s.Engine(app.Delivery{}, false, false, nil)
	if err != nil {
		return err
	}
	core, err := s.Core(app.Naming{}.Addresses(), hooks, app.Marketplace{}, nil)
	if err != nil {
		return err
	}
	rate, err := terms(viewer.Operator(ctx, id), core)
	if err != nil {
		return fmt.Errorf("make the store sell: %w", err)
	}
	if err := listings.NewKeeper(s.Store).Round(ctx); err != nil {
		return err
	}
	s.carts, err = corpus.Sell(ctx, s.Store, id, rate)
	return err
}

// terms sets how the store sells: to Germany, with its tax in the prices, against a
// transfer; and makes a collection. It returns the shipping rate.
func terms(ctx context.Context, core *graph.Resolver) (rate string, err error) {
	m, q := core.Mutation(), core.Query()
	zones, err := q.ShippingZones(ctx)
	if err != nil {
		return "", err
	}
	if len(zones) == 0 {
		if err := sell(ctx, m); err != nil {
			return "", err
		}
		if zones, err = q.ShippingZones(ctx); err != nil {
			return "", err
		}
	}
	rates, err := zones[0].Rates.List()
	if err != nil {
		return "", err
	}
	return rates[0].ID, nil
}

// sell makes what [terms] looks for; the shipping zone, by which it knows, comes last.
func sell(ctx context.Context, m graph.Mutation) error {
	_, err := m.CollectionCreate(ctx, model.CollectionInput{Title: "Chosen", Handle: new(collection),
		Sort: state.SortNewest, Rule: &model.CollectionRuleInput{Conditions: []*document.CollectionCondition{
			{Field: state.FieldTag, Text: new(corpus.Tag)}}}})
	if err != nil {
		return err
	}
	if _, err = m.TaxSettingsUpdate(ctx, 0, model.TaxSettingsInput{PricesIncludeTax: true,
		Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", BasisPoints: 1900, Shipping: true}}}); err != nil {
		return err
	}
	if _, err = m.PaymentSettingsUpdate(ctx, 0, model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
		{Kind: state.PaymentTransfer, Name: "Transfer", Instructions: "IBAN DE02", Active: true}}}); err != nil {
		return err
	}
	_, err = m.ShippingZoneCreate(ctx, model.ShippingZoneInput{Name: "Germany", Countries: []string{"DE"},
		Rates: []*model.ShippingRateInput{
			{Name: "Post", Kind: state.ShippingDelivery, PriceMinor: corpus.ShippingMinor}}})
	return err
}
