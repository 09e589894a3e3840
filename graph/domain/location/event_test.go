package location_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// reported writes the events of changed stock, and returns the stock that each has, like [shop.stock].
func (p *shop) reported(t testing.TB) string {
	t.Helper()
	known := graphtest.Must[int](t)(p.Client(p.Ctx).Event.Query().Count(p.Ctx))
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		_, err := p.Client(ctx).ExecContext(ctx, "UPDATE inventory_marks SET due_at = 0 WHERE store_id = ?",
			viewer.From(ctx).Store)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	graphtest.Must[int](t)(p.ReportStock(t.Context()))
	rows := graphtest.Must[[]*db.Event](t)(p.Client(p.Ctx).Event.Query().Order(db.Asc("id")).All(p.Ctx))
	var list []string
	for _, e := range rows[known:] {
		var body struct {
			Data struct {
				Object struct {
					Quantity  int64
					Locations []struct {
						ID       string `json:"location_id"`
						Quantity int64
					}
				}
			}
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, l := range body.Data.Object.Locations {
			parts = append(parts, fmt.Sprintf("%s %d", p.get(t, l.ID).Name, l.Quantity))
		}
		list = append(list, fmt.Sprintf("%d [%s]", body.Data.Object.Quantity, strings.Join(parts, ", ")))
	}
	return strings.Join(list, "; ")
}

// inventory.changed has the stock by location. It also reports units that moved while the sum stays.
func TestEventsByLocation(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		key := graphtest.AsKey(p.Ctx, scope.InventoryWrite)
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(
			graphtest.AsKey(p.Ctx, scope.WebhooksWrite, scope.InventoryRead), graphtest.Receiver("inventory.changed")))
		mug, id := p.stocked(t)
		step := func(want string, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			if got := p.reported(t); got != want {
				t.Errorf("reported %q, want %q", got, want)
			}
		}
		step("8 [Corner shop 8]", p.adjust(key, &model.InventoryLineInput{VariantID: id, Delta: new(int64(1))}))
		a, b := p.add(t, "A", true), p.add(t, "Back room", false)
		step("8 [Corner shop 5, A 3]", p.move(key, p.home, a, id, 3))
		step("8 [Corner shop 5, A 3, Back room 9]", p.adjust(key, &model.InventoryLineInput{VariantID: id,
			Location: &b, Set: new(int64(9))}))
		step("", p.adjust(key, &model.InventoryLineInput{VariantID: id, Set: new(int64(5))}))
		o := p.order(t, mug, 2)
		step("6 [Corner shop 3, A 3, Back room 9]", nil)
		step("6 [Corner shop 5, A 1, Back room 9]", graphtest.ErrOf(p.Mutation().OrderFulfill(p.Ctx, o.PublicID(),
			o.Version, model.FulfillInput{Location: &a})))
	})
}
