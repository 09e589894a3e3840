package erase_test

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

// desk is a shop with export engines.
type desk struct {
	*shop
	blobs *blob.Store
}

// start returns an engine that works until the end of the test.
func (d *desk) start() *export.Engine {
	d.t.Helper()
	e, err := export.New(export.Config{Store: d.s, Blobs: d.blobs, Poll: 5 * time.Millisecond,
		StoreOrigin: func(handle string) string { return "https://" + handle + ".test" }})
	if err != nil {
		d.t.Fatal(err)
	}
	e.Start(d.t.Context())
	d.t.Cleanup(func() { e.Stop(context.Background()) })
	return e
}

// ask starts an export.
func (d *desk) ask(kind state.ExportKind, edit func(*db.ExportCreate)) xid.ID {
	d.t.Helper()
	return d.exported(kind, func(e *db.ExportCreate) {
		e.SetStatus(state.ExportQueued).SetDueAt(micros.Now())
		e.Mutation().ResetStartedAt()
		e.Mutation().ResetExpiresAt()
		if edit != nil {
			edit(e)
		}
	})
}

func (d *desk) job(id xid.ID) *db.Export {
	return d.s.DB(d.ctx).Export.Query().Where(dbexport.ID(id)).OnlyX(d.ctx)
}

// completed waits until exports have completed and checks that each emitted one event.
func (d *desk) completed(ids ...xid.ID) {
	d.t.Helper()
	for _, id := range ids {
		for d.job(id).CompletedAt == nil && d.ctx.Err() == nil {
			<-time.After(2 * time.Millisecond)
		}
		reported := d.s.DB(d.ctx).Event.Query().Where(dbevent.ResourceID(id)).OnlyX(d.ctx)
		if row := d.job(id); row.Status != state.ExportCompleted || reported.Type != event.ExportCompleted ||
			!strings.Contains(string(reported.Body), `"error":null`) {
			d.t.Errorf("%s, and its event is %s", row.Status, reported.Body)
		}
	}
}

// names returns the people whose data the file of an export contains.
func (d *desk) names(e *export.Engine, id xid.ID) (found string) {
	d.t.Helper()
	f, err := e.Open(d.ctx, d.store, id)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, name := range []string{"Ada", "Ben", "Cem", "Dan"} {
		if strings.Contains(string(all), name) {
			found += name
		}
	}
	return found
}

// TestExportsMeetRedactions redacts customers before exports are claimed, while two are written,
// several in a row, and after the end of others.
func TestExportsMeetRedactions(t *testing.T) {
	eachEngine(t, func(t *testing.T, opened func(func(ent.Statement)) *ent.Store) {
		var holds atomic.Bool
		reached, goOn := make(chan struct{}, 2), make(chan struct{})
		s := opened(func(q ent.Statement) {
			if holds.Load() && strings.Contains(q.Query, "FROM order_lines") { // the orders have been read
				reached <- struct{}{}
				<-goOn
			}
		})
		blobs, err := blob.Open(t.Context(), "", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { blobs.Close() })
		d := &desk{shop: open(t, s), blobs: blobs}
		ada, ben, cem, dan := d.person("Ada"), d.person("Ben"), d.person("Cem"), d.person("Dan")
		for _, of := range []*db.Customer{ada, ben, cem, dan} {
			d.orders(of, 1)
		}
		first := d.start()
		ended := d.ask(state.ExportCustomers, nil)
		others := d.ask(state.ExportOrders, func(e *db.ExportCreate) { e.SetFilterCustomerID(dan.ID) })
		d.completed(ended, others)
		holds.Store(true)
		amid := []xid.ID{d.ask(state.ExportOrders, nil),
			d.ask(state.ExportOrders, func(e *db.ExportCreate) { e.SetFormat(state.ExportJSONL) })}
		<-reached
		<-reached
		d.redact(ada)
		d.redact(ben)
		d.round()
		holds.Store(false)
		close(goOn)
		first.Stop(context.Background())
		if row := d.job(ended); row.Status != state.ExportExpired || *row.ErrorCode != "customer_redacted" {
			t.Errorf("the earlier file is %s", row.Status)
		}
		queued := d.ask(state.ExportOrders, nil)
		d.redact(cem)
		d.round()
		if row := d.job(queued); row.Status != state.ExportQueued || row.Version != 1 {
			t.Errorf("the unclaimed export is %v", row)
		}
		for _, id := range amid {
			if row := d.job(id); row.Status != state.ExportRunning || row.Restarts == nil || *row.Restarts != 1 ||
				*row.Redactions != 3 {
				t.Errorf("the running export is %v", row)
			}
		}
		d.tx(func(ctx context.Context, c *db.Client) error { // the first engine's lease expires
			return c.Export.Update().Where(dbexport.IDIn(amid...)).SetLeaseUntil(0).SetDueAt(0).Exec(ctx)
		})
		second := d.start()
		late := d.ask(state.ExportOrders, nil) // right after the last redaction
		d.completed(append(amid, queued, late)...)
		d.tx(func(ctx context.Context, c *db.Client) error { // as if the redactions reached the files only now
			return c.Redaction.Update().SetStep(state.RedactFiles).SetPosition(xid.Nil).SetDueAt(1).Exec(ctx)
		})
		d.round()
		d.completed(append(amid, queued, late, others)...)
		for _, id := range append(amid, queued, late, others) {
			if got := d.names(second, id); got != "Dan" {
				t.Errorf("the file of %v shows %q", id, got)
			}
		}
		if d.job(late).Restarts != nil || d.job(queued).Restarts != nil {
			t.Error("an export with clean rows restarted")
		}
	})
}
