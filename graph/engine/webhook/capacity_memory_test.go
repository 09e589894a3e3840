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
	debug.SetGCPercent(100)
	var m gcControl
	m.begin()
	m.set(70)
	within := percent()
	m.end()
	if after := percent(); within != lowGCPercent || after != 70 {
		t.Errorf("set to 70 meanwhile, GOGC is %d and then %d", within, after)
	}
	if m.set(80); percent() != 80 {
		t.Errorf("set to 80 afterwards, GOGC is %d", percent())
	}
}
