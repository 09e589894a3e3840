package export

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Changes of the machine's clock do not affect the age of a lease.
func TestLeaseAge(t *testing.T) {
	for _, set := range []time.Duration{-time.Hour, time.Hour} {
		asked := time.Now()
		*(*int64)(unsafe.Pointer(&asked)) -= int64(set.Seconds()) << 30
		r := newRun(t.Context(), &db.Export{}, asked)
		if age := r.held.Age(); age < 0 || age >= terms.Lasts() || r.held.Lost() {
			t.Errorf("the clock was set by %s, and the age is %s, lost %t", set, age, r.held.Lost())
		}
		r.held.End()
	}
}

// A lease that ends while a job is written stops the writing, and leaves the row to the new owner.
func TestLostWhileWriting(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 600)
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		r, err := b.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued})
		b.must(err)
		b.Cancelled(r.store, id)
		before := b.row(ctx, id)
		b.work(ctx, r)
		if row := b.row(ctx, id); row.Failures != 0 || row.Parts != 0 || row.LeaseUntil != before.LeaseUntil ||
			len(b.inWork()) != 0 {
			t.Errorf("%d failures, %d parts, %d in work", row.Failures, row.Parts, len(b.inWork()))
		}
	})
}

// A panic in one job ends only that job's turn: it is retried and given up like after an error.
func TestPanics(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.products(ctx, 20)
		b.customers(ctx, 20)
		b.store.DB(ctx).Customer.Intercept(db.TraverseFunc(func(context.Context, db.Query) error {
			panic("a customer nobody foresaw")
		}))
		reads := b.ask(ctx, state.ExportCustomers, state.ExportCSV, state.ExportPlain)
		calm := b.ask(ctx, state.ExportProducts, state.ExportCSV, state.ExportPlain)
		b.start(b.Engine)
		b.wait(ctx, calm, state.ExportCompleted)
		for b.row(ctx, reads).Failures == 0 && ctx.Err() == nil {
			pause(ctx)
		}
		b.Stop(context.Background())
		row := b.row(ctx, reads)
		if row.Status != state.ExportRunning || row.DueAt < row.ID.Time().Add(firstPause) || b.guard.Panics() != 1 {
			t.Errorf("%s, due %s, %d panics", row.Status, row.DueAt, b.guard.Panics())
		}
		for range maxFailures - 1 {
			b.edit(ctx, reads, func(u *db.ExportUpdate) { u.SetLeaseUntil(0) })
			b.turn(ctx, reads, -1)
		}
		if row := b.row(ctx, reads); row.Status != state.ExportFailed || row.Slot != nil {
			t.Errorf("in the end it is %s", row.Status)
		}
	})
}

// The same holds for a panic while the file is written.
func TestPanicsWriting(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		r, err := b.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued})
		b.must(err)
		b.Blobs = nil
		b.work(ctx, r)
		if row := b.row(ctx, id); row.Failures != 1 || row.Status != state.ExportRunning || b.guard.Panics() == 0 {
			t.Errorf("%d failures, %s, %d panics", row.Failures, row.Status, b.guard.Panics())
		}
	})
}

// Jobs of a stopped engine are available to others at once, from their checkpoints.
func TestStopGivesBack(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.Stop(ctx) // does nothing
		entered := make(chan struct{}, 1)
		b.store.DB(ctx).Customer.Intercept(db.TraverseFunc(func(ctx context.Context, _ db.Query) error {
			entered <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}))
		id := b.ask(ctx, state.ExportCustomers, state.ExportCSV, state.ExportPlain)
		b.start(b.Engine)
		b.Start(ctx) // does nothing
		<-entered
		b.Stop(context.Background())
		if row := b.row(ctx, id); row.LeaseOwner != nil || row.Failures != 0 || row.Status != state.ExportRunning {
			t.Errorf("owner %v, %d failures, %s", row.LeaseOwner, row.Failures, row.Status)
		}
		r, err := b.engine().claim(ctx,
			candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportRunning, token: 1})
		if err != nil || r == nil {
			t.Fatalf("claimed %v, %v", r, err)
		}
		r.held.End()
	})
}

// The clock is set back by an hour: a queued job is written at once, and a job of a process that is
// gone after the length of a lease.
func TestClockPutBack(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		t.Parallel() // it waits
		ctx := b.shop()
		queued := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		leased := b.ask(ctx, state.ExportProducts, state.ExportCSV, state.ExportPlain)
		ahead := micros.Now().Add(time.Hour)
		b.edit(ctx, queued, func(u *db.ExportUpdate) { u.SetDueAt(ahead) })
		b.edit(ctx, leased, func(u *db.ExportUpdate) {
			u.SetStatus(state.ExportRunning).SetSlot(0).SetStartedAt(micros.Now()).
				SetLeaseOwner(xid.New()).SetLeaseToken(1).
				SetLeaseUntil(ahead.Add(terms.Length)).SetDueAt(ahead.Add(terms.Length))
		})
		began := time.Now()
		b.start(b.Engine)
		b.wait(ctx, queued, state.ExportCompleted)
		if took := time.Since(began); took >= terms.Length {
			t.Errorf("the queued job was written after %s", took)
		}
		b.wait(ctx, leased, state.ExportCompleted)
		if took := time.Since(began); took < terms.Length || took > 2*terms.Length {
			t.Errorf("the leased job was written after %s", took)
		}
	})
}
