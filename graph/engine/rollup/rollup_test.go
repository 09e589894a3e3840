package rollup_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/rollup"
)

// noon is the first microsecond of an interval.
var noon = micros.Of(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))

// shop is a store below the core.
type shop struct {
	ctx context.Context
	*ent.Store
	id xid.ID
}

// each runs f on every engine, with the address of an empty database.
func each(t *testing.T, f func(t *testing.T, address string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, storetest.SQLite(t)) })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) { f(t, storetest.MySQL(t)) })
	}
}

// process opens a database like another process.
func process(t *testing.T, c ent.Config) *ent.Store {
	t.Helper()
	s, err := ent.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t *testing.T, s *ent.Store) *shop {
	t.Helper()
	ctx, store := storetest.Merchant(t, s)
	return &shop{ctx, s, store.ID}
}

func (s *shop) tx(t *testing.T, f func(ctx context.Context, c *db.Client) error) {
	t.Helper()
	err := s.InTx(s.ctx, func(ctx context.Context) error { return f(ctx, s.DB(ctx)) })
	if err != nil {
		t.Fatal(err)
	}
}

// sell creates orders at given times, without events.
func (s *shop) sell(t *testing.T, total int64, times ...micros.Time) (ids []xid.ID) {
	t.Helper()
	s.tx(t, func(ctx context.Context, c *db.Client) error {
		n, err := c.Order.Query().Count(ctx)
		var rows []*db.OrderCreate
		for i, at := range times {
			ids = append(ids, xid.At(at))
			rows = append(rows, c.Order.Create().SetID(ids[i]).SetNumber(int64(n+i+1)).SetStatus(state.OrderOpen).
				SetFinancialStatus(state.FinancialPaid).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
				SetCurrency("EUR").SetSubtotalMinor(total).SetDiscountMinor(0).SetShippingMinor(0).SetTaxMinor(0).
				SetTotalMinor(total).SetPaidMinor(0).SetRefundedMinor(0).SetTags(document.NewTags(nil)).
				SetSource("test").SetPlacedAt(at).SetUpdatedAt(at))
		}
		if err == nil {
			err = c.Order.CreateBulk(rows...).Exec(ctx)
		}
		return err
	})
	return ids
}

// relayed marks orders like the relay of their events.
func (s *shop) relayed(t *testing.T, ids ...xid.ID) {
	t.Helper()
	s.tx(t, func(ctx context.Context, _ *db.Client) error {
		var sales []rollup.Sale
		for _, id := range ids {
			sales = append(sales, rollup.Sale{Store: s.id, Order: id})
		}
		return rollup.Mark(ctx, s.Store, sales...)
	})
}

func (s *shop) round(t *testing.T) {
	t.Helper()
	if err := rollup.NewKeeper(s.Store).Round(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// orders returns the number of orders in a span, and how many rows were read for it.
func (s *shop) orders(t *testing.T, from, to micros.Time) (n, read int64) {
	t.Helper()
	sums, read, err := rollup.Sums(s.ctx, s.Store, s.id, []rollup.Span{{From: from, To: to}})
	if err != nil {
		t.Fatal(err)
	}
	return sums[0].Orders, read
}

// rows returns the stored sums.
func (s *shop) rows(t *testing.T) (list []int64) {
	t.Helper()
	rows, err := s.DB(s.ctx).SalesInterval.Query().Order(db.Asc("id")).Load(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		list = append(list, row.Orders)
	}
	return list
}

// Only whole intervals that are up to date are read from their sums; the parts of a span cover all
// of it.
func TestSplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		span := rollup.Span{From: noon + micros.Time(rnd.Int64N(int64(6*rollup.Width)))}
		span.To = span.From + micros.Time(rnd.Int64N(int64(6*rollup.Width)))
		if rnd.IntN(2) == 0 {
			span.From -= span.From % rollup.Width
		}
		if rnd.IntN(2) == 0 {
			span.To -= span.To % rollup.Width
		}
		var live []micros.Time
		for i := range 14 {
			if rnd.IntN(3) == 0 {
				live = append(live, noon+micros.Time(i-1)*rollup.Width)
			}
		}
		at := span.From
		for _, p := range span.Split(live) {
			if p.From != at || p.To <= p.From {
				t.Fatalf("%v with %v: a part of %v", span, live, p)
			}
			at = p.To
			if p.Orders {
				continue
			}
			if p.From%rollup.Width != 0 || p.To%rollup.Width != 0 ||
				slices.ContainsFunc(live, func(begin micros.Time) bool { return begin >= p.From && begin < p.To }) {
				t.Fatalf("%v with %v: sums of %v", span, live, p)
			}
		}
		if at != max(span.From, span.To) {
			t.Fatalf("%v with %v ends at %v", span, live, at)
		}
	}
}

