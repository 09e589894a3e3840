package export

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// withdraw withdraws jobs for the redaction with a number and returns how many ended.
func (b *bench) withdraw(ctx context.Context, number int64, ids ...xid.ID) (n int) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		c := b.store.DB(ctx)
		err := c.Store.Update().Where(store.ID(viewer.From(ctx).Store)).SetRedactions(number).Exec(ctx)
		if err != nil {
			return err
		}
		ended, err := Withdraw(ctx, c, ids, Redacted{Number: &number})
		n = len(ended)
		return err
	}))
	return n
}

// A withdrawn file is gone at once, and so are its objects; others stay.
func TestWithdraw(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 20)
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		stays := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		b.start(b.Engine)
		b.wait(ctx, id, state.ExportCompleted)
		b.wait(ctx, stays, state.ExportCompleted)
		open, err := b.Open(ctx, viewer.From(ctx).Store, id)
		b.must(err)
		defer open.Close()
		if n := b.withdraw(ctx, 1, id, xid.New()); n != 1 {
			t.Errorf("%d ended, want 1", n)
		}
		row := b.row(ctx, id)
		if row.Status != state.ExportExpired || *row.ExpiresAt > micros.Now() || *row.ErrorMessage != removedMessage {
			t.Errorf("the job is %s until %s", row.Status, row.ExpiresAt)
		}
		if _, err := b.Open(ctx, viewer.From(ctx).Store, id); !errors.Is(err, ErrGone) {
			t.Errorf("opened with %v", err)
		}
		b.Wake()
		for b.row(ctx, id).Stored {
			pause(ctx)
		}
		b.empty(ctx, id)
		if _, err := open.Read(make([]byte, 1)); !errors.Is(err, ErrGone) {
			t.Errorf("an open download reads %v", err)
		}
		if n := b.withdraw(ctx, 2, id); n != 0 {
			t.Errorf("%d ended again", n)
		}
		b.file(ctx, stays)
	})
}

// A running job that a redaction reaches restarts, whether its writer lives or was killed. Its file
// has the rows that the redaction left, and no other objects remain.
func TestRestart(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 1500)
		killed := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		written := b.ask(ctx, state.ExportOrders, state.ExportJSONL, state.ExportGzip)
		calm := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		b.turn(ctx, killed, 1)
		r, err := b.claim(ctx, candidate{key: key{viewer.From(ctx).Store, written}, status: state.ExportQueued})
		b.must(err)
		if n := b.withdraw(ctx, 1, killed, written, calm); n != 0 {
			t.Errorf("%d ended", n)
		}
		b.work(ctx, r)
		for number := range int64(3) { // the same redaction again, and others before the jobs continue
			b.withdraw(ctx, number, killed, written, calm)
		}
		for _, id := range []xid.ID{killed, written} {
			if row := b.row(ctx, id); row.Status != state.ExportRunning || orZero(row.Restarts) != 1 ||
				*row.Redactions != 2 || row.Parts != 0 || row.Position != nil || row.LeaseToken != 2 ||
				row.LeaseOwner != nil {
				t.Errorf("the job is %v", row)
			}
			b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetLeaseUntil(0).SetDueAt(0) })
		}
		b.start(b.Engine)
		for _, id := range []xid.ID{killed, written, calm} {
			row := b.wait(ctx, id, state.ExportCompleted, state.ExportFailed)
			objects := 0
			for range b.blobs.List(ctx, folder(row.StoreID, id)) {
				objects++
			}
			event := b.store.DB(ctx).Event.Query().Where(dbevent.ResourceID(id)).OnlyX(ctx)
			if row.RowsDone < 1500 || objects != row.Parts || event.Type != "export.completed" {
				t.Errorf("%d rows, %d objects for %d parts, %s", row.RowsDone, objects, row.Parts, event.Type)
			}
		}
		if !bytes.Equal(b.file(ctx, killed), b.file(ctx, calm)) {
			t.Error("the file differs from that of an undisturbed job")
		}
		b.file(ctx, written)
	})
}

