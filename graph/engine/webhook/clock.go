package webhook

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// Three clocks are told apart, each of which but the first may be set at any time:
//
//   - This process's own, [dispatcher.now]: all waiting in memory goes by it.
//   - The time of day, in ids, signatures, logs and the rows of deliveries, where
//     people read it. Times are translated on their way into memory and out of it.
//   - That of queues, [dispatcher.clock], in the rows of queues alone.
//
// What a row says of a time to come is bounded by how long it was to wait when it was
// written.

// slack is how far clocks may be apart and still count as one.
const slack = time.Second

// now is the time by this process's own clock, which nobody sets.
func (d *dispatcher) now() time.Time { return d.began.Add(time.Since(d.began)) }

// adrift notes how far the time of day was set since this process began, and reports
// whether it was.
func (d *dispatcher) adrift() bool {
	off := d.day() - micros.Of(d.now())
	if by := off - micros.Time(d.stepped.Load()); by.Sub(0).Abs() <= slack {
		return false
	}
	d.stepped.Store(int64(off))
	return true
}

// own is a time of day by this process's own clock.
func (d *dispatcher) own(t micros.Time) micros.Time { return shift(t, -d.stepped.Load()) }

// dayTime is a time by this process's own clock as people read it.
func (d *dispatcher) dayTime(t micros.Time) micros.Time { return shift(t, d.stepped.Load()) }

// shift moves a time, unless there is none.
func shift(t micros.Time, by int64) micros.Time {
	if t == 0 || t == micros.Never {
		return t
	}
	return t + micros.Time(by)
}

// dated is an outcome with its times as people read them.
func (d *dispatcher) dated(o schedule.Outcome) schedule.Outcome {
	o.At, o.First, o.Due = d.dayTime(o.At), d.dayTime(o.First), d.dayTime(o.Due)
	o.Health.Probe = d.dayTime(o.Health.Probe)
	if since := o.Health.FailingSince; since != nil {
		o.Health.FailingSince = new(d.dayTime(*since))
	}
	return o
}

// adjust makes the times of a queue's row those of this process's clock. A probe that
// is further ahead than it can be was set before the time of day was put back, and is
// due.
func (d *dispatcher) adjust(r *schedule.Row) {
	if now := d.day(); r.Probe != micros.Never && r.Probe > now.Add(r.LongestProbe()+slack) {
		r.Probe = now
	}
	r.Resumed, r.Probe, r.Paused = d.own(r.Resumed), d.own(r.Probe), d.own(r.Paused)
	if r.FailingSince != nil {
		r.FailingSince = new(d.own(*r.FailingSince))
	}
}

// early is a failed delivery whose last attempt was later than now, as its row has it:
// the time of day was put back. It waits from now on for as long as it had to.
type early struct {
	schedule.Key
	sequence   int64
	tried, due micros.Time
}

func earlyOf(k schedule.Key, it *schedule.Item, tried, now micros.Time) (early, bool) {
	if it.Due == 0 || tried <= now.Add(slack) {
		return early{}, false
	}
	return early{k, it.Sequence, tried, now.Add(it.Due.Sub(tried))}, true
}

// rewait writes from when on deliveries wait, so that they wait once.
func (d *dispatcher) rewait(ctx context.Context, list []early, now micros.Time) error {
	if len(list) == 0 {
		return nil
	}
	return d.Store.InTx(ctx, func(ctx context.Context) error {
		for _, e := range list {
			_, err := d.exec(ctx, "UPDATE deliveries SET due_at = ?, tried_at = ?"+
				" WHERE store_id = ? AND endpoint_id = ? AND sequence = ? AND tried_at = ?",
				e.due, now, e.Store, e.Endpoint, e.sequence, e.tried)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
