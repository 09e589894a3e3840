package schedule

import "time"

// LongestProbe is how long an endpoint that does so is left alone at most before its
// next new delivery is tried.
func (h Health) LongestProbe() time.Duration { return wait(max(h.Streak-gateAt+1, 1), 1) }
