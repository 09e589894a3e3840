package cell_test

import (
	"database/sql/driver"
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

// TestTake gives a target bytes of its own and looks whether they are the same ones, but
// for those equal to the row before, which it shares.
func TestTake(t *testing.T) {
	var b cell.Bytes
	to := cell.Target{Dest: cell.Dest(&b), Row: func() {}}
	first, second, other := []byte("one")[:2], []byte("on"), []byte("two")
	for _, row := range []struct{ give, keep []byte }{{first, first}, {second, first}, {other, other}} {
		if err := to.Take([]driver.Value{row.give}); err != nil {
			t.Fatal(err)
		}
		if &b[0] != &row.keep[0] || len(b) != cap(b) {
			t.Errorf("%s: got other bytes or room behind them", row.give)
		}
	}
	if err := to.Take([]driver.Value{nil}); err != nil || b != nil {
		t.Errorf("NULL: got %v, %v", b, err)
	}
}

func TestInt8(t *testing.T) {
	var n cell.Int8
	if err := n.Scan(int64(-128)); err != nil || n != -128 {
		t.Errorf("got %d, %v", n, err)
	}
	if err := n.Scan(int64(128)); err == nil {
		t.Error("128 fits in eight bits")
	}
}