// The walk sums up a store's older orders. Until then, and where intervals are pending, orders are
// read.
func TestRound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop, other := open(t, s), open(t, s)
		var times []micros.Time
		for i := range 2*rollup.Walked + 10 { // three steps
			begin := noon + micros.Time(i)*rollup.Width
			times = append(times, begin, begin+rollup.Width-1)
		}
		ids := shop.sell(t, 7, times...)
		other.sell(t, 7, noon)
		n := int64(len(times))
		end := times[n-1] + 1
		if got, read := shop.orders(t, noon, end); got != n || read != n {
			t.Errorf("%d of %d orders before, of %d rows", got, n, read)
		}
		for range 2 {
			shop.round(t)
			if got, read := shop.orders(t, noon, end); got != n || read != n/2 {
				t.Errorf("%d of %d orders, of %d rows", got, n, read)
			}
		}
		rows := storetest.Reads(t, shop.ctx, s, func(ctx context.Context) {
			if _, _, err := rollup.Sums(ctx, s, shop.id, []rollup.Span{{From: noon, To: end}}); err != nil {
				t.Error(err)
			}
		})
		if rows > n/2+10 { // none where the engine does not report it
			t.Errorf("%d rows were read, of %d intervals", rows, n/2)
		}
		// Partial intervals are read from orders.
		if got, read := shop.orders(t, noon+1, end-1); got != n-2 || read != n/2-2+2 {
			t.Errorf("%d of %d orders, of %d rows", got, n-2, read)
		}
		shop.tx(t, func(ctx context.Context, c *db.Client) error {
			return c.Order.Update().SetStatus(state.OrderCancelled).Exec(ctx)
		})
		shop.relayed(t, ids[:4]...)
		if got, read := shop.orders(t, noon, end); got != n-4 || read != n/2-2+4 {
			t.Errorf("%d orders, want the unmarked ones, of %d rows", got, read)
		}
		if got, _ := other.orders(t, noon, end); got != 1 {
			t.Errorf("another store has %d orders", got)
		}
		shop.relayed(t, ids[:2*(rollup.MaxLive+1)]...)
		if got, read := shop.orders(t, noon, end); got != 0 || read != n {
			t.Errorf("%d orders where too many intervals are pending, of %d rows", got, read)
		}
		shop.relayed(t, ids...)
		shop.round(t)
		if list := shop.rows(t); len(list) != 0 {
			t.Errorf("sums without orders are kept: %v", list)
		}
	})
}

// An interval marked while its orders are being summed up stays pending: these sums are outdated.
func TestSumsAreWrittenAsTheyWereRead(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		shop.round(t)
		ids := shop.sell(t, 7, noon, noon+rollup.Width)
		shop.relayed(t, ids...)
		_, all := storetest.AllStores(t, s)
		err := rollup.NewKeeper(s).SumWith(viewer.Operator(all, shop.id), func() {
			shop.relayed(t, shop.sell(t, 7, noon+1)...)
		})
		if err != nil {
			t.Fatal(err)
		}
		if list := shop.rows(t); !slices.Equal(list, []int64{1}) {
			t.Errorf("%v were written, want the interval that was not marked", list)
		}
		if got, _ := shop.orders(t, noon, noon+2*rollup.Width); got != 3 {
			t.Errorf("%d orders", got)
		}
		// Of two that sum up the same, the slower one writes nothing.
		err = rollup.NewKeeper(s).SumWith(viewer.Operator(all, shop.id), func() {
			shop.round(t)
			shop.relayed(t, shop.sell(t, 7, noon+2)...)
			shop.round(t)
		})
		if list := shop.rows(t); err != nil || !slices.Equal(list, []int64{3, 1}) {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// A walk that is restarted while it runs does restart.
func TestRestartMeetsStep(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		var meanwhile func()
		s := process(t, ent.Config{Database: address, Inspect: func(st ent.Statement) error {
			if f := meanwhile; f != nil && !st.InTx && strings.HasPrefix(st.Query, "SELECT id FROM sales_intervals") {
				meanwhile = nil
				f()
			}
			return nil
		}})
		shop := open(t, s)
		meanwhile = func() { // an order whose event could not be read
			shop.sell(t, 7, noon)
			shop.tx(t, func(ctx context.Context, _ *db.Client) error { return rollup.Restart(ctx, s, shop.id) })
		}
		shop.round(t)
		if meanwhile != nil {
			t.Fatal("there was no step")
		}
		shop.round(t)
		if got, read := shop.orders(t, noon, noon+rollup.Width); got != 1 || read != 1 {
			t.Errorf("%d orders, of %d rows", got, read)
		}
		if list := shop.rows(t); !slices.Equal(list, []int64{1}) {
			t.Errorf("%v are kept", list)
		}
	})
}

