package selling

import (
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// checkZone validates a zone, uppercases and sorts its countries, and returns its rates. Countries
// that it already has may stay.
func checkZone(in *model.ShippingZoneInput, kept ...string) ([]document.ShippingRate, error) {
	c := &core.Check{}
	c.Line("name", in.Name, limit.Line)
	if checkCount(c, "countries", len(in.Countries), limit.Countries) {
		for i, code := range in.Countries {
			in.Countries[i] = c.AssignedCountry("countries/"+strconv.Itoa(i), code, kept...)
		}
	}
	if len(in.Countries) == 0 && !in.RestOfWorld {
		c.Add("countries", fault.TooShort, "Choose a country or the rest of the world.")
	}
	var rates []document.ShippingRate
	if checkCount(c, "rates", len(in.Rates), limit.Rates) {
		for i, r := range in.Rates {
			rates = append(rates, checkRate(c, "rates/"+strconv.Itoa(i)+"/", r))
		}
		checkRateIDs(c, rates)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	slices.Sort(in.Countries)
	in.Countries = slices.Compact(in.Countries)
	return rates, nil
}

// checkCount adds an error and returns false if a list is too long.
func checkCount(c *core.Check, name string, n, most int) bool {
	if n > most {
		c.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(most)+".")
	}
	return n <= most
}

// checkRateIDs adds an error for each rate id that occurs twice.
func checkRateIDs(c *core.Check, rates []document.ShippingRate) {
	seen := map[string]bool{}
	for i, r := range rates {
		if r.ID != "" && seen[r.ID] {
			c.Add("rates/"+strconv.Itoa(i)+"/id", fault.Taken, "Another rate of the zone has this id.")
		}
		seen[r.ID] = true
	}
}

// checkRate validates one rate and returns it in stored form.
func checkRate(c *core.Check, at string, in *model.ShippingRateInput) document.ShippingRate {
	c.Line(at+"name", in.Name, limit.Line)
	c.Amount(at+"price_minor", in.PriceMinor)
	core.Opt(in.FreeFromMinor, func(n int64) { c.Amount(at+"free_from_minor", n) })
	bounds := func(least, most *int64, name, unit string, check func(string, int64)) {
		core.Opt(least, func(n int64) { check(at+"least_"+unit, n) })
		core.Opt(most, func(n int64) { check(at+"most_"+unit, n) })
		if least != nil && most != nil && *most < *least {
			c.Add(at+"most_"+unit, fault.OutOfRange, "The maximum "+name+" is below the minimum.")
		}
	}
	bounds(in.LeastMinor, in.MostMinor, "sum", "minor", c.Amount)
	bounds(in.LeastGrams, in.MostGrams, "weight", "grams",
		func(name string, n int64) { c.Within(name, n, 0, limit.Weight) })
	rate := document.ShippingRate{Name: in.Name, Kind: in.Kind, PriceMinor: in.PriceMinor,
		LeastMinor: in.LeastMinor, MostMinor: in.MostMinor, LeastGrams: in.LeastGrams, MostGrams: in.MostGrams,
		FreeFromMinor: in.FreeFromMinor, LocationID: in.LocationID}
	if in.LocationID != nil && in.Kind != state.ShippingPickup {
		c.Add(at+"location_id", fault.UnknownValue, "Only a rate for pickup has a location.")
	}
	core.Opt(in.ID, func(id string) { rate.ID = id })
	return rate
}
