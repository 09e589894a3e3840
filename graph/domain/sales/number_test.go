package sales

import (
	"testing"

	"github.com/storefront-go/storefront/ent/xid"
)

// Numbers of stores without recent orders are evicted.
func TestNumbersAreBounded(t *testing.T) {
	n := newNumbers(nil)
	busy := xid.New()
	first := n.of(busy)
	for range 2 * maxBlocks {
		n.of(xid.New())
		if n.of(busy) != first {
			t.Fatal("the numbers of a store with new orders were evicted")
		}
	}
	if got := n.blocks.Len(); got > maxBlocks {
		t.Errorf("%d blocks are held, want at most %d", got, maxBlocks)
	}
}
