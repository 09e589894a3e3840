package requestlog_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
)

// key returns a key of a store.
func key(store xid.ID) *viewer.Viewer {
	return &viewer.Viewer{Kind: viewer.APIKey, Store: store, Actor: xid.New()}
}

// came counts the requests of all tests.
var came atomic.Int64

// entry returns a request at the current time, after all earlier ones.
func entry(status int) *requestlog.Entry {
	at := micros.Now().Add(time.Duration(came.Add(1)) * time.Microsecond)
	return &requestlog.Entry{ID: xid.At(at), Method: "GET", Route: "/api/public/v1/orders", Status: status,
		Took: time.Millisecond}
}

// Each minute of a flood is cut off, errors and successes separately.
func TestFloodOfOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, k := requestlog.New(nil), key(xid.New())
		var omitted int64
		for range 3 {
			for range 5000 {
				l.Add(k, entry(200))
				l.Add(k, entry(429))
			}
			refused, answered := l.Waiting()
			if refused != requestlog.OfSubject[0] || answered != requestlog.OfSubject[1] {
				t.Errorf("%d refused and %d answered requests are kept", refused, answered)
			}
			time.Sleep(time.Second)
			omitted += l.Drop()
			l.Add(k, entry(200))
			if refused, answered = l.Waiting(); refused+answered != 0 {
				t.Errorf("%d more in the same minute", refused+answered)
			}
			time.Sleep(time.Minute)
			omitted += l.Drop()
		}
		if want := int64(3 * (10_001 - requestlog.OfSubject[0] - requestlog.OfSubject[1])); omitted != want {
			t.Errorf("%d left out, want %d", omitted, want)
		}
	})
}

// Many keys are bounded by their store, and many stores by the room of the process, half of which
// is reserved for errors. The windows are bounded as well.
func TestFloodOfMany(t *testing.T) {
	l, store := requestlog.New(nil), xid.New()
	for range 200 {
		k := key(store)
		for range 30 {
			l.Add(k, entry(200))
			l.Add(k, entry(404))
		}
	}
	if refused, answered := l.Waiting(); refused != requestlog.OfStore[0] || answered != requestlog.OfStore[1] {
		t.Errorf("%d refused and %d answered requests of the store are kept", refused, answered)
	}
	l = requestlog.New(nil)
	for _, status := range []int{200, 500} {
		for range requestlog.MaxWindows {
			l.Add(key(xid.New()), entry(status))
		}
	}
	refused, answered := l.Waiting()
	if answered != requestlog.RoomForSuccesses || refused != 0 || l.Windows() != requestlog.MaxWindows {
		t.Errorf("%d refused and %d answered requests, %d windows", refused, answered, l.Windows())
	}
	l = requestlog.New(nil)
	for _, status := range []int{200, 500} {
		for range requestlog.Room {
			l.Add(key(xid.New()), entry(status))
		}
	}
	if refused, answered = l.Waiting(); refused+answered != requestlog.Room ||
		answered != requestlog.RoomForSuccesses {
		t.Errorf("%d refused and %d answered requests, want half of each", refused, answered)
	}
}

