package location_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// shop is a store with locations, whose default one is home.
type shop struct {
	*graphtest.Shop
	home string
}

func each(t *testing.T, f func(t *testing.T, p *shop)) {
	t.Helper()
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		f(t, &shop{p, xid.Location.Format(p.Model.ID)})
	})
}

// add adds a location.
func (p *shop) add(t testing.TB, name string, online bool) string {
	t.Helper()
	in := model.LocationCreateInput{Name: name, SellsOnline: online}
	return graphtest.Must[*model.LocationPayload](t)(p.Mutation().LocationCreate(p.Ctx, in)).Location.PublicID()
}

// get reads a location.
func (p *shop) get(t testing.TB, id string) *model.Location {
	t.Helper()
	return graphtest.Must[*model.Location](t)(p.Query().Location(p.Ctx, id))
}

// names returns the names of the locations as they are listed.
func (p *shop) names(t testing.TB) string {
	t.Helper()
	list := graphtest.Must[*model.LocationConnection](t)(p.Query().Locations(p.Ctx, nil, nil))
	var names []string
	for _, l := range list.Nodes {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}

// A store has a default location before it has any row. It can be renamed, but neither closed nor taken out
// of the shop.
func TestDefaultLocation(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		n := graphtest.Must[int](t)(p.Client(p.Ctx).Location.Query().Count(p.Ctx))
		if got := p.names(t); got != "Corner shop" || n != 0 {
			t.Errorf("%d rows, listed %q", n, got)
		}
		if l := p.get(t, p.home); !l.IsDefault() || !l.SellsOnline || l.Version != 1 || l.Position != 1 {
			t.Errorf("default %+v", l.Location)
		}
		address := &model.AddressInput{Line1: "1 Quay", City: "Cork", Country: "ie"}
		l := graphtest.Must[*model.LocationPayload](t)(m.LocationUpdate(p.Ctx, p.home, 1,
			model.LocationUpdateInput{Name: model.Some("Warehouse"), Address: model.Some(*address)})).Location
		if l.Name != "Warehouse" || l.Version != 2 || !strings.Contains(string(l.Address), `"country":"IE"`) {
			t.Errorf("changed %+v", l.Location)
		}
		if got := p.get(t, p.home); got.Name != "Warehouse" || got.Version != 2 {
			t.Errorf("read %+v", got.Location)
		}
		for name, err := range map[string]error{
			"close": graphtest.ErrOf(m.LocationClose(p.Ctx, p.home, 2)),
			"offline": graphtest.ErrOf(m.LocationUpdate(p.Ctx, p.home, 2,
				model.LocationUpdateInput{SellsOnline: model.Some(false)})),
		} {
			if graphtest.FaultOf(err) != "invalid_transition" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if s := graphtest.Must[int](t)(p.Client(p.Ctx).Location.Query().Count(p.Ctx)); s != 1 {
			t.Errorf("%d rows", s)
		}
		if got := p.Audited(t); !strings.HasSuffix(got, "location.update") {
			t.Errorf("audited %q", got)
		}
	})
}

func TestLocations(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		a, b := p.add(t, "A", true), p.add(t, "B", false)
		if got := p.names(t); got != "B, A, Corner shop" {
			t.Errorf("listed %q", got)
		}
		one := graphtest.Must[*model.LocationConnection](t)(p.Query().Locations(p.Ctx, new(1), nil))
		next := graphtest.Must[*model.LocationConnection](t)(p.Query().Locations(p.Ctx, new(5), &one.Next))
		if len(one.Nodes) != 1 || len(next.Nodes) != 2 || next.Nodes[0].Name != "A" {
			t.Errorf("pages of %d and %d", len(one.Nodes), len(next.Nodes))
		}
		sorted := graphtest.Must[*model.LocationReorderPayload](t)(
			m.LocationReorder(p.Ctx, []string{b, p.home, a})).Locations
		if sorted[0].Name != "B" || p.get(t, b).Position != 1 || p.get(t, p.home).Position != 2 ||
			p.get(t, a).Position != 3 {
			t.Errorf("sorted %v", sorted)
		}
		for want, ids := range map[string][]string{
			"#/ids/1 unknown_value": {a, a, p.home}, "#/ids too_short": {a, b},
			"#/ids/0 unknown_value": {"loc_1", b, p.home},
		} {
			if got := graphtest.FieldOf(graphtest.ErrOf(m.LocationReorder(p.Ctx, ids))); got != want {
				t.Errorf("%v: %q, want %q", ids, got, want)
			}
		}
		for want, in := range map[string]model.LocationCreateInput{
			"#/name too_short": {Name: " "}, "#/name too_long": {Name: strings.Repeat("x", limit.Line+1)},
			"#/address/country invalid_format": {Name: "x", Address: &model.AddressInput{Line1: "1", City: "C",
				Country: "ireland"}},
		} {
			if got := graphtest.FieldOf(graphtest.ErrOf(m.LocationCreate(p.Ctx, in))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		closed := graphtest.Must[*model.LocationPayload](t)(m.LocationClose(p.Ctx, a, p.get(t, a).Version)).Location
		if closed.ClosedAt == nil {
			t.Error("not closed")
		}
		if err := graphtest.ErrOf(m.LocationClose(p.Ctx, a, closed.Version)); graphtest.FaultOf(err) !=
			"invalid_transition" {
			t.Errorf("closed twice: %v", err)
		}
		if err := graphtest.ErrOf(m.LocationReorder(p.Ctx, []string{p.home, b})); err != nil {
			t.Errorf("without the closed one: %v", err)
		}
		other := p.Other(t)
		for _, err := range []error{
			graphtest.ErrOf(other.Query().Location(other.Ctx, b)),
			graphtest.ErrOf(other.Mutation().LocationUpdate(other.Ctx, b, 1, model.LocationUpdateInput{})),
			graphtest.ErrOf(other.Mutation().LocationClose(other.Ctx, b, 1)),
			graphtest.ErrOf(other.Query().Location(other.Ctx, p.home)),
		} {
			if graphtest.FaultOf(err) != "not_found" {
				t.Errorf("another store: %v", err)
			}
		}
	})
}
