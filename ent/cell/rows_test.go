package cell_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/cell"
)

func TestRows(t *testing.T) {
	for _, page := range []int{1, 21, 101} {
		n := 0
		for n < page {
			n += cell.Rows(n)
		}
		if n != page {
			t.Errorf("room for %d rows, want %d", n, page)
		}
	}
}