// The common case allocates nothing.
func TestAddAllocatesNothing(t *testing.T) {
	l, k, e := requestlog.New(nil), key(xid.New()), entry(200)
	if n := testing.AllocsPerRun(1000, func() { l.Add(k, e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// seen lists the requests of a store as texts, oldest first.
func seen(t *testing.T, s *ent.Store, store xid.ID) (list []string) {
	t.Helper()
	rows, err := s.DB(t.Context()).RequestLog.Query().Order(db.Asc("id")).Load(viewer.Operator(t.Context(), store))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		parts := []string{r.Method, r.Route}
		for _, more := range []*string{r.Resource, r.Code} {
			if more != nil {
				parts = append(parts, *more)
			}
		}
		if r.CallerStoreID != nil {
			parts = append(parts, "in", xid.Store.Format(*r.CallerStoreID))
		}
		if r.Omitted > 0 {
			parts = append(parts, "and more")
		}
		list = append(list, strings.Join(parts, " "))
	}
	return list
}

// A request is logged in its store, and a request of an app also in the store that registered it.
func TestWrite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		mine, theirs, other := xid.New(), xid.New(), xid.New()
		l, order := requestlog.New(s), xid.New()
		app := &viewer.Viewer{Kind: viewer.OAuthApp, Store: mine, Actor: xid.New(), AppStore: theirs}
		own := &viewer.Viewer{Kind: viewer.OAuthApp, Store: theirs, Actor: app.Actor, AppStore: theirs}
		k := key(mine)
		one := entry(200)
		one.Route, one.Kind, one.Resource = "/api/public/v1/orders/{id}", xid.Order, order
		l.Add(k, one)
		two := entry(403)
		two.Code, two.Method = "insufficient_scope", strings.Repeat("X", 9000)
		l.Add(app, two)
		l.Add(own, entry(200))
		l.Add(&viewer.Viewer{Kind: viewer.Staff, Store: other, Actor: xid.New()}, entry(200))
		for range 100 {
			l.Add(k, entry(200))
		}
		for range 2 { // rows written twice are stored once
			if err := l.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.Add(k, one)
		}
		id := xid.Order.Format(order)
		got := seen(t, s, mine)
		if len(got) != requestlog.OfSubject[1]+1 || got[0] != "GET /api/public/v1/orders/{id} "+id ||
			got[1] != "OTHER /api/public/v1/orders insufficient_scope" || !strings.HasSuffix(got[len(got)-1], " and more") {
			t.Errorf("%d rows: %q", len(got), got)
		}
		want := []string{"OTHER /api/public/v1/orders insufficient_scope in " + xid.Store.Format(mine),
			"GET /api/public/v1/orders"}
		if d := cmp.Diff(want, seen(t, s, theirs)); d != "" {
			t.Error(d)
		}
		if got := seen(t, s, other); len(got) > 0 {
			t.Errorf("staff: %q", got)
		}
	})
}

// Rows that the database refuses are dropped and counted.
func TestWriteFails(t *testing.T) {
	s := storetest.Open(t)
	l, reg := requestlog.New(s), prometheus.NewRegistry()
	if err := l.Register(reg); err != nil {
		t.Fatal(err)
	}
	l.Add(key(xid.New()), entry(200))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Round(gone); err == nil {
		t.Error("no error")
	}
	l.Add(key(xid.New()), entry(200))
	if err := l.Round(t.Context()); err != nil {
		t.Error(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			parts := []string{f.GetName()}
			for _, label := range m.GetLabel() {
				parts = append(parts, label.GetValue())
			}
			got[strings.Join(parts, " ")] = m.GetCounter().GetValue()
		}
	}
	want := map[string]float64{"storefront_request_log_written_total": 1,
		"storefront_request_log_dropped_total failed":  1,
		"storefront_request_log_dropped_total full":    0,
		"storefront_request_log_dropped_total sampled": 0}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Only requests older than 72 hours are deleted, of all stores.
func TestPurge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		other, _ := storetest.Merchant(t, s)
		old := micros.Now().Add(-requestlog.Kept)
		l := requestlog.New(s)
		const gone = 4 * 25
		for i := range gone {
			e := entry(404)
			e.ID = xid.At(old.Add(-time.Duration(i) * time.Minute))
			l.Add(key(viewer.From([]context.Context{ctx, ctx, ctx, other}[i%4]).Store), e)
		}
		young := entry(200)
		young.ID = xid.At(old.Add(time.Minute))
		l.Add(key(viewer.From(other).Store), young)
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{gone, 0} {
			if n, err := requestlog.Purge(t.Context(), s); n != want || err != nil {
				t.Errorf("purged %d, want %d: %v", n, want, err)
			}
		}
		if got := seen(t, s, viewer.From(other).Store); len(got) != 1 {
			t.Errorf("left: %q", got)
		}
	})
}

// BenchmarkAdd measures the cost for a request, with concurrent ones.
func BenchmarkAdd(b *testing.B) {
	l, k, e := requestlog.New(nil), key(xid.New()), entry(200)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.Add(k, e)
		}
	})
}
