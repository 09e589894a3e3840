package sales_test

import (
	"fmt"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// BenchmarkOrderCreate creates orders of two lines for a customer with an address.
func BenchmarkOrderCreate(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r, ctx := graphtest.NewCore(b, s), graphtest.As(ctx, viewer.Owner)
		c := graphtest.NewCustomer(b, ctx, r, graphtest.Ada())
		home := &model.AddressInput{Name: new("Ada King"), Line1: "Square 12", City: "London", Country: "GB"}
		n := 0
		for b.Loop() {
			n++
			lines := []*model.OrderLineInput{graphtest.CustomLine("Mug", 1, 500), graphtest.CustomLine("Cup", 2, 700)}
			lines[0].Sku, lines[1].Sku = new(fmt.Sprintf("MUG-%d", n%500)), new(fmt.Sprintf("CUP-%d", n%300))
			in := model.OrderCreateInput{Source: "test", CustomerID: new(c.PublicID()), Lines: lines,
				Email: new(fmt.Sprintf("ada%d@example.com", n)), ShippingAddress: home}
			if _, err := r.Mutation().OrderCreate(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}
