package listings_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// Indexing a product again, or removing it, reads only its own rows.
func TestPutReads(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, 400)
		if err := listings.NewKeeper(s).Backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, err := s.DB(ctx).Product.Query().Where(product.Handle("item-200")).Load(ctx)
		if err == nil {
			err = variants.Load(ctx, s.DB(ctx), rows...)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := rows[0]
		p.Title = "Another thing"
		for name, f := range map[string]func(context.Context, listings.Writer) error{
			"put":  func(ctx context.Context, r listings.Writer) error { return r.Put(ctx, true, p) },
			"drop": func(ctx context.Context, r listings.Writer) error { return r.Drop(ctx, p.ID) },
		} {
			read := storetest.Reads(t, ctx, s, func(ctx context.Context) {
				err := s.InTx(ctx, func(ctx context.Context) error {
					return f(ctx, listings.Writer{Client: s.DB(ctx), Engine: s.Dialect()})
				})
				if err != nil {
					t.Error(err)
				}
			})
			if read > 40 {
				t.Errorf("%s reads %d rows", name, read)
			}
		}
	})
}
