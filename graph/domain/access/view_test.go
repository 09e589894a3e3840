package access_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Saved views are a person's own in each store, and bounded.
func TestSavedViews(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		r := p.Mutation()
		_, ctx := p.Member(t, viewer.Support)
		view := func(list, name, query string) *document.View {
			return &document.View{List: list, Name: name, Query: query}
		}
		open, old := view("orders", "Open", "status=OPEN"), view("products", "Open", "q=x")
		mugs := view("products", "Mugs", "q=mug")
		graphtest.Must[*model.SavedViewsPayload](t)(r.SavedViewsSave(ctx, []*document.View{open, old}))
		newer := view("products", "Open", "q=y")
		got := graphtest.Must[*model.SavedViewsPayload](t)(r.SavedViewsSave(ctx, []*document.View{mugs, newer})).Views
		if d := cmp.Diff([]*document.View{open, newer, mugs}, got); d != "" {
			t.Errorf("saved (-want +got):\n%s", d)
		}
		graphtest.Must[*model.SavedViewsPayload](t)(r.SavedViewDelete(ctx, "products", "Open"))
		graphtest.Must[*model.SavedViewsPayload](t)(r.SavedViewDelete(ctx, "products", "Open"))
		account := graphtest.Must[*model.Account](t)(p.Query().Account(ctx))
		fields := access.AccountFields{Resolver: access.New(p.Core, access.Engines{}, nil, nil)}
		got = graphtest.Must[[]*document.View](t)(fields.SavedViews(ctx, account))
		if d := cmp.Diff([]*document.View{open, mugs}, got); d != "" {
			t.Errorf("of the account (-want +got):\n%s", d)
		}
		many := make([]*document.View, limit.Views)
		for i := range many {
			many[i] = view("orders", "View "+strconv.Itoa(i), "tag="+strconv.Itoa(i))
		}
		owner := p.As(p.Owner.ID, viewer.Owner)
		graphtest.Must[*model.SavedViewsPayload](t)(r.SavedViewsSave(owner, many))
		for want, in := range map[string][]*document.View{"#/views/0/name too_short": {view("orders", "", "x=y")},
			"#/views/0/list invalid_format": {view("Orders/", "a", "x=y")},
			"#/views too_long":              slices.Concat(many, many)} {
			if _, err := r.SavedViewsSave(owner, in); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if _, err := r.SavedViewsSave(owner, []*document.View{open}); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("one more: %v", err)
		}
	})
}
