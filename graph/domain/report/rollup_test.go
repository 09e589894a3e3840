package report_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
)

// mortal is a database with a process that is killed after some statements.
type mortal struct {
	live, doomed *ent.Store
	left         atomic.Int64
}

var errKilled = errors.New("killed")

// kills runs f in a process that is killed after n statements.
func (m *mortal) kills(t *testing.T, n int, f func(s *ent.Store) error) {
	t.Helper()
	m.left.Store(int64(n))
	if err := f(m.doomed); err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
}

// eachMortal runs f on every engine.
func eachMortal(t *testing.T, f func(t *testing.T, m *mortal)) {
	run := func(t *testing.T, address string) {
		open := func(c ent.Config) *ent.Store {
			c.Database = address
			s := graphtest.Must[*ent.Store](t)(ent.Open(t.Context(), c))
			t.Cleanup(func() { s.Close() })
			return s
		}
		m := &mortal{live: open(ent.Config{})}
		m.doomed = open(ent.Config{Inspect: func(ent.Statement) error {
			if m.left.Add(-1) < 0 {
				return errKilled
			}
			return nil
		}})
		f(t, m)
	}
	t.Run("sqlite", func(t *testing.T) { run(t, storetest.SQLite(t)) })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) { run(t, storetest.MySQL(t)) })
	}
}

// relayer returns an engine that takes events from the outbox.
func relayer(t *testing.T, s *ent.Store) *webhook.Engine {
	t.Helper()
	ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
	return graphtest.Must[*webhook.Engine](t)(webhook.New(webhook.Config{Store: s, Vault: webhook.NewVault(ring),
		Slots: 1, Poll: time.Millisecond}))
}

// relay takes all events from the outbox of a store.
func relay(t *testing.T, ctx context.Context, s *ent.Store) {
	t.Helper()
	e := relayer(t, s)
	e.Start(ctx)
	defer e.Stop(ctx)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for limit := time.After(20 * time.Second); ; {
		if graphtest.Must[int](t)(s.DB(ctx).Outbox.Query().Count(ctx)) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("the outbox does not become empty")
		}
	}
}

// counted computes the report from the orders, one by one.
func counted(t *testing.T, ctx context.Context, s *ent.Store, zone string, now time.Time) []*model.SalesDay {
	t.Helper()
	var days []*model.SalesDay
	list := report.LastDays(now.In(graphtest.Must[*time.Location](t)(time.LoadLocation(zone))), report.MaxReport)
	query := s.DB(ctx).Order.Query().Where(order.StatusNEQ(state.OrderCancelled))
	rows := graphtest.Must[[]*db.Order](t)(query.Load(ctx))
	for _, d := range list {
		day := &model.SalesDay{Date: d.Date()}
		for _, o := range rows {
			if at := o.ID.Time(); at >= d.First() && at < d.End() {
				day.Orders, day.TotalMinor = day.Orders+1, day.TotalMinor+o.TotalMinor
			}
		}
		days = append(days, day)
	}
	return days
}

// seller is a store with random changes.
type seller struct {
	ctx    context.Context
	zone   string
	orders []string
}

var zones = []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham",
	"Pacific/Apia", "Australia/Lord_Howe"}

// place creates an order at a time within the range of reports, or now.
func (s *seller) place(t *testing.T, r *graph.Resolver, rnd *rand.Rand) {
	in := model.OrderCreateInput{Source: "test", Lines: []*model.OrderLineInput{
		graphtest.CustomLine("Mug", 1, rnd.Int64N(1<<[]int{3, 22, 38}[rnd.IntN(3)]))}}
	at := micros.Now().Add(-time.Duration(rnd.Int64N(int64(91 * 24 * time.Hour))))
	switch rnd.IntN(4) {
	case 0: // the first or the last microsecond of a quarter of an hour
		at = at - at%900e6 - micros.Time(rnd.IntN(2))
	case 1: // repeatedly in a few quarters
		at = micros.Now().Add(-time.Duration(1+rnd.IntN(6)) * 20 * time.Minute)
	}
	if rnd.IntN(5) > 0 {
		in.PlacedAt = &at
	}
	made := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(s.ctx, in))
	s.orders = append(s.orders, made.Order.PublicID())
}

// change makes a random change of an order, which its state may forbid.
func (s *seller) change(t *testing.T, r *graph.Resolver, rnd *rand.Rand) {
	if len(s.orders) == 0 {
		return
	}
	o := graphtest.Must[*model.Order](t)(r.Query().Order(s.ctx, s.orders[rnd.IntN(len(s.orders))]))
	steps := []string{"cancel", "cancel", "cancel_refund", "mark_paid", "pay_50", "refund_50", "ship", "complete",
		"tag", "note"}
	_, err := graphtest.Steps[steps[rnd.IntN(len(steps))]](s.ctx, r.Mutation(), o)
	if _, refused := errors.AsType[*fault.Error](err); err != nil && !refused {
		t.Fatal(err)
	}
}

