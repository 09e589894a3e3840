package webhook

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// There are three clocks. All but the first may be set at any time:
//
//  - The process's monotonic clock, [clocks.now], times everything that waits in memory.
//  - The wall clock is in ids, signatures, logs and the rows of deliveries, where people read it.
//    Times are converted on their way into memory and out of it.
//  - The queue clock, [base.clock], is in the rows of queues alone.
//
// A future time in a row is never trusted beyond the longest wait that could have been written.

// slack is how far clocks may differ and still count as equal.
const slack = time.Second

// clocks are the first two.
type clocks struct {
	began    time.Time          // the origin of [clocks.now]
	stepped  atomic.Int64       // how far the wall clock was set since, in microseconds
	wallTime func() micros.Time // the wall clock
}

// now returns the time by the monotonic clock.
func (c *clocks) now() time.Time { return c.began.Add(time.Since(c.began)) }

// noteClockStep records how far the wall clock was set since this process began, and reports
// whether that has changed.
func (c *clocks) noteClockStep() bool {
	off := c.wallTime() - micros.Of(c.now())
	if by := off - micros.Time(c.stepped.Load()); by.Sub(0).Abs() <= slack {
		return false
	}
	c.stepped.Store(int64(off))
	return true
}

// toMonotonic converts a wall time to the monotonic clock.
func (c *clocks) toMonotonic(t micros.Time) micros.Time { return shift(t, -c.stepped.Load()) }

// toWall converts a time of the monotonic clock to wall time.
func (c *clocks) toWall(t micros.Time) micros.Time { return shift(t, c.stepped.Load()) }

// shift moves a time; 0 and [micros.Max] stay.
func shift(t micros.Time, by int64) micros.Time {
	if t == 0 || t == micros.Max {
		return t
	}
	return t + micros.Time(by)
}

// toWallTimes returns an outcome with its times converted to wall time.
func (c *clocks) toWallTimes(o schedule.Outcome) schedule.Outcome {
	o.At, o.First, o.Due = c.toWall(o.At), c.toWall(o.First), c.toWall(o.Due)
	o.Health.Probe = c.toWall(o.Health.Probe)
	if since := o.Health.FailingSince; since != nil {
		o.Health.FailingSince = new(c.toWall(*since))
	}
	return o
}

// adjust converts the times of a queue's row to the monotonic clock. A probe that lies further
// ahead than a probe can was set before the wall clock was put back: it is due now.
func (c *clocks) adjust(r *schedule.Row) {
	if now := c.wallTime(); r.Probe != micros.Max && r.Probe > now.Add(r.LongestProbe()+slack) {
		r.Probe = now
	}
	r.Resumed, r.Probe, r.Paused = c.toMonotonic(r.Resumed), c.toMonotonic(r.Probe), c.toMonotonic(r.Paused)
	if r.FailingSince != nil {
		r.FailingSince = new(c.toMonotonic(*r.FailingSince))
	}
}

// ahead is a failed delivery whose last attempt lies in the future by its row: the wall clock was
// put back. From now on it waits for as long as it had to after that attempt.
type ahead struct {
	schedule.Key
	sequence   int64
	tried, due micros.Time
}

func aheadOf(k schedule.Key, it *schedule.Item, tried, now micros.Time) (ahead, bool) {
	if it.Due == 0 || tried <= now.Add(slack) {
		return ahead{}, false
	}
	return ahead{k, it.Sequence, tried, now.Add(it.Due.Sub(tried))}, true
}

// rewriteDue writes the new due times, so that these deliveries wait only once.
func (s *sender) rewriteDue(ctx context.Context, list []ahead, now micros.Time) error {
	if len(list) == 0 {
		return nil
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		for _, e := range list {
			_, err := s.exec(ctx, "UPDATE deliveries SET due_at = ?, tried_at = ?"+
				" WHERE store_id = ? AND endpoint_id = ? AND sequence = ? AND tried_at = ?",
				e.due, now, e.Store, e.Endpoint, e.sequence, e.tried)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
