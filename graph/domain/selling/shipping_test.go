package selling_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db/shippingcountry"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// post returns a rate with a price.
func post(name string, price int64) *model.ShippingRateInput {
	return &model.ShippingRateInput{Name: name, Kind: "delivery", PriceMinor: price}
}

// zoneOf returns a zone of countries; * is the rest of the world.
func zoneOf(countries ...string) model.ShippingZoneInput {
	in := model.ShippingZoneInput{Name: "Zone", Rates: []*model.ShippingRateInput{post("Post", 490)}}
	for _, c := range countries {
		if in.RestOfWorld = in.RestOfWorld || c == "*"; c != "*" {
			in.Countries = append(in.Countries, c)
		}
	}
	return in
}

func newZone(t *testing.T, ctx context.Context, r *graph.Resolver, countries ...string) *model.ShippingZone {
	t.Helper()
	return graphtest.Must[*model.ShippingZonePayload](t)(
		r.Mutation().ShippingZoneCreate(ctx, zoneOf(countries...))).ShippingZone
}

// TestWithdrawnCountry: a country that was in ISO 3166-1 when a zone or a rate named it stays there
// until it is removed, and cannot be added.
func TestWithdrawnCountry(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m, z := r.Mutation(), newZone(t, ctx, r, "DE", "*")
		if err := r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Client(ctx).ShippingCountry.Create().SetCountry("AN").SetZoneID(z.ID).Exec(ctx)
		}); err != nil {
			t.Fatal(err)
		}
		z = graphtest.Must[*model.ShippingZonePayload](t)(m.ShippingZoneUpdate(ctx, z.PublicID(), z.Version,
			zoneOf("AN", "DE", "FR", "*"))).ShippingZone
		if d := cmp.Diff([]string{"AN", "DE", "FR"}, z.Countries); d != "" {
			t.Error(d)
		}
		z = graphtest.Must[*model.ShippingZonePayload](t)(m.ShippingZoneUpdate(ctx, z.PublicID(), z.Version,
			zoneOf("*"))).ShippingZone
		for _, code := range []string{"AN", "SU", "YU", "CS", "NT", "UN", "EU", "EZ", "XK"} {
			if _, err := m.ShippingZoneUpdate(ctx, z.PublicID(), z.Version, zoneOf(code)); graphtest.FieldOf(err) !=
				"#/countries/0 unknown_value" {
				t.Errorf("%s: %v", code, err)
			}
			in := model.TaxSettingsInput{Rates: []*model.TaxRateInput{{Country: code, Name: "VAT"}}}
			if _, err := m.TaxSettingsUpdate(ctx, 0, in); graphtest.FieldOf(err) != "#/rates/0/country unknown_value" {
				t.Errorf("a rate of %s: %v", code, err)
			}
		}
	})
}

