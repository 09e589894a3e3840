package webhook

import (
	"context"
	"maps"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// TestReadsAhead: the next rows of each queue are read, up to the limit, whether the queue has more
// of them or not, and for both kinds together.
func TestReadsAhead(t *testing.T) {
	const limit, from = 16, 3
	for name, lasts := range map[string][]int64{
		"one": {9}, "one of more": {40}, "all": {4, 18, 3}, "all of more": {19, 40}, "both": {40, 5, 19, 18, 3},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *ent.Store) {
				e, ctx, store := still(t, s)
				var list []schedule.Read
				want := map[schedule.Key][2]int64{}
				for _, last := range lasts {
					k := schedule.Key{Store: store, Endpoint: xid.New()}
					deliver(ctx, t, s, k.Endpoint, last+1) // one was added after the queue's row was read
					list = append(list, schedule.Read{Queue: &schedule.Queue{Key: k}, From: from, Last: last})
					want[k] = [2]int64{from, min(last, from+limit-1)}
				}
				query, args := e.sender.rowsQuery(list, limit)
				found, err := e.sender.items(ctx, query, args)
				if err != nil {
					t.Fatal(err)
				}
				got := map[schedule.Key][2]int64{}
				for k, items := range found {
					span := [2]int64{items[0].Sequence, items[0].Sequence}
					for _, it := range items {
						span = [2]int64{min(span[0], it.Sequence), max(span[1], it.Sequence)}
					}
					if got[k] = span; int64(len(items)) != span[1]-span[0]+1 {
						t.Errorf("%d items from %d to %d", len(items), span[0], span[1])
					}
				}
				if !maps.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		})
	}
}

// deliver creates deliveries for an endpoint up to a sequence.
func deliver(ctx context.Context, t *testing.T, s *ent.Store, endpoint xid.ID, last int64) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) error {
		client := s.DB(ctx).Delivery
		var rows []*db.DeliveryCreate
		for n := range last {
			rows = append(rows, client.Create().SetEndpointID(endpoint).SetSequence(n+1).SetID(xid.New()).
				SetEventID(xid.New()).SetResourceID(xid.New()))
		}
		return client.CreateBulk(rows...).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}
