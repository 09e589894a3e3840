package listings_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db/listing"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// TestJudge: the products of a collection are processed in batches of bounded cost. Another process
// continues where one stopped. Once the second pass is done, nothing is read again.
func TestJudge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		plant(t, ctx, s, 450)
		id := xid.New()
		rule := document.CollectionRuleFields{Conditions: []document.CollectionCondition{
			{Field: state.FieldPrice, LeastMinor: new(int64(100))}}}
		err := s.InTx(ctx, func(ctx context.Context) error {
			return s.DB(ctx).Collection.Create().SetID(id).SetTitle("All").SetHandle("all").
				SetSort(state.SortNewest).SetBucket(bucket.Of(viewer.From(ctx).Store)).SetUpdatedAt(id.Time()).
				SetDueAt(id.Time()).SetBehind(xid.Nil).
				SetRule(document.NewCollectionRule(rule)).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		in := func() int {
			n, err := s.DB(ctx).Listing.Query().Where(listing.Shelf(id)).Count(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		read := storetest.Reads(t, ctx, s, func(ctx context.Context) {
			if err := listings.NewKeeper(s).JudgeSteps(ctx, id, 2); err != nil {
				t.Error(err)
			}
		})
		if in() != 400 || read > 1300 {
			t.Errorf("%d are in it after two steps, which read %d rows", in(), read)
		}
		if err := listings.NewKeeper(s).UpdateCollections(t.Context()); err != nil || in() != 450 {
			t.Errorf("%d are in it: %v", in(), err)
		}
		c, err := s.DB(ctx).Collection.Query().Only(ctx)
		if err != nil || !c.Settling || c.DueAt <= micros.Now() || c.DueAt == micros.Max {
			t.Errorf("after the first pass: %v %v", c, err)
		}
	})
}
