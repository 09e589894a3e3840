package location_test

import (
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// A rate for pickup can name a location: the order says where to collect it, and takes its stock there first.
// The rate is offered as long as shoppers can collect orders there, and can name no other location.
func TestPickup(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		mug, _, a := p.spread(t)
		m := p.Mutation()
		rate := &model.ShippingRateInput{Name: "Collect", Kind: "pickup", LocationID: &a}
		in := model.ShippingZoneInput{Name: "Home", Countries: []string{"DE"}, Rates: []*model.ShippingRateInput{rate}}
		refused := func(what string) {
			t.Helper()
			_, err := m.ShippingZoneCreate(p.Ctx, in)
			if graphtest.FieldOf(err) != "#/rates/0/location_id unknown_value" {
				t.Errorf("%s: %v", what, err)
			}
		}
		refused("no pickup")
		picksUp := func(yes bool) {
			t.Helper()
			graphtest.Must[*model.LocationPayload](t)(m.LocationUpdate(p.Ctx, a, p.get(t, a).Version,
				model.LocationUpdateInput{PicksUp: graphql.OmittableOf(&yes), Address: graphql.OmittableOf(
					&model.AddressInput{Line1: "Kai 1", City: "Hamburg", PostalCode: new("20457"), Country: "DE"})}))
		}
		picksUp(true)
		rate.Kind = "delivery"
		refused("delivery")
		rate.Kind = "pickup"
		zone := graphtest.Must[*model.ShippingZonePayload](t)(m.ShippingZoneCreate(p.Ctx, in)).ShippingZone
		rates, err := zone.Rates.List()
		if err != nil || len(rates) != 1 || *rates[0].LocationID != a {
			t.Fatalf("rates %v, %v", rates, err)
		}
		draft := model.OrderCreateInput{Source: "test", Lines: []*model.OrderLineInput{graphtest.ProductLine(mug, 2)},
			Pricing:         &model.OrderPricingInput{ShippingRateID: &rates[0].ID},
			ShippingAddress: &model.AddressInput{Line1: "Weg 1", City: "Ulm", Country: "DE"}}
		o := graphtest.Must[*model.OrderPayload](t)(m.OrderCreate(p.Ctx, draft)).Order
		if got := p.from(t, o); got != "2 A" || *o.ShippingMethod != "Collect: A, Kai 1, 20457 Hamburg" {
			t.Errorf("from %s, by %s", got, *o.ShippingMethod)
		}
		picksUp(false)
		if _, err := m.OrderCreate(p.Ctx, draft); graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("no pickup any more: %v", err)
		}
		rate.ID, in.Name = &rates[0].ID, "Hamburg"
		graphtest.Must[*model.ShippingZonePayload](t)(m.ShippingZoneUpdate(p.Ctx, zone.PublicID(), zone.Version, in))
	})
}
