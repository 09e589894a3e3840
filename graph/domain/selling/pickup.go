package selling

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/stock"
)

// atPlaces adds the name and the address of its location to the name of each rate that has one, so that the
// shopper, the order and its emails say where to collect it. Rates are left out while shoppers cannot collect
// orders there.
func (r *Resolver) atPlaces(ctx context.Context, rates []document.ShippingRate) ([]document.ShippingRate, error) {
	places, err := r.places(ctx, rates)
	if err != nil || places == nil {
		return rates, err
	}
	var open []document.ShippingRate
	for _, rate := range rates {
		if rate.LocationID == nil {
			open = append(open, rate)
			continue
		}
		l := places[*rate.LocationID]
		if l == nil {
			continue
		}
		where, err := whereIs(l)
		if err != nil {
			return nil, err
		}
		text := []rune(rate.Name + ": " + where)
		rate.Name = string(text[:min(len(text), limit.Line)])
		open = append(open, rate)
	}
	return open, nil
}

// whereIs returns the name and the address of a location in one line.
func whereIs(l *db.Location) (string, error) {
	a, err := l.Address.Fields()
	if err != nil || a == nil {
		return l.Name, err
	}
	city := strings.TrimSpace(core.Deref(a.PostalCode) + " " + a.City)
	parts := []string{l.Name, a.Line1, core.Deref(a.Line2), city}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", "), nil
}

// places returns the locations where shoppers can collect orders, by id; nil if no rate has a location.
func (r *Resolver) places(ctx context.Context, rates []document.ShippingRate) (map[string]*db.Location, error) {
	if !slices.ContainsFunc(rates, func(rate document.ShippingRate) bool { return rate.LocationID != nil }) {
		return nil, nil
	}
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	all, err := stock.Locations(ctx, r.Client(ctx), s, ent.NoLock)
	if err != nil {
		return nil, err
	}
	open := map[string]*db.Location{}
	for _, l := range all {
		if l.PicksUp && l.ClosedAt == nil {
			open[xid.Location.Format(l.ID)] = l
		}
	}
	return open, nil
}

// checkPlaces returns an error for each rate at a location where shoppers cannot collect orders. Rates keep the
// location that they already have.
func (m Mutation) checkPlaces(ctx context.Context, rates, before []document.ShippingRate) error {
	open, err := m.places(ctx, rates)
	if err != nil {
		return err
	}
	var c core.Check
	for i, rate := range rates {
		kept := slices.ContainsFunc(before, func(b document.ShippingRate) bool {
			return b.ID == rate.ID && core.Deref(b.LocationID) == core.Deref(rate.LocationID)
		})
		if rate.LocationID != nil && open[*rate.LocationID] == nil && !kept {
			c.Add("rates/"+strconv.Itoa(i)+"/location_id", fault.UnknownValue,
				"Shoppers cannot collect orders at this location. Choose an open one that offers pickup.")
		}
	}
	return c.Err()
}