// A job that redactions reach too often fails and says why.
func TestRestartsEnd(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 20)
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		for i := range int64(maxRestarts + 1) {
			status := b.row(ctx, id).Status
			b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetLeaseUntil(0) })
			r, err := b.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: status, token: 2 * i})
			if err != nil || r == nil {
				t.Fatalf("claimed %v, %v", r, err)
			}
			ended := b.withdraw(ctx, i+1, id)
			r.held.End()
			if (ended == 1) != (i == maxRestarts) {
				t.Fatalf("redaction %d ended %d", i+1, ended)
			}
		}
		row := b.row(ctx, id)
		if row.Status != state.ExportFailed || *row.ErrorCode != "customer_redacted" || row.Slot != nil ||
			row.DueAt < row.LeaseUntil || row.Parts != 0 {
			t.Errorf("the job is %v", row)
		}
		reported := b.store.DB(ctx).Event.Query().Where(dbevent.ResourceID(id)).OnlyX(ctx)
		if reported.Type != event.ExportFailed || !strings.Contains(string(reported.Body), "began again 20 times") {
			t.Errorf("the event is %s", reported.Body)
		}
		b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetDueAt(0) }) // the lease is over
		b.start(b.Engine)
		for b.row(ctx, id).Stored {
			pause(ctx)
		}
		b.empty(ctx, id)
	})
}

// A redaction reaches the jobs that began at a lower count. Jobs of earlier releases, which have no
// count, and uncounted redactions are compared by time.
func TestBegun(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		now := micros.Now()
		var counted, timed []xid.ID // reached by a redaction with a number and by one without
		job := func(status state.ExportStatus, kind state.ExportKind, started micros.Time, count *int64) xid.ID {
			id := b.ask(ctx, kind, state.ExportCSV, state.ExportPlain)
			b.edit(ctx, id, func(u *db.ExportUpdate) {
				u.SetStatus(status).SetStartedAt(started).SetNillableRedactions(count)
			})
			return id
		}
		for _, j := range []struct {
			started        micros.Time
			count          *int64
			counted, timed bool
		}{
			{now - 1, nil, true, true}, {now, nil, false, false}, {now - 1, new(int64(6)), true, true},
			{now, new(int64(6)), true, false}, {now - 1, new(int64(7)), false, true},
			{now, new(int64(7)), false, false},
		} {
			for _, status := range []state.ExportStatus{state.ExportCompleted, state.ExportRunning} {
				id := job(status, state.ExportOrders, j.started, j.count)
				if j.counted {
					counted = append(counted, id)
				}
				if j.timed {
					timed = append(timed, id)
				}
			}
		}
		job(state.ExportCompleted, state.ExportProducts, now-1, nil)
		job(state.ExportExpired, state.ExportOrders, now-1, nil)
		b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		other := b.shop()
		b.edit(other, b.ask(other, state.ExportOrders, state.ExportCSV, state.ExportPlain),
			func(u *db.ExportUpdate) { u.SetStatus(state.ExportCompleted).SetStartedAt(1) })
		for _, r := range []struct {
			Redacted
			want []xid.ID
		}{{Redacted{Number: new(int64(7)), CleanBefore: now}, counted}, {Redacted{CleanBefore: now}, timed}} {
			var got []xid.ID
			for after := xid.Nil; ; {
				rows, err := Begun(ctx, b.store.DB(ctx), after, r.Redacted, 1, state.ExportOrders,
					state.ExportCustomers)
				b.must(err)
				if len(rows) == 0 {
					break
				}
				after = rows[0].ID
				got = append(got, after)
			}
			if !slices.Equal(got, r.want) {
				t.Errorf("number %v: got %v, want %v", r.Number, got, r.want)
			}
		}
	})
}
