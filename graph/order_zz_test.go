package graph
import ("testing";"context"; "github.com/storefront-go/storefront/graph/model"; "github.com/storefront-go/storefront/ent/micros")
func TestZZ(t *testing.T) {
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		_, err := r.Query().Products(ctx, nil, nil, nil)
		t.Log(err)
		_, err = r.Query().Products(ctx, nil, nil, &model.ProductFilter{UpdatedFrom: new(micros.Now())})
		t.Log(err)
	})
}
