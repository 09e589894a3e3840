package lease_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/lease"
)

// A row that is renewed or disappears starts over; a row that does not change is returned after a
// time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w lease.Watch[string, int]
		for second, rows := range []map[string]int{
			{"dead": 1, "renewed": 1, "gone": 1},
			{"dead": 1, "renewed": 1},
			{"dead": 1, "renewed": 2, "gone": 1},
			{"dead": 1, "renewed": 2, "gone": 1},
			{"dead": 1, "renewed": 2, "gone": 1},
			{"dead": 1, "renewed": 2, "gone": 1},
		} {
			got := w.Unchanged(rows, 3*time.Second)
			slices.Sort(got)
			want := map[int][]string{3: {"dead"}, 4: {"dead"}, 5: {"dead", "gone", "renewed"}}[second]
			if !slices.Equal(got, want) || w.Len() != len(rows) {
				t.Errorf("after %d s: %v of %d, want %v", second, got, w.Len(), want)
			}
			time.Sleep(time.Second)
		}
	})
}
