package shop_test

import (
	"fmt"
	"html"
	"regexp"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// linkTo returns the address that a page of a list has for a direction.
func linkTo(t *testing.T, body, rel string) string {
	t.Helper()
	m := regexp.MustCompile(`<a href="([^"]*)" rel="` + rel + `"`).FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// TestProductsPages: links lead through the whole catalog, forward and back, in a theme without a
// template for lists; filtered lists are not indexed.
func TestProductsPages(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		for i := range 30 {
			s.sell(fmt.Sprintf("Item %02d", i), func(in *model.ProductCreateInput) { in.PriceMinor = int64(100 + i) })
		}
		m := s.core.Mutation()
		shirt := graphtest.Must[*model.ProductPayload](t)(m.ProductCreate(s.ctx, graphtest.Shirt())).Product
		graphtest.Must[*model.ProductPayload](t)(m.ProductPublish(s.ctx, shirt.PublicID(), shirt.Version))
		one := s.get("/products").want(t, 200, "<h1>Products</h1>", "Shirt", "Item 29", "!Item 06", `rel="canonical"`)
		next := linkTo(t, one.body, "next")
		two := s.get(next).want(t, 200, "Item 06", "Item 00", "!Item 07", "!rel=\"next\"", "noindex, follow",
			"!canonical")
		s.get(linkTo(t, two.body, "prev")).want(t, 200, "Shirt", "Item 07", "!rel=\"prev\"")
		s.get("/products?sort=price").want(t, 200, "Item 00", "Item 23", "!Item 24")
		s.get("/products?min=1.05&max=1,10").want(t, 200, "Item 05", "Item 10", "!Item 04", "!Item 11")
		s.get("/products?option=COLOUR:white").want(t, 200, "Shirt", "!Item 29")
		s.get("/products?option=Colour:White&option=Size:XL").want(t, 200, "!>Shirt<")
		s.get("/products?after=%00&sort=x&min=a&option=b").want(t, 200, "Shirt")
		s.get("/sitemap-pages.xml").want(t, 200, "/products</loc>")
		s.get("/").want(t, 200, "Item 29")
	})
}

// TestCollectionPages: a collection is a list with its own description, path and order; menus link
// to it, and it disappears when it is deleted.
func TestCollectionPages(t *testing.T) {
	each(t, func(t *testing.T, s *stall) {
		s.sell("Cheap", func(in *model.ProductCreateInput) { in.PriceMinor = 100 })
		s.sell("Sold out", func(in *model.ProductCreateInput) {
			in.PriceMinor, in.InventoryQuantity = 150, new(int64(0))
		})
		s.sell("Dear", func(in *model.ProductCreateInput) { in.PriceMinor = 5000 })
		m := s.core.Mutation()
		shirt := graphtest.Must[*model.ProductPayload](t)(m.ProductCreate(s.ctx, graphtest.Shirt())).Product
		graphtest.Must[*model.ProductPayload](t)(m.ProductPublish(s.ctx, shirt.PublicID(), shirt.Version))
		s.get("/collections/bargains").want(t, 404)
		c := graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(s.ctx, model.CollectionInput{
			Title: "Bargains & more", Handle: new("bargains"), Description: new("All below <10>."),
			Sort: state.SortPriceUp, Rule: &model.CollectionRuleInput{InStock: true,
				Conditions: []*document.CollectionCondition{{Field: state.FieldPrice, MostMinor: new(int64(1000))}}},
		})).Collection
		id := c.PublicID()
		if err := s.core.Listings.UpdateCollections(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.clock.add(time.Second) // states cached before are stale
		s.get("/collections/bargains").want(t, 200, "<h1>Bargains &amp; more</h1>", "Cheap", "!Dear", "!Sold out<",
			"!Colour", `rel="canonical"`, `/collections/bargains"`, `content="All below &lt;10&gt;."`)
		s.get("/collections/bargains?min=2").want(t, 200, "!>Cheap<", "noindex, follow")
		s.get("/collections/bargains?sort=manual").want(t, 200, "Cheap")
		shirts := graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(s.ctx, model.CollectionInput{
			Title: "Shirts", Sort: state.SortManual, ProductIds: []string{shirt.PublicID()}})).Collection
		s.get("/collections/"+shirts.Handle).want(t, 200, "Colour", ">Shirt<")
		s.get("/sitemap-pages.xml").want(t, 200, "/collections/bargains</loc>")
		graphtest.Must[*model.CollectionDeletePayload](t)(m.CollectionDelete(s.ctx, id, c.Version))
		s.clock.add(time.Second)
		s.get("/collections/bargains").want(t, 404)
		s.get("/collections/~"+id).want(t, 404)
	})
}
