package schedule

import "time"

// LongestProbe returns the longest wait of a failing endpoint before its next new delivery is
// tried.
func (h Health) LongestProbe() time.Duration { return wait(max(h.Streak-gateAt+1, 1), 1) }
