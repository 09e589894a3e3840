package catalog_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// SQLite only reports how it reads, not how much: updating the listing index of a product must
// never scan all index rows of the store.
func TestListingIndexPlans(t *testing.T) {
	var seen []ent.Statement
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Inspect: func(st ent.Statement) error {
		seen = append(seen, st)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx, _ := storetest.Merchant(t, s)
	ctx = graphtest.As(ctx, viewer.Owner)
	m := graphtest.NewCore(t, s).Mutation()
	must := graphtest.Must[*model.ProductPayload](t)
	p := must(m.ProductCreate(ctx, model.ProductCreateInput{Title: "Blue mug", PriceMinor: 1, Currency: "EUR"})).Product
	p = must(m.ProductPublish(ctx, p.PublicID(), p.Version)).Product
	seen = nil
	p = must(m.ProductUpdate(ctx, p.PublicID(), p.Version,
		model.ProductUpdateInput{Title: core.Given(new("Red mug"))})).Product
	graphtest.Must[*model.ProductDeletePayload](t)(m.ProductDelete(ctx, p.PublicID(), p.Version))
	n := 0
	for _, st := range seen {
		if !strings.Contains(st.Query, "`search_") && !strings.Contains(st.Query, "`listings`") ||
			strings.HasPrefix(st.Query, "INSERT") {
			continue
		}
		n++
		plan := graphtest.ExplainQuery(t, s, st)
		if !strings.Contains(plan, " AND id=?") && !strings.Contains(plan, "spelling=?") {
			t.Errorf("%s\n%s", st.Query, plan)
		}
	}
	if n < 4 {
		t.Errorf("%d statements use the listing index", n)
	}
}
