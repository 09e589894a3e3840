package schedule

import (
	"testing"
	"time"
)

// TestWindow: a receiver that takes as long for many requests as for one gets many; one that
// handles them one by one gets no more than useful, and a late answer shrinks the window.
func TestWindow(t *testing.T) {
	wide, narrow := pace{window: slowStart}, pace{window: slowStart}
	for range 300 {
		wide.noteAnswer(50*time.Millisecond, 32)
		narrow.noteAnswer(time.Duration(narrow.window)*time.Millisecond, 32)
		if narrow.window > 3*maxQueued {
			t.Fatalf("%d wait for each other", narrow.window)
		}
	}
	if wide.window != 32 || narrow.window < maxQueued {
		t.Errorf("the windows are %d and %d", wide.window, narrow.window)
	}
	wide.noteAnswer(time.Second, 32)
	if wide.window != 24 {
		t.Errorf("after a late answer the window is %d", wide.window)
	}
}

// TestMovedReceiver: a receiver that becomes slower regardless of load has its window back in about
// a minute.
func TestMovedReceiver(t *testing.T) {
	p, passed := pace{window: 32}, time.Duration(0)
	p.noteAnswer(20*time.Millisecond, 32)
	for lowest := 32; passed < 3*time.Minute; passed += 700 * time.Millisecond / time.Duration(p.window) {
		p.noteAnswer(700*time.Millisecond, 32)
		lowest = min(lowest, p.window)
		if lowest < 4 && p.window == 32 {
			return
		}
	}
	t.Errorf("after %s the window is %d", passed, p.window)
}
