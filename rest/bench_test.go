package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/requestlog"
	"github.com/storefront-go/storefront/rest"
)

// BenchmarkGetOrder is one order through the whole pipeline, without the log of requests
// and with it.
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
