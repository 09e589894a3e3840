package core_test

import (
	"context"
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// left counts what changes wrote: rows of the audit log and events.
func left(ctx context.Context, r *graph.Resolver) [2]int {
	c := r.Client(ctx)
	return [2]int{c.Audit.Query().CountX(ctx), c.Event.Query().CountX(ctx)}
}

// The record of a change is written with it or not at all.
func TestCommit(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		record := func() *change.Record {
			return &change.Record{Action: "product.try", Kind: xid.Product, ID: p.ID,
				Of:     graphtest.ProductResource(p, p.Version+1, p.EventSequence+1),
				Events: change.EventsOf([]byte(`{}`), event.ProductUpdated)}
		}
		broken := errors.New("broken")
		for _, tc := range []struct {
			name   string
			change func(context.Context) (*change.Record, error)
			want   [2]int // more rows
		}{
			{name: "nothing changed", change: func(context.Context) (*change.Record, error) { return nil, nil }},
			{name: "an error", change: func(context.Context) (*change.Record, error) { return record(), broken }},
			{name: "an unknown event", change: func(context.Context) (*change.Record, error) {
				bad := record()
				bad.Events[0].Type = "product.eaten"
				return bad, nil
			}},
			{name: "a change", change: func(context.Context) (*change.Record, error) { return record(), nil },
				want: [2]int{1, 1}},
		} {
			before := left(ctx, r)
			err := r.Commit(ctx, xid.Product, tc.change)
			if got := left(ctx, r); got[0]-before[0] != tc.want[0] || got[1]-before[1] != tc.want[1] {
				t.Errorf("%s left %v after %v: %v", tc.name, got, before, err)
			}
			if (err == nil) != (tc.want != [2]int{} || tc.name == "nothing changed") {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
	})
}

// An edit that fails after the row's update rolls it back.
func TestApplyIsOneTransaction(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		p := graphtest.NewProduct(t, ctx, r, graphtest.Mug())
		broken := errors.New("broken")
		v := &change.Versioned[*db.Product, *db.ProductUpdate]{
			Kind: xid.Product, Load: r.ProductRow,
			Head: func(p *db.Product) change.Head {
				return change.Head{Store: p.StoreID, ID: p.ID, Version: &p.Version, Sequence: &p.EventSequence,
					UpdatedAt: &p.UpdatedAt}
			},
			Update: func(ctx context.Context, id xid.ID, version int64) *db.ProductUpdate {
				return r.Client(ctx).Product.Update().Where(product.ID(id), product.Version(version))
			},
			Object: func(*db.Product) []byte { return []byte(`{}`) },
		}
		before := left(ctx, r)
		_, err := core.Change(ctx, r.Core, v, p.PublicID(), 1, "product.try",
			func(_ context.Context, e *change.Edit[*db.Product, *db.ProductUpdate]) error {
				e.Update.SetTitle("Other")
				e.Emit(event.ProductUpdated)
				e.Then = func(context.Context) error { return broken }
				return nil
			})
		now := graphtest.Must[*db.Product](t)(r.ProductRow(ctx, p.ID))
		if !errors.Is(err, broken) || now.Title != p.Title || now.Version != 1 || left(ctx, r) != before {
			t.Errorf("%v, %s version %d, %v rows after %v", err, now.Title, now.Version, left(ctx, r), before)
		}
		for _, expected := range []int64{0, 2} {
			if _, err := core.Change(ctx, r.Core, v, p.PublicID(), expected, "product.try",
				nil); graphtest.FaultOf(err) != "version_mismatch" {
				t.Errorf("expected version %d: %v", expected, err)
			}
		}
	})
}
