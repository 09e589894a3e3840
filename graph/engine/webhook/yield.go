package webhook

import (
	"context"
	"time"
)

const (
	// liveTime is how long after events that were no backlog more of them are expected.
	liveTime = 250 * time.Millisecond
	// maxYield bounds the pause after a batch.
	maxYield = 50 * time.Millisecond
)

// contended reports whether other writes share the database at present: those of this process's
// requests, or of other processes, which their events show.
func (d *dispatcher) contended() bool { return d.Store.Crowded() || d.othersWrite() }

// othersWrite reports whether recent events were no backlog.
func (d *dispatcher) othersWrite() bool {
	last := d.live.Load()
	return last != nil && time.Since(*last) < liveTime
}

// yield pauses for as long as a batch took, while other writes go on. A backlog then gets at most
// half of the database, and no commit of a request waits behind two batches.
func (d *dispatcher) yield(ctx context.Context, took time.Duration) {
	if !d.contended() {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(min(took, maxYield)):
	}
}
