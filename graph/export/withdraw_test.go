package export

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// withdraw ends jobs and returns how many it ended.
func (b *bench) withdraw(ctx context.Context, ids ...xid.ID) (n int) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		ended, err := Withdraw(ctx, b.store.DB(ctx), ids)
		n = len(ended)
		return err
	}))
	return n
}

// A file that was withdrawn is gone at once, and so are its objects; others stay.
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
		if n := b.withdraw(ctx, id, xid.New()); n != 1 {
			t.Errorf("%d ended, want 1", n)
		}
		if row := b.row(ctx, id); row.Status != state.ExportExpired || *row.ExpiresAt > micros.Now() {
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
			t.Errorf("a download that was open reads %v", err)
		}
		if n := b.withdraw(ctx, id); n != 0 {
			t.Errorf("%d ended again", n)
		}
		b.file(ctx, stays)
	})
}

// Whoever writes a job that was withdrawn loses it, and what they wrote goes.
func TestWithdrawWhileWriting(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 600)
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		r, err := b.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued})
		b.must(err)
		if n := b.withdraw(ctx, id); n != 1 {
			t.Errorf("%d ended, want 1", n)
		}
		b.work(ctx, r)
		row := b.row(ctx, id)
		if row.Status != state.ExportFailed || *row.ErrorCode != "customer_redacted" || row.Slot != nil ||
			row.DueAt < r.job.LeaseUntil || row.Parts != 0 {
			t.Errorf("the job is %v", row)
		}
		told := b.store.DB(ctx).Event.Query().Where(dbevent.ResourceID(id)).OnlyX(ctx)
		if told.Type != event.ExportFailed || !strings.Contains(string(told.Body), `"code":"customer_redacted"`) {
			t.Errorf("the event is %s", told.Body)
		}
		b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetDueAt(0) }) // the lease is over
		b.start(b.Engine)
		for b.row(ctx, id).Stored {
			pause(ctx)
		}
		b.empty(ctx, id)
	})
}

func TestBegun(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		now := micros.Now()
		job := func(status state.ExportStatus, kind state.ExportKind, started micros.Time) xid.ID {
			id := b.ask(ctx, kind, state.ExportCSV, state.ExportPlain)
			b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetStatus(status).SetStartedAt(started) })
			return id
		}
		want := []xid.ID{job(state.ExportCompleted, state.ExportOrders, now-1),
			job(state.ExportRunning, state.ExportCustomers, now-1)}
		job(state.ExportCompleted, state.ExportOrders, now)
		job(state.ExportCompleted, state.ExportProducts, now-1)
		job(state.ExportExpired, state.ExportOrders, now-1)
		b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		other := b.shop()
		b.edit(other, b.ask(other, state.ExportOrders, state.ExportCSV, state.ExportPlain),
			func(u *db.ExportUpdate) { u.SetStatus(state.ExportCompleted).SetStartedAt(1) })
		var got []xid.ID
		for after := xid.Nil; ; {
			rows, err := Begun(ctx, b.store.DB(ctx), after, now, 1, state.ExportOrders, state.ExportCustomers)
			b.must(err)
			if len(rows) == 0 {
				break
			}
			after = rows[0].ID
			got = append(got, after)
		}
		if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
