package shop_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestMoved: an address with a former handle redirects to the new one, for every kind of resource,
// until another resource takes the handle.
func TestMoved(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		m := s.core.Mutation()
		mug := s.sell("Mug")
		rename := func(handle string) {
			mug = graphtest.Must[*model.ProductPayload](t)(m.ProductUpdate(s.ctx, mug.PublicID(), mug.Version,
				model.ProductUpdateInput{Handle: model.Some(handle)})).Product
		}
		rename("cup")
		rename("beaker")
		small := model.CollectionInput{Title: "Small", Sort: state.SortNewest}
		list := graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(s.ctx, small)).Collection
		small.Handle = new("tiny")
		graphtest.Must[*model.CollectionPayload](t)(m.CollectionUpdate(s.ctx, list.PublicID(), list.Version, small))
		page := s.publish(model.PageCreateInput{Title: "About", Body: "Us"})
		graphtest.Must[*model.PagePayload](t)(m.PageUpdate(s.ctx, page.PublicID(), page.Version,
			model.PageUpdateInput{Handle: model.Some("story")}))
		s.clock.add(time.Second)
		for from, to := range map[string]string{"/products/mug": "/products/beaker",
			"/products/cup":      "/products/beaker",
			"/collections/small": "/collections/tiny", "/pages/about": "/pages/story"} {
			s.leads(from, to)
		}
		s.get("/products/small").want(t, 404) // a collection's former handle
		s.sell("Other", func(in *model.ProductCreateInput) { in.Handle = new("mug") })
		rename("mug-2")
		s.clock.add(time.Second)
		s.get("/products/mug").want(t, 200, "Other")
		s.leads("/products/cup", "/products/mug-2")
		graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(s.ctx, mug.PublicID(), mug.Version))
		s.clock.add(time.Second)
		s.get("/products/cup").want(t, 404)
	})
}

// leads checks that an address redirects permanently to a page.
func (s *stall) leads(from, to string) {
	s.t.Helper()
	got := s.get(from).want(s.t, http.StatusOK).Request
	if got.URL.Path != to || got.Response == nil || got.Response.StatusCode != http.StatusMovedPermanently {
		s.t.Errorf("%s leads to %s, want %s", from, got.URL.Path, to)
	}
}

// TestFormerHandlesAreBounded: after many renames the newest 20 handles remain.
func TestFormerHandlesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		mug := s.sell("Mug")
		for n := range 25 {
			mug = graphtest.Must[*model.ProductPayload](t)(s.core.Mutation().ProductUpdate(s.ctx, mug.PublicID(),
				mug.Version, model.ProductUpdateInput{Handle: model.Some("mug-" + strings.Repeat("x", n+1))})).Product
		}
		var rows []*db.FormerHandle
		s.write(func(ctx context.Context, c *db.Client) (err error) {
			rows, err = c.FormerHandle.Query().Load(ctx)
			return err
		})
		if len(rows) != 20 {
			t.Errorf("%d former handles", len(rows))
		}
	})
}
