package webhook

import (
	"context"
	"time"
)

const (
	// liveTime is how long after events that were no backlog more of them are expected.
	liveTime = 250 * time.Millisecond
	// maxRest bounds the rest after a batch.
	maxRest = 50 * time.Millisecond
)

// crowded reports whether somebody writes at present and shares the database with what
// is written here: requests of this process, or others, of whom their events tell.
func (d *dispatcher) crowded() bool { return d.Store.Crowded() || d.othersWrite() }

// othersWrite reports whether there were events of late that were no backlog.
func (d *dispatcher) othersWrite() bool {
	last := d.live.Load()
	return last != nil && time.Since(*last) < liveTime
}

// yield leaves the database to others for as long as a batch took it, while there are
// any: a backlog then has half of it at most, and nobody's commit waits behind two batches.
func (d *dispatcher) yield(ctx context.Context, took time.Duration) {
	if !d.crowded() {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(min(took, maxRest)):
	}
}