// While a previous release may run, which relays events without marking intervals, orders are read,
// until the migration is finalized.
func TestNotFinalized(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		s := process(t, ent.Config{Database: address})
		storetest.LimitFormats(t, s)
		shop := open(t, s)
		shop.sell(t, 7, noon)
		shop.round(t)
		if _, err := rollup.NewKeeper(s).Rebuild(t.Context()); !errors.Is(err, rollup.ErrNotFinalized) {
			t.Errorf("rebuilt: %v", err)
		}
		if n, err := s.DB(shop.ctx).SalesWalk.Query().Count(shop.ctx); err != nil || n != 0 {
			t.Errorf("%d walks, %v", n, err)
		}
		shop.sell(t, 7, noon+1) // its event is relayed by a previous release
		if got, read := shop.orders(t, noon, noon+rollup.Width); got != 2 || read != 2 {
			t.Errorf("%d orders, of %d rows", got, read)
		}
		if err := migrate.Finalize(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		s = process(t, ent.Config{Database: address})
		if n, err := rollup.NewKeeper(s).Rebuild(t.Context()); err != nil || n != 1 {
			t.Errorf("%d sums, %v", n, err)
		}
		if got, read := shop.orders(t, noon, noon+rollup.Width); got != 2 || read != 1 {
			t.Errorf("%d orders, of %d rows", got, read)
		}
	})
}

// Intervals with events in the outbox are read from orders; if an event is gone, or too many wait,
// all are.
func TestWaiting(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		shop := open(t, s)
		shop.sell(t, 7, noon, noon+rollup.Width)
		shop.round(t)
		wait := func(kind event.Type, order xid.ID) {
			t.Helper()
			shop.tx(t, func(ctx context.Context, c *db.Client) error {
				id := xid.New()
				if kind != "" {
					err := c.Event.Create().SetID(id).SetType(kind).SetResourceType("order").SetResourceID(order).
						SetSequence(rand.Int64()).SetBody([]byte("{}")).Exec(ctx)
					if err != nil {
						return err
					}
				}
				return c.Outbox.Create().SetID(id).SetBucket(bucket.Of(shop.id)).Exec(ctx)
			})
		}
		expect := func(what string, n, rows int64) {
			t.Helper()
			if got, read := shop.orders(t, noon, noon+2*rollup.Width); got != n || read != rows {
				t.Errorf("%s: %d orders, want %d, of %d rows, want %d", what, got, n, read, rows)
			}
		}
		late := shop.sell(t, 7, noon+1)[0]
		expect("no event", 2, 2)
		wait(event.OrderPaid, late)
		expect("paid", 2, 2)
		wait(event.OrderCreated, late)
		expect("created", 3, 3)
		shop.sell(t, 7, noon+rollup.Width+1)
		expect("another one", 3, 3)
		wait("", xid.Nil)
		expect("an event that is gone", 4, 4)
	})
}

// A store whose rows cannot be written does not block the others.
func TestOneStoreFails(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		var refused atomic.Bool // rejects writes of the first store
		broken := errors.New("broken")
		s := process(t, ent.Config{Database: address, Inspect: func(st ent.Statement) error {
			if strings.HasPrefix(st.Query, "INSERT INTO sales_pendings") && refused.Swap(false) {
				return broken
			}
			return nil
		}})
		shops := []*shop{open(t, s), open(t, s)}
		for _, shop := range shops {
			shop.sell(t, 7, noon)
		}
		refused.Store(true)
		if err := rollup.NewKeeper(s).Round(t.Context()); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		made := len(shops[0].rows(t)) + len(shops[1].rows(t))
		if shops[0].round(t); made != 1 || len(shops[0].rows(t)) != 1 || len(shops[1].rows(t)) != 1 {
			t.Errorf("%d of the other store were written, then %v and %v", made, shops[0].rows(t), shops[1].rows(t))
		}
	})
}
