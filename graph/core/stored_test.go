package core_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestStoredBytes: a store whose descriptions, notes and events reach the limit is warned before. It is
// refused long writes and no short ones, and has room again once the texts are gone.
func TestStoredBytes(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		const most, long = 1 << 20, 100_000
		r.Limits[limit.StoredBytes] = most
		write := func(n int64) string { return graphtest.FaultOf(r.BodyLeft(ctx, n)) }
		fill := func(n int) {
			text := strings.Repeat("ü", n/2)
			for range 3 {
				graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductCreate(ctx,
					model.ProductCreateInput{Title: "Mug", PriceMinor: 1, Currency: "EUR", Description: &text}))
			}
			r.CountStored(ctx)
		}
		fill(long)
		if got := write(long); got != "" {
			t.Errorf("with room: %q", got)
		}
		warned := func() bool {
			list, err := r.Query().Notifications(ctx, nil, nil)
			return err == nil && len(list.Nodes) == 1 && strings.Contains(list.Nodes[0].Body, "stored_bytes")
		}
		fill(long)
		fill(long)
		if !warned() {
			t.Error("nobody was warned")
		}
		fill(long)
		if long, short := write(long), write(1000); long != "limit_reached" || short != "" {
			t.Errorf("at the limit: a long write %q, a short one %q", long, short)
		}
		if err := r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Store.DB(ctx).Product.Update().ClearDescription().Exec(ctx)
		}); err != nil {
			t.Fatal(err)
		}
		r.CountStored(ctx)
		if got := write(long); got != "" {
			t.Errorf("with room again: %q", got)
		}
	})
}