func TestShippingZones(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		home := newZone(t, ctx, r, "de", "AT", "DE")
		if d := cmp.Diff([]string{"AT", "DE"}, home.Countries); d != "" || home.RestOfWorld || home.Version != 1 {
			t.Errorf("created %+v %s", home, d)
		}
		if _, err := m.ShippingZoneCreate(ctx, zoneOf("FR", "AT")); graphtest.FieldOf(err) != "#/countries/0 taken" {
			t.Errorf("a country of another zone: %v", err)
		}
		world := newZone(t, ctx, r, "FR", "*")
		if _, err := m.ShippingZoneCreate(ctx, zoneOf("*")); graphtest.FieldOf(err) != "#/rest_of_world taken" {
			t.Errorf("a second rest of the world: %v", err)
		}
		rates, err := home.DecodedRates()
		if err != nil {
			t.Fatal(err)
		}
		in := zoneOf("DE", "CH")
		in.Name, in.Rates[0].ID = "Home", &rates[0].ID
		in.Rates = append(in.Rates, &model.ShippingRateInput{Name: "Shop", Kind: "pickup"})
		changed := graphtest.Must[*model.ShippingZonePayload](t)(
			m.ShippingZoneUpdate(ctx, home.PublicID(), 1, in)).ShippingZone
		again := graphtest.Must[*model.ShippingZone](t)(r.Query().ShippingZone(ctx, home.PublicID()))
		if d := cmp.Diff(changed.Countries, again.Countries); d != "" || again.Name != "Home" || again.Version != 2 {
			t.Errorf("changed to %+v %s", again, d)
		}
		if now, err := again.DecodedRates(); err != nil || len(now) != 2 || now[0].ID != rates[0].ID ||
			!strings.HasPrefix(now[1].ID, "rate_") {
			t.Errorf("rates %+v, %v", now, err)
		}
		newZone(t, ctx, r, "AT") // which the zone no longer has
		if _, err := m.ShippingZoneUpdate(ctx, home.PublicID(), 1, in); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		in.Rates[1].ID = new("rate_x")
		_, err = m.ShippingZoneUpdate(ctx, home.PublicID(), 2, in)
		if graphtest.FieldOf(err) != "#/rates/1/id unknown_value" {
			t.Errorf("a rate that is not there: %v", err)
		}
		graphtest.Must[*model.ShippingZoneDeletePayload](t)(m.ShippingZoneDelete(ctx, world.PublicID(), 1))
		left := graphtest.Must[[]*model.ShippingZone](t)(r.Query().ShippingZones(ctx))
		if n, err := r.Client(ctx).ShippingCountry.Query().Count(ctx); err != nil || n != 3 || len(left) != 2 {
			t.Errorf("%d zones with %d countries are left, %v", len(left), n, err)
		}
	})
}

func TestShippingZoneRefuses(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for want, edit := range map[string]func(*model.ShippingZoneInput){
			"#/name too_short":             func(in *model.ShippingZoneInput) { in.Name = " " },
			"#/countries too_short":        func(in *model.ShippingZoneInput) { in.Countries = nil },
			"#/countries/0 unknown_value":  func(in *model.ShippingZoneInput) { in.Countries[0] = "XX" },
			"#/countries/0 invalid_format": func(in *model.ShippingZoneInput) { in.Countries[0] = "DEU" },
			"#/countries too_long":         func(in *model.ShippingZoneInput) { in.Countries = make([]string, 301) },
			"#/rates too_long": func(in *model.ShippingZoneInput) {
				in.Rates = make([]*model.ShippingRateInput, 21)
			},
			"#/rates/0/name too_short": func(in *model.ShippingZoneInput) { in.Rates[0].Name = "" },
			"#/rates/0/price_minor out_of_range": func(in *model.ShippingZoneInput) {
				in.Rates[0].PriceMinor = -1
			},
			"#/rates/0/most_grams out_of_range": func(in *model.ShippingZoneInput) {
				in.Rates[0].LeastGrams, in.Rates[0].MostGrams = new(int64(2)), new(int64(1))
			},
			"#/rates/0/least_minor out_of_range": func(in *model.ShippingZoneInput) {
				in.Rates[0].LeastMinor = new(int64(-1))
			},
			"#/rates/0/free_from_minor out_of_range": func(in *model.ShippingZoneInput) {
				in.Rates[0].FreeFromMinor = new(int64(-1))
			},
			"#/rates/1/id taken": func(in *model.ShippingZoneInput) {
				in.Rates[0].ID = new("rate_x")
				in.Rates = append(in.Rates, in.Rates[0])
			},
		} {
			in := zoneOf("DE")
			edit(&in)
			if _, err := r.Mutation().ShippingZoneCreate(ctx, in); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// Of zones that are created concurrently for one country, one gets it.
func TestCountryIsInOneZone(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = r.Mutation().ShippingZoneCreate(ctx, zoneOf("DE")) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			switch {
			case err == nil:
				made++
			case !strings.HasSuffix(graphtest.FieldOf(err), " taken"):
				t.Errorf("%v", err)
			}
		}
		zones := graphtest.Must[[]*model.ShippingZone](t)(r.Query().ShippingZones(ctx))
		n, err := r.Client(ctx).ShippingCountry.Query().Where(shippingcountry.Country("DE")).Count(ctx)
		if made != 1 || len(zones) != 1 || n != 1 || err != nil {
			t.Errorf("%d were created, %d exist, %d have the country, %v", made, len(zones), n, err)
		}
	})
}

