package shop_test

import (
	"net/http"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestGuide: llms.txt leads to the products, the collections, the policies and the API, and is cached.
func TestGuide(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		m := s.core.Mutation()
		graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(s.ctx,
			model.CollectionInput{Title: "Sum[mer]", Handle: new("summer"), Sort: state.SortNewest}))
		page := graphtest.Must[*model.PagePayload](t)(m.PageCreate(s.ctx,
			model.PageCreateInput{Title: "Terms", Handle: new("terms"), Body: "Text"})).Page
		graphtest.Must[*model.PagePayload](t)(m.PagePublish(s.ctx, page.PublicID(), page.Version))
		origin := s.core.StoreOrigin(s.handle)
		s.get("/llms.txt").want(t, http.StatusOK, "# ", "("+"<"+origin+"/.well-known/ucp>)", "<"+origin+"/products.md>",
			`[Sum\[mer\]](<`+origin+"/collections/summer.md>)", "[Terms](<"+origin+"/pages/terms.md>)")
		if n := s.statements(func() { s.get("/llms.txt") }); n != 0 {
			t.Errorf("%d statements for a page that is cached", n)
		}
		s.get("/llms.txt.md").want(t, http.StatusNotFound)
	})
}
