package export

import (
	"encoding/json"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// TestEvents: the end of a job emits one event, export.completed or export.failed, with the job in
// its final state.
func TestEvents(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 30)
		good, bad := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain),
			b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		b.turn(ctx, good, -1)
		b.edit(ctx, bad, func(u *db.ExportUpdate) { u.SetFailures(maxFailures - 1) })
		b.blobs.Close()
		b.turn(ctx, bad, -1)
		for _, tc := range []struct {
			id     xid.ID
			kind   event.Type
			status string
		}{{good, event.ExportCompleted, "completed"}, {bad, event.ExportFailed, "failed"}} {
			rows, err := b.store.DB(ctx).Event.Query().Where(dbevent.ResourceID(tc.id)).All(ctx)
			b.must(err)
			if len(rows) != 1 || rows[0].Type != tc.kind || rows[0].Sequence != 1 {
				t.Fatalf("%s: %+v", tc.kind, rows)
			}
			var body struct {
				Resource struct{ Version int64 }
				Data     struct {
					Object map[string]any
				}
			}
			b.must(json.Unmarshal(rows[0].Body, &body))
			o := body.Data.Object
			if o["status"] != tc.status || o["completed_at"] == nil ||
				(o["error"] == nil) != (tc.status == "completed") ||
				body.Resource.Version != b.row(ctx, tc.id).Version {
				t.Errorf("%s", rows[0].Body)
			}
			if _, ok := o["download_url"]; ok {
				t.Error("an event holds a link")
			}
		}
	})
}
