package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/model"
)

// collection is the handle of the collection of products with [corpus.Tag].
const collection = "chosen"

// seller is the first store of a dataset, which sells.
type seller struct {
	*app.Base
	core         *graph.Resolver
	carts        *corpus.Carts
	handle, host string
}

// openSeller makes the first store of the data sell, unless it does already.
func openSeller(ctx context.Context, all *children) (*seller, error) {
	base, err := app.Open(ctx, app.Opening{Storage: app.Storage{Data: filepath.Join(all.dir, "selling"),
		Database: all.data.address, SecretKey: all.secret}, Relaxed: true})
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "preparing the store: shipping, tax, payment, listing index")
	s := &seller{Base: base}
	if err := s.prepare(ctx, all.data.corpus.Shops[0].ID); err != nil {
		return nil, errors.Join(err, base.Close())
	}
	return s, nil
}

func (s *seller) prepare(ctx context.Context, id string) error {
	shop, err := s.FindStore(ctx, id)
	if err != nil {
		return err
	}
	s.handle, s.host = shop.Handle, shop.Handle+"."+shopDomain
	hooks, err := s.Engine(app.Delivery{}, false, false, nil)
	if err != nil {
		return err
	}
	if s.core, err = s.Core(app.Naming{}.Addresses(), hooks, app.Marketplace{}, nil); err != nil {
		return err
	}
	ctx = viewer.Operator(ctx, shop.ID)
	zones, err := s.core.Query().ShippingZones(ctx)
	if err == nil && len(zones) == 0 {
		if err = sell(ctx, s.core.Mutation()); err == nil {
			zones, err = s.core.Query().ShippingZones(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("make the store sell: %w", err)
	}
	rates, err := zones[0].Rates.List()
	if err != nil {
		return err
	}
	if err := listings.NewKeeper(s.Store).Backfill(ctx); err != nil {
		return err
	}
	s.carts, err = corpus.Sell(ctx, s.Store, shop.ID, rates[0].ID)
	return err
}

// sell creates a collection and sets how the store sells: to Germany, with tax in the prices, by
// bank transfer. The shipping zone comes last, because [seller.prepare] looks for it.
func sell(ctx context.Context, m graph.Mutation) error {
	_, err := m.CollectionCreate(ctx, model.CollectionInput{Title: "Chosen", Handle: new(collection),
		Sort: state.SortNewest, Rule: &model.CollectionRuleInput{Conditions: []*document.CollectionCondition{
			{Field: state.FieldTag, Text: new(corpus.Tag)}}}})
	if err != nil {
		return err
	}
	if _, err = m.TaxSettingsUpdate(ctx, 0, model.TaxSettingsInput{PricesIncludeTax: true,
		Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", Rate: new("19"), Shipping: true}}}); err != nil {
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

const (
	// cartConns is how many shoppers order at a time.
	cartConns = 16
	// cartsPerSecond is far more than two CPUs can place. Running out of carts is an error.
	cartsPerSecond = 4000
)

// checkout holds the carts that are placed, each once.
type checkout struct {
	carts *corpus.Carts
	host  string

	mu    sync.Mutex
	ready []corpus.Ready
}

func (c *checkout) fill(ctx context.Context, length time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := int(cartsPerSecond*length.Seconds()) + cartConns - len(c.ready)
	if missing <= 0 {
		return nil
	}
	more, err := c.carts.Make(ctx, missing)
	c.ready = append(c.ready, more...)
	return err
}

// next places a cart; it returns nil if there is none.
func (c *checkout) next(b []byte, _, _ int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) == 0 {
		return nil
	}
	cart := c.ready[0]
	c.ready = c.ready[1:]
	body := "total=" + strconv.FormatInt(cart.Total, 10)
	return fmt.Appendf(b, "POST /checkout/place HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\nCookie: cart=%s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", c.host, cart.Token, len(body),
		body)
}
