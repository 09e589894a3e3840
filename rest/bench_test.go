package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
	"github.com/storefront-go/storefront/rest"
)

// BenchmarkGetOrder reads an order through the whole pipeline, with and without the request log.
func BenchmarkGetOrder(b *testing.B) {
	for name, edit := range map[string]func(*rest.Config){
		"bare":   func(*rest.Config) {},
		"logged": func(c *rest.Config) { c.Requests = requestlog.New(c.Core.Store) },
	} {
		b.Run(name, func(b *testing.B) {
			s, m := sqlite(b, edit)
			m.furnish()
			r := request{As: m.all, Path: "/orders/" + xid.Order.Format(fixed(1))}.build(b, "http://api.test")
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				if s.handler.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

// BenchmarkPoll polls a page of 20 unchanged orders.
func BenchmarkPoll(b *testing.B) {
	run := func(open func(*testing.B) *ent.Store) func(*testing.B) {
		return func(b *testing.B) {
			store := open(b)
			s, m := newServer(b, store), newShop(b, store, shopRow{})
			m.furnish()
			m.moreOrders(20)
			s.post(b, m.all, "1", "/products", draft("Cup")).want(http.StatusCreated, "") // has an event
			r := request{As: m.all, Path: "/orders?limit=20"}.build(b, "http://api.test")
			ask := func(status int) string {
				w := httptest.NewRecorder()
				if s.handler.ServeHTTP(w, r); w.Code != status {
					b.Fatal(w.Code, w.Body)
				}
				return w.Header().Get("ETag")
			}
			r.Header.Set("If-None-Match", ask(http.StatusOK))
			b.ReportAllocs()
			for b.Loop() {
				ask(http.StatusNotModified)
			}
		}
	}
	b.Run("sqlite", run(storetest.Unlinted))
	if storetest.HaveMySQL(b) {
		b.Run("mysql", run(storetest.UnlintedMySQL))
	}
}
