package webhook

import (
	"runtime/debug"
	"testing"
)

// While any dispatcher asks for it, GOGC is lower, unless the operator set it lower still;
// afterwards it is restored.
func TestGCControl(t *testing.T) {
	percent := func() int {
		n := debug.SetGCPercent(100)
		debug.SetGCPercent(n)
		return n
	}
	defer debug.SetGCPercent(percent())
	for _, c := range []struct{ before, within int }{{100, lowGCPercent}, {-1, -1}, {10, 10}} {
		debug.SetGCPercent(c.before)
		var m gcControl
		m.begin()
		m.begin()
		m.end()
		within := percent()
		m.end()
		if within != c.within || percent() != c.before {
			t.Errorf("GOGC %d becomes %d and then %d", c.before, within, percent())
		}
	}
}