// A cart is offered the applicable rates of its country's zone, or else of the zone for the rest of
// the world.
func TestCartRates(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		offered := func(country string, goods int64) (names string) {
			rates, err := r.CartRates(ctx, country, price.Freight{Needed: true, ItemsMinor: goods})
			if err != nil {
				t.Fatal(err)
			}
			for _, rate := range rates {
				names += rate.Name + " "
			}
			return names
		}
		if got := offered("DE", 1); got != "" {
			t.Errorf("without zones: %s", got)
		}
		home, world := zoneOf("DE"), zoneOf("*")
		home.Rates = append(home.Rates, post("Freight", 9900))
		home.Rates[1].LeastMinor, world.Rates[0].Name = new(int64(100)), "Air"
		for _, in := range []model.ShippingZoneInput{home, world} {
			graphtest.Must[*model.ShippingZonePayload](t)(r.Mutation().ShippingZoneCreate(ctx, in))
		}
		for _, tc := range []struct {
			country string
			goods   int64
			want    string
		}{{"DE", 99, "Post "}, {"DE", 100, "Post Freight "}, {"FR", 100, "Air "}} {
			if got := offered(tc.country, tc.goods); got != tc.want {
				t.Errorf("%s for %d: %q, want %q", tc.country, tc.goods, got, tc.want)
			}
		}
	})
}

// Another store neither sees nor changes anything of this store.
func TestStoresAreIsolated(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		zone, m := newZone(t, ctx, r, "DE"), r.Mutation()
		d := newDiscount(t, ctx, r, percent("SUMMER", 1000))
		graphtest.Must[*model.TaxSettingsPayload](t)(m.TaxSettingsUpdate(ctx, 0, german()))
		other, _ := storetest.Merchant(t, r.Store)
		other = graphtest.As(other, viewer.Owner)
		newZone(t, other, r, "DE") // the same country and code
		newDiscount(t, other, r, percent("SUMMER", 2000))
		_, readZone := r.Query().ShippingZone(other, zone.PublicID())
		_, changeZone := m.ShippingZoneUpdate(other, zone.PublicID(), 1, zoneOf("FR"))
		_, dropZone := m.ShippingZoneDelete(other, zone.PublicID(), 1)
		_, readDiscount := r.Query().Discount(other, d.PublicID())
		_, changeDiscount := m.DiscountUpdate(other, d.PublicID(), 1, percent("WINTER", 1))
		_, dropDiscount := m.DiscountDelete(other, d.PublicID(), 1)
		for i, err := range []error{readZone, changeZone, dropZone, readDiscount, changeDiscount, dropDiscount} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%d: %v", i, err)
			}
		}
		zones := graphtest.Must[[]*model.ShippingZone](t)(r.Query().ShippingZones(other))
		taxes := graphtest.Must[*model.TaxSettings](t)(r.Query().TaxSettings(other))
		list := graphtest.Must[*model.DiscountConnection](t)(r.Query().Discounts(other, nil, nil))
		if len(zones) != 1 || taxes.Version != 0 || taxes.UpdatedAt() != nil || len(list.Nodes) != 1 {
			t.Errorf("%d zones, taxes %d, %d discounts", len(zones), taxes.Version, len(list.Nodes))
		}
		if err := r.Store.InTx(other, func(ctx context.Context) error {
			return r.TakeDiscount(ctx, d.ID, d.ID)
		}); graphtest.FaultOf(err) != "discount_unavailable" {
			t.Errorf("another store's discount: %v", err)
		}
	})
}