// Whatever happens to orders, and whichever process is killed meanwhile, a report equals one
// computed from the orders: before and after their events are relayed, before and after they are
// summed up, and in any zone.
func TestSalesReportMatchesOrders(t *testing.T) {
	eachMortal(t, func(t *testing.T, m *mortal) {
		r, rnd := graphtest.NewCore(t, m.live), rand.New(rand.NewPCG(17, 4))
		var sellers []*seller
		for range 2 {
			ctx, row := storetest.Merchant(t, m.live)
			sellers = append(sellers, &seller{ctx: graphtest.As(ctx, viewer.Owner), zone: row.Timezone})
		}
		check := func(what string) {
			t.Helper()
			now := time.Now()
			for _, s := range sellers {
				q := report.Query{Resolver: report.New(r.Core, report.Engines{})}
				got, err := q.SalesUntil(s.ctx, now, report.MaxReport)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(counted(t, s.ctx, m.live, s.zone, now), got.Days); d != "" {
					t.Fatalf("%s (-orders +report):\n%s", what, d)
				}
			}
		}
		did := map[string]int{}
		for range 250 {
			var what string
			s := sellers[rnd.IntN(2)]
			switch n := rnd.IntN(20); {
			case n < 7:
				what = "place"
				s.place(t, r, rnd)
			case n < 12:
				what = "change"
				s.change(t, r, rnd)
			case n < 13:
				what, s.zone = "zone", zones[rnd.IntN(len(zones))]
				inZone(t, s.ctx, r, s.zone)
			case n < 15:
				what = "relay"
				relay(t, s.ctx, m.live)
			case n < 16:
				what = "rebuild and die"
				m.kills(t, rnd.IntN(40), func(s *ent.Store) error {
					_, err := rollup.NewKeeper(s).Rebuild(t.Context())
					return err
				})
			case n < 18:
				what = "sum up and die"
				m.kills(t, rnd.IntN(40), func(s *ent.Store) error { return rollup.NewKeeper(s).Round(t.Context()) })
			default:
				what = "sum up"
				if err := rollup.NewKeeper(m.live).Round(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			did[what]++
			check(what)
		}
		if len(did) != 7 {
			t.Errorf("not all happened: %v", did)
		}

		// Finally only the sums are read, so an error in them shows in the report.
		for _, s := range sellers {
			relay(t, s.ctx, m.live)
		}
		if err := rollup.NewKeeper(m.live).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		check("the end")
		s := sellers[0]
		reported := func() (orders int64) {
			list := graphtest.Must[*model.SalesReport](t)(r.Query().SalesReport(s.ctx, report.MaxReport))
			for _, d := range list.Days {
				orders += d.Orders
			}
			return orders
		}
		was, rows := reported(), 0
		err := m.live.InTx(s.ctx, func(ctx context.Context) (err error) {
			rows, err = m.live.DB(ctx).SalesInterval.Update().AddOrders(1000).Save(ctx)
			return err
		})
		if err != nil || rows == 0 {
			t.Fatalf("%d sums, %v", rows, err)
		}
		if got := reported() - was; got < int64(rows)*900 {
			t.Errorf("%d sums are wrong by 1000, and the report by %d", rows, got)
		}
		graphtest.Must[int](t)(rollup.NewKeeper(m.live).Rebuild(t.Context()))
		check("rebuilt")
	})
}

// With many writers, and several processes that relay and sum up, every report has what was
// committed before it began: no event is skipped, in whatever order transactions commit.
func TestSalesReportMissesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		r, ctx := graphtest.NewCore(t, s), graphtest.As(ctx, viewer.Owner)
		if err := rollup.NewKeeper(s).Round(t.Context()); err != nil { // the walk over an empty store
			t.Fatal(err)
		}
		var begun, made, cancelling, cancelled atomic.Int64
		var writers, others sync.WaitGroup
		done := make(chan struct{})
		base := micros.Now().Add(-48 * time.Hour)
		for i := range 4 {
			writers.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(i), 4))
				for range 40 {
					at := base.Add(time.Duration(rnd.IntN(6)) * 10 * time.Minute)
					begun.Add(1)
					p, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test", PlacedAt: &at,
						Lines: []*model.OrderLineInput{graphtest.CustomLine("Mug", 1, 1)}})
					if err != nil {
						t.Error(err)
						return
					}
					made.Add(1)
					if rnd.IntN(3) > 0 {
						continue
					}
					cancelling.Add(1)
					if _, err := graphtest.Steps["cancel"](ctx, r.Mutation(), p.Order); err != nil {
						t.Error(err)
					}
					cancelled.Add(1)
				}
			})
		}
		until := func(f func() error) {
			others.Go(func() {
				for {
					if err := f(); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		for range 2 {
			e := relayer(t, s)
			e.Start(ctx)
			t.Cleanup(func() { e.Stop(ctx) })
			until(func() error { return rollup.NewKeeper(s).Round(t.Context()) })
		}
		read := func() (orders int64, err error) {
			list, err := r.Query().SalesReport(ctx, 4)
			if err == nil {
				for _, d := range list.Days {
					orders += d.Orders
				}
			}
			return orders, err
		}
		until(func() error {
			low, off := made.Load(), cancelled.Load()
			got, err := read()
			if least, most := low-cancelling.Load(), begun.Load()-off; err == nil && (got < least || got > most) {
				t.Errorf("%d orders, want %d to %d", got, least, most)
			}
			return err
		})
		writers.Wait()
		close(done)
		others.Wait()
		relay(t, ctx, s)
		for range 2 {
			if got, err := read(); err != nil || got != made.Load()-cancelled.Load() {
				t.Errorf("%d orders, %v, want %d", got, err, made.Load()-cancelled.Load())
			}
			if err := rollup.NewKeeper(s).Round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		sums := graphtest.Must[[]*db.SalesInterval](t)(s.DB(ctx).SalesInterval.Query().Load(ctx))
		var summed int64
		for _, row := range sums {
			summed += row.Orders
		}
		if summed != made.Load()-cancelled.Load() {
			t.Errorf("%d orders are summed up", summed)
		}
	})
}
