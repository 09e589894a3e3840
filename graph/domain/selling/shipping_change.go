package selling

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/shippingcountry"
	"github.com/storefront-go/storefront/ent/db/shippingzone"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// zoneEdit is a change of one zone.
type zoneEdit = change.Edit[*model.ShippingZone, *db.ShippingZoneUpdate]

// zones returns how zones change.
func (r *Resolver) zones() *change.Versioned[*model.ShippingZone, *db.ShippingZoneUpdate] {
	return &change.Versioned[*model.ShippingZone, *db.ShippingZoneUpdate]{
		Kind: xid.ShippingZone,
		Load: r.zone,
		Head: func(z *model.ShippingZone) change.Head {
			return change.Head{Store: z.StoreID, ID: z.ID, Version: &z.Version, UpdatedAt: &z.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.ShippingZoneUpdate {
			return r.Client(ctx).ShippingZone.Update().Where(shippingzone.ID(id), shippingzone.Version(version))
		},
		Delete: func(ctx context.Context, id xid.ID, version int64) (int, error) {
			return r.Client(ctx).ShippingZone.Delete().
				Where(shippingzone.ID(id), shippingzone.Version(version)).Exec(ctx)
		},
	}
}

// ShippingZoneCreate creates a zone of countries that are in no other zone.
func (m Mutation) ShippingZoneCreate(
	ctx context.Context, in model.ShippingZoneInput,
) (*model.ShippingZonePayload, error) {
	rates, err := checkZone(&in)
	if err != nil {
		return nil, err
	}
	var zone *model.ShippingZone
	err = m.Commit(ctx, xid.ShippingZone, func(ctx context.Context) (*change.Record, error) {
		if err := m.checkPlaces(ctx, rates, nil); err != nil {
			return nil, err
		}
		err := m.Room(ctx, limit.ShippingZones, ent.Primary, func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).ShippingZone.Query().Modify(pick).Scan(ctx, ids)
		})
		if err != nil {
			return nil, err
		}
		id := xid.New()
		row, err := m.Client(ctx).ShippingZone.Create().SetID(id).SetName(in.Name).
			SetRates(document.NewShippingRates(numberRates(rates, nil))).SetUpdatedAt(id.Time()).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("add shipping zone: %w", err)
		}
		zone = &model.ShippingZone{ShippingZone: row, Countries: in.Countries, RestOfWorld: in.RestOfWorld}
		return m.zones().Created(zone, "shipping_zone.create", ""), m.saveCountries(ctx, zone)
	})
	if err != nil {
		return nil, err
	}
	return &model.ShippingZonePayload{ShippingZone: zone}, nil
}

