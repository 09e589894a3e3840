package catalog_test

import (
	"context"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func named(title string) model.ProductUpdateInput {
	return model.ProductUpdateInput{Title: model.Some(title), PriceMinor: model.Some(int64(100)),
		Currency: model.Some("EUR"), Tags: model.Given([]string{"a"})}
}

// The first call with a reference creates a product, and later ones change it.
func TestProductUpsert(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		upsert := func(s *graphtest.Shop, reference string, in model.ProductUpdateInput) *model.ProductPayload {
			t.Helper()
			return graphtest.Must[*model.ProductPayload](t)(s.Mutation().ProductUpsert(s.Ctx, reference, in))
		}
		made := upsert(p, "erp/1", named("Mug"))
		if made.Object == nil || made.Product.Version != 1 || *made.Product.ExternalReference != "erp/1" {
			t.Errorf("created %v", made.Product)
		}
		changed := upsert(p, "erp/1", model.ProductUpdateInput{Title: model.Some("Cup")})
		if changed.Object != nil || changed.Product.ID != made.Product.ID || changed.Product.Title != "Cup" ||
			changed.Product.PriceMinor != 100 || changed.Product.Version != 2 {
			t.Errorf("changed %v", changed.Product)
		}
		if same := upsert(p, "erp/1", model.ProductUpdateInput{Title: model.Some("Cup")}); same.Product.Version != 2 {
			t.Errorf("an equal product has version %d", same.Product.Version)
		}
		other := p.Other(t)
		if elsewhere := upsert(other, "erp/1", named("Mug")); elsewhere.Object == nil {
			t.Error("another store's product was changed")
		}
		second := upsert(p, "erp/2", named("Mug"))
		for want, err := range map[string]error{
			"#/price_minor required": graphtest.ErrOf(p.Mutation().ProductUpsert(p.Ctx, "erp/3",
				model.ProductUpdateInput{Title: model.Some("x"), Currency: model.Some("EUR")})),
			"#/external_reference too_short": graphtest.ErrOf(p.Mutation().ProductUpsert(p.Ctx, " ", named("x"))),
			"#/external_reference unknown_member": graphtest.ErrOf(p.Mutation().ProductUpsert(p.Ctx, "erp/1",
				model.ProductUpdateInput{ExternalReference: model.Some("erp/9")})),
			"#/external_reference taken": graphtest.ErrOf(p.Mutation().ProductUpdate(p.Ctx,
				second.Product.PublicID(), 1, model.ProductUpdateInput{ExternalReference: model.Some("erp/1")})),
		} {
			if graphtest.FieldOf(err) != want {
				t.Errorf("got %q, want %q", graphtest.FieldOf(err), want)
			}
		}
		in := graphtest.Mug()
		in.ExternalReference = new("erp/1")
		if got := graphtest.FieldOf(graphtest.ErrOf(p.Mutation().ProductCreate(p.Ctx, in))); got !=
			"#/external_reference taken" {
			t.Errorf("a second product with the reference: %q", got)
		}
	})
}

// Of many concurrent calls for a new reference, one creates the product.
func TestProductUpsertAtOnce(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		created, versions := 0, map[int64]bool{}
		for i := range 6 {
			wg.Go(func() {
				in := named("Mug")
				in.PriceMinor = model.Some(int64(100 + i))
				done, err := r.Mutation().ProductUpsert(ctx, "same", in)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if versions[done.Product.Version] = true; done.Object != nil {
					created++
				}
			})
		}
		wg.Wait()
		if created != 1 || len(versions) != 6 {
			t.Errorf("%d created, %d versions", created, len(versions))
		}
	})
}
