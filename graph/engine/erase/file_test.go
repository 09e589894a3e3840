package erase_test

import (
	"context"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/deliverylog"
	"github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// exported creates a job that has a file.
func (s *shop) exported(kind state.ExportKind, edit func(*db.ExportCreate)) xid.ID {
	s.t.Helper()
	id := xid.New()
	s.tx(func(ctx context.Context, c *db.Client) error {
		row := c.Export.Create().SetID(id).SetBucket(bucket.Of(s.store)).SetKind(kind).SetFormat(state.ExportCSV).
			SetCompression(state.ExportPlain).SetRequesterType(viewer.System).SetRequesterID(xid.Nil).
			SetRequesterName("operator").SetDueAt(micros.Max).SetUpdatedAt(id.Time()).
			SetStatus(state.ExportCompleted).SetStartedAt(micros.Now()).SetExpiresAt(micros.Max)
		if edit != nil {
			edit(row)
		}
		return row.Exec(ctx)
	})
	return id
}

// Only files that may contain the person are withdrawn, with one notice.
func TestRedactFiles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		none := micros.Now()
		early := w.exported(state.ExportCustomers, nil)
		ada, ben := w.person("Ada"), w.person("Ben")
		before := micros.Now()
		orders := w.orders(ada, 2)
		w.orders(ben, 1)
		from := func(t micros.Time) func(*db.ExportCreate) {
			return func(e *db.ExportCreate) { e.SetCreatedFrom(t) }
		}
		to := func(t micros.Time) func(*db.ExportCreate) {
			return func(e *db.ExportCreate) { e.SetCreatedTo(t) }
		}
		only := func(ids ...xid.ID) func(*db.ExportCreate) {
			return func(e *db.ExportCreate) { e.SetFilterIds(xid.Pack(ids)) }
		}
		jobs := []struct {
			name  string
			id    xid.ID
			holds bool
		}{
			{"customers before them", early, false},
			{"customers", w.exported(state.ExportCustomers, nil), true},
			{"customers since then", w.exported(state.ExportCustomers, from(before)), false},
			{"orders", w.exported(state.ExportOrders, nil), true},
			{"orders before theirs", w.exported(state.ExportOrders, to(before)), false},
			{"orders up to theirs", w.exported(state.ExportOrders, to(orders[0].Time()+1)), true},
			{"orders after theirs", w.exported(state.ExportOrders, from(orders[1].Time()+1)), false},
			{"products", w.exported(state.ExportProducts, nil), false},
			{"orders of another customer", w.exported(state.ExportOrders,
				func(e *db.ExportCreate) { e.SetFilterCustomerID(ben.ID) }), false},
			{"their order by its id", w.exported(state.ExportOrders, only(orders[1], xid.New())), true},
			{"another order by its id", w.exported(state.ExportOrders, only(xid.New())), false},
			{"them by their id", w.exported(state.ExportCustomers, only(ada.ID)), true},
			{"another by their id", w.exported(state.ExportCustomers, only(ben.ID)), false},
			{"what began when all was clean", w.exported(state.ExportOrders,
				func(e *db.ExportCreate) { e.SetStartedAt(none.Add(long)) }), false},
			{"what began before, by a clock ahead", w.exported(state.ExportOrders,
				func(e *db.ExportCreate) { e.SetStartedAt(none.Add(long)).SetRedactions(0) }), true},
			{"what began after, at the same time", w.exported(state.ExportOrders,
				func(e *db.ExportCreate) { e.SetRedactions(1) }), false},
		}
		w.redact(ada)
		w.round()
		held := 0
		for _, job := range jobs {
			row := s.DB(w.ctx).Export.Query().Where(export.ID(job.id)).OnlyX(w.ctx)
			if (row.Status == state.ExportExpired) != job.holds || (row.ErrorCode != nil) != job.holds {
				t.Errorf("%s: %s", job.name, row.Status)
			}
			if job.holds {
				held++
			}
		}
		notices := s.DB(w.ctx).Notification.Query().AllX(w.ctx)
		if len(notices) != 1 || !strings.HasPrefix(notices[0].Title, "6 exports") || held != 6 ||
			strings.Contains(notices[0].Body, "Ada") {
			t.Errorf("notices %v", notices)
		}
	})
}

// Responses to events about the person are erased, and other responses stay.
func TestRedactResponses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := open(t, s)
		ada, ben := w.person("Ada"), w.person("Ben")
		of := append(w.orders(ada, 1), ada.ID, w.orders(ben, 1)[0], ben.ID)
		const far = 5_000 // after a purged gap
		var queues []xid.ID
		for i := range 2 {
			waits := i == 0
			queue := xid.New()
			queues = append(queues, queue)
			w.tx(func(ctx context.Context, c *db.Client) error {
				err := c.WebhookQueue.Create().SetID(queue).SetBucket(bucket.Of(w.store)).SetDueAt(micros.Max).
					Exec(ctx)
				for i, resource := range of {
					for _, sequence := range []int64{int64(i + 1), int64(far + i)} {
						if err == nil {
							err = delivered(ctx, c, queue, sequence, resource, waits && sequence > far)
						}
					}
				}
				return err
			})
		}
		w.redact(ada)
		w.round()
		w.over(ada)
		for _, queue := range queues {
			for _, a := range s.DB(w.ctx).Attempt.Query().AllX(w.ctx) {
				gone := a.Sequence <= 2 || a.Sequence >= far && a.Sequence < far+2
				if gone != (len(a.Response) == 0) {
					t.Errorf("attempt %d has the response %q", a.Sequence, a.Response)
				}
			}
			logs := s.DB(w.ctx).DeliveryLog.Query().Where(deliverylog.EndpointID(queue)).AllX(w.ctx)
			for _, l := range logs {
				if (l.ResourceID == of[0] || l.ResourceID == of[1]) != (len(l.Response) == 0) {
					t.Errorf("delivery %d has the response %q", l.Sequence, l.Response)
				}
			}
			if n := s.DB(w.ctx).Delivery.Query().Where(delivery.EndpointID(queue)).CountX(w.ctx); n+len(logs) != 8 {
				t.Errorf("%d deliveries wait and %d have ended", n, len(logs))
			}
		}
	})
}

// delivered writes a delivery with an attempt that waits, or one that has ended with another
// attempt.
func delivered(ctx context.Context, c *db.Client, queue xid.ID, sequence int64, resource xid.ID, waits bool) error {
	err := c.Attempt.Create().SetEndpointID(queue).SetSequence(sequence).SetNumber(1).SetBeganAt(1).
		SetOutcome("status").SetResponse([]byte("You sent Ada")).Exec(ctx)
	if err != nil {
		return err
	}
	if waits {
		return c.Delivery.Create().SetEndpointID(queue).SetSequence(sequence).SetEventID(xid.New()).
			SetResourceID(resource).SetAttempts(1).Exec(ctx)
	}
	return c.DeliveryLog.Create().SetEndpointID(queue).SetSequence(sequence).SetEventID(xid.New()).
		SetType(event.OrderPaid).SetResourceID(resource).SetState(state.DeliveryDelivered).SetAttempts(2).
		SetSettledAt(1).SetOutcome("delivered").SetResponse([]byte("Thanks, Ada")).Exec(ctx)
}
