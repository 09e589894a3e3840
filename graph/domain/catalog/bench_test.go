package catalog_test

import (
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// BenchmarkProductCreate creates products, each with its own title and stock.
func BenchmarkProductCreate(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r, ctx := graphtest.NewCore(b, s), graphtest.As(ctx, viewer.Owner)
		n := 0
		for b.Loop() {
			n++
			in := graphtest.Mug()
			in.Title, in.Sku, in.Handle = fmt.Sprintf("Enamel mug number %d", n), new(fmt.Sprintf("MUG-%d", n)), nil
			if _, err := r.Mutation().ProductCreate(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}
