package webhook

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
)

const (
	// liveTime is how long after events that were no backlog more of them are expected.
	liveTime = 250 * time.Millisecond
	// maxYield bounds the pause after a batch.
	maxYield = 50 * time.Millisecond
)

// traffic reports whether other writes share the database at present.
type traffic struct {
	store *ent.Store
	live  atomic.Pointer[time.Time] // when the relay last found events that were no backlog
}

// contended reports whether other writes share the database at present: those of this process's
// requests, or of other processes, which their events show.
func (t *traffic) contended() bool { return t.store.Contended() || t.othersWrite() }

// othersWrite reports whether recent events were no backlog.
func (t *traffic) othersWrite() bool {
	last := t.live.Load()
	return last != nil && time.Since(*last) < liveTime
}

// yield pauses for as long as a batch took, while other writes go on. A backlog then gets at most
// half of the database, and no commit of a request waits behind two batches.
func (t *traffic) yield(ctx context.Context, took time.Duration) {
	if t.contended() {
		sleep(ctx, min(took, maxYield))
	}
}