// ShippingZoneUpdate replaces a zone. Rates that it already has keep their ids.
func (m Mutation) ShippingZoneUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.ShippingZoneInput,
) (*model.ShippingZonePayload, error) {
	zone, err := core.Change(ctx, m.Core, m.zones(), id, expectedVersion, "shipping_zone.update",
		func(ctx context.Context, e *zoneEdit) error {
			rates, err := checkZone(&in, e.Row.Countries...)
			if err != nil {
				return err
			}
			before, err := e.Row.Rates.List()
			if err != nil {
				return err
			}
			if err := checkRatesExist(rates, before); err != nil {
				return err
			}
			if err := m.checkPlaces(ctx, rates, before); err != nil {
				return err
			}
			core.Replace(&e.Changed, &in.Name, "name", &e.Row.Name, e.Update.SetName)
			core.MemberDoc(&e.Changed, document.NewShippingRates(numberRates(rates, before)), true, "rates",
				&e.Row.Rates,
				e.Update.SetRates, nil)
			if !slices.Equal(e.Row.Countries, in.Countries) || e.Row.RestOfWorld != in.RestOfWorld {
				e.Changed = append(e.Changed, "countries")
				e.Row.Countries, e.Row.RestOfWorld = in.Countries, in.RestOfWorld
				e.Then = func(ctx context.Context) error { return m.saveCountries(ctx, e.Row) }
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.ShippingZonePayload{ShippingZone: zone}, nil
}

// ShippingZoneDelete removes a zone. Its countries are then in no zone.
func (m Mutation) ShippingZoneDelete(
	ctx context.Context, id string, expectedVersion int64,
) (*model.ShippingZoneDeletePayload, error) {
	err := core.Remove(ctx, m.Core, m.zones(), id, expectedVersion, "shipping_zone.delete",
		func(ctx context.Context, z *model.ShippingZone) error { return m.removeCountries(ctx, z.ID, nil) })
	if err != nil {
		return nil, err
	}
	return &model.ShippingZoneDeletePayload{DeletedID: &id}, nil
}

// saveCountries writes the countries of a zone. The key of their rows ensures that a country is in
// one zone only; a read before that finds the country to name in the error.
func (m Mutation) saveCountries(ctx context.Context, z *model.ShippingZone) error {
	all := slices.Clone(z.Countries)
	if z.RestOfWorld {
		all = append(all, elsewhere)
	}
	if err := m.removeCountries(ctx, z.ID, all); err != nil {
		return err
	}
	rows, err := m.countries(ctx)
	if err != nil {
		return err
	}
	in := map[string]xid.ID{}
	for _, row := range rows {
		in[row.Country] = row.ZoneID
	}
	var c core.Check
	var fresh []*db.ShippingCountryCreate
	for i, country := range all {
		switch zone, there := in[country]; {
		case !there:
			fresh = append(fresh, m.Client(ctx).ShippingCountry.Create().SetCountry(country).SetZoneID(z.ID))
		case zone != z.ID:
			taken(&c, i, country)
		}
	}
	if err := c.Err(); err != nil || len(fresh) == 0 {
		return err
	}
	err = m.Client(ctx).ShippingCountry.CreateBulk(fresh...).Exec(ctx)
	if ent.IsDuplicate(err) { // another zone took one concurrently
		return fault.Invalid(fault.Field{Pointer: "#/countries", Code: fault.Taken,
			Detail: "One of the countries is in another zone."})
	}
	return err
}

// taken adds the error for a country that is in another zone.
func taken(c *core.Check, i int, country string) {
	if country == elsewhere {
		c.Add("rest_of_world", fault.Taken, "Another zone is for the rest of the world.")
		return
	}
	c.Add("countries/"+strconv.Itoa(i), fault.Taken, country+" is in another zone.")
}

// removeCountries deletes the countries of a zone, except the given ones.
func (m Mutation) removeCountries(ctx context.Context, zone xid.ID, keeps []string) error {
	gone := m.Client(ctx).ShippingCountry.Delete().Where(shippingcountry.ZoneID(zone))
	if len(keeps) > 0 {
		gone.Where(shippingcountry.CountryNotIn(keeps...))
	}
	if _, err := gone.Exec(ctx); err != nil {
		return fmt.Errorf("remove countries from a zone: %w", err)
	}
	return nil
}

// checkRatesExist returns an error if rates have ids that the zone does not have.
func checkRatesExist(rates, before []document.ShippingRate) error {
	var c core.Check
	for i, r := range rates {
		if r.ID != "" && !slices.ContainsFunc(before, func(b document.ShippingRate) bool { return b.ID == r.ID }) {
			c.Add("rates/"+strconv.Itoa(i)+"/id", fault.UnknownValue, "The zone does not have this rate.")
		}
	}
	return c.Err()
}

// numberRates gives ids to the new rates of a zone.
func numberRates(rates, before []document.ShippingRate) []document.ShippingRate {
	numbered := slices.Clone(rates)
	for i := range numbered {
		if numbered[i].ID == "" || before == nil {
			numbered[i].ID = xid.ShippingRate.Format(xid.New())
		}
	}
	return numbered
}
