package baseline_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
)

// What an event costs is the difference of two handlers, so that must be the
// event and its place in the outbox alone.
func TestSilentWritesNoEvent(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		tables := []string{"events", "outbox", "products", "audit_log", "idempotency_keys"}
		rows := func() (list [5]int) {
			for i, table := range tables {
				if err := b.store.Raw().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).
					Scan(&list[i]); err != nil {
					t.Fatal(err)
				}
			}
			return list
		}
		for _, tc := range []struct {
			path string
			want [5]int
		}{{baseline.Root + "/products", [5]int{1, 1, 1, 1, 1}}, {baseline.Silent, [5]int{0, 0, 1, 1, 1}}} {
			before := rows()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, tc.path,
				strings.NewReader(`{"title":"Mug of `+tc.path+`","price_minor":1250,"currency":"EUR","sku":"M`+
					tc.path+`"}`))
			r.Header.Set("Authorization", "Bearer "+b.corpus.Shops[0].Key)
			r.Header.Set("Idempotency-Key", tc.path)
			w := httptest.NewRecorder()
			b.handler.ServeHTTP(w, r)
			got := rows()
			for i := range got {
				got[i] -= before[i]
			}
			if w.Code != http.StatusCreated || got != tc.want {
				t.Errorf("%s: %d %.200s, rows %v of %v, want %v", tc.path, w.Code, w.Body, got, tables, tc.want)
			}
		}
	})
}
