package selling

import (
	"cmp"
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/shippingcountry"
	"github.com/storefront-go/storefront/ent/db/shippingzone"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// elsewhere stands for all countries that no zone names, in the rows of countries.
const elsewhere = "*"

// ShippingZones returns the zones of the viewer's store, by name.
func (q Query) ShippingZones(ctx context.Context) ([]*model.ShippingZone, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	query := q.Client(ctx).ShippingZone.Query()
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, core.Explain("shipping zones", err)
	}
	countries, err := q.countries(ctx)
	if err != nil {
		return nil, core.Explain("shipping zones", err)
	}
	zones := make([]*model.ShippingZone, len(rows))
	for i, row := range rows {
		zones[i] = shownZone(row, countries)
	}
	slices.SortStableFunc(zones, func(a, b *model.ShippingZone) int { return cmp.Compare(a.Name, b.Name) })
	return zones, nil
}

// ShippingZone returns one zone of the viewer's store.
func (q Query) ShippingZone(ctx context.Context, id string) (*model.ShippingZone, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.ShippingZone, id)
	if err != nil {
		return nil, err
	}
	zone, err := q.zone(ctx, uid)
	return zone, core.Explain("shipping zone", err)
}

// zone reads a zone with its countries.
func (r *Resolver) zone(ctx context.Context, id xid.ID) (*model.ShippingZone, error) {
	row, err := core.Only(r.Client(ctx).ShippingZone.Query().Where(shippingzone.ID(id)).Load(ctx))
	if err != nil {
		return nil, err
	}
	countries, err := r.countries(ctx)
	if err != nil {
		return nil, err
	}
	return shownZone(row, countries), nil
}

// countries reads the zone of each country of the store. The number of countries in the world
// bounds it.
func (r *Resolver) countries(ctx context.Context) ([]*db.ShippingCountry, error) {
	query := r.Client(ctx).ShippingCountry.Query()
	query.Modify(ent.ForceIndex(ent.Primary))
	return query.Load(ctx)
}

// shownZone adds the countries to a zone.
func shownZone(row *db.ShippingZone, countries []*db.ShippingCountry) *model.ShippingZone {
	zone := &model.ShippingZone{ShippingZone: row, Countries: []string{}}
	for _, c := range countries {
		switch {
		case c.ZoneID != row.ID:
		case c.Country == elsewhere:
			zone.RestOfWorld = true
		default:
			zone.Countries = append(zone.Countries, c.Country)
		}
	}
	slices.Sort(zone.Countries)
	return zone
}

// zoneOf returns the zone that names a country, or else the zone for the rest of the world. It
// returns nil if the store does not ship there.
func (r *Resolver) zoneOf(ctx context.Context, country string) (*db.ShippingZone, error) {
	query := r.Client(ctx).ShippingCountry.Query().Where(shippingcountry.CountryIn(country, elsewhere))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	named := slices.MaxFunc(rows, func(a, b *db.ShippingCountry) int { return cmp.Compare(a.Country, b.Country) })
	return core.Only(r.Client(ctx).ShippingZone.Query().Where(shippingzone.ID(named.ZoneID)).Load(ctx))
}
