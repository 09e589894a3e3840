package shop_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// BenchmarkPage serves a cached page, from the request to the last byte.
func BenchmarkPage(b *testing.B) {
	s := newMall(b, storetest.Unlinted(b)).open()
	s.activate(s.theme("Plain"))
	for i := range 24 {
		s.sell(fmt.Sprintf("Product %d", i))
	}
	r := httptest.NewRequest(http.MethodGet, "http://"+s.handle+".shops.test/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	for b.Loop() {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}
