package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// errSome says that some delivery of a batch was gone: a person skipped it, its
// endpoint was deleted, or another owner has settled it.
var errSome = errors.New("webhook: some deliveries are gone")

// writeEach settles deliveries one by one. The attempt of one that is gone is
// logged and changes nothing.
func (d *dispatcher) writeEach(ctx context.Context, ended, failed, health []*outcome) error {
	return d.Store.InTx(ctx, func(ctx context.Context) error {
		for _, o := range ended {
			whole, err := d.finish(ctx, []*outcome{o})
			if err == nil && !whole {
				err = d.finishAnew(ctx, o)
			}
			if err != nil {
				return err
			}
		}
		return d.writeRest(ctx, failed, health)
	})
}

// The number of an attempt is given when it is written down: it is what the row of its
// delivery counts, and nobody writes an attempt without counting it there. Whoever finds
// another count than they know of takes the next one. After the end of a delivery the
// numbers go on behind the one that ended it.

// finishAnew ends a delivery of which other attempts were counted meanwhile.
func (d *dispatcher) finishAnew(ctx context.Context, o *outcome) error {
	number, err := d.take(ctx, o)
	if err != nil {
		return err
	}
	if number == 0 {
		return d.logLate(ctx, o)
	}
	if _, err := d.exec(ctx, "DELETE FROM deliveries"+ofDelivery, o.key()...); err != nil {
		return err
	}
	if o.Verdict == schedule.Cancelled {
		number-- // nothing was sent
	}
	return d.log(ctx, []*outcome{o.as(number)})
}

// take counts one more attempt of a delivery and returns its number; 0 where the
// delivery has ended.
func (d *dispatcher) take(ctx context.Context, o *outcome) (number int, err error) {
	n, err := d.exec(ctx, "UPDATE deliveries SET attempts = attempts + 1"+ofDelivery, o.key()...)
	if err != nil || n == 0 {
		return 0, err
	}
	return d.counted(ctx, o)
}

// counted returns how many attempts the row of a delivery counts.
func (d *dispatcher) counted(ctx context.Context, o *outcome) (number int, err error) {
	err = d.read(ctx, "SELECT attempts FROM deliveries"+ofDelivery, o.key(),
		func(rs *stdsql.Rows) error { return rs.Scan(&number) })
	return number, err
}

// tallyAnew writes the counters of a delivery of which other attempts were counted
// meanwhile, if the lease is still ours. It returns what is still to be logged, if
// anything is.
func (d *dispatcher) tallyAnew(ctx context.Context, o *outcome, counted []any) (*outcome, error) {
	w, err := d.found(ctx, o)
	if err != nil || w.ours {
		return nil, err
	}
	n, err := d.exec(ctx, "UPDATE deliveries SET attempts = attempts + 1, "+counters+ofDelivery+
		" AND EXISTS (SELECT 1 FROM webhook_queues WHERE store_id = ? AND id = ? AND lease_token = ?)",
		slices.Concat(counted, o.key(), []any{o.Queue.Store, o.Queue.Endpoint, o.Queue.Token})...)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, d.note(ctx, o, w)
	}
	number, err := d.counted(ctx, o)
	ent.OnCommit(ctx, func() {
		d.mu.Lock()
		defer d.unlock()
		d.schedule.Numbered(&o.Outcome, number)
	})
	return o.as(number), err
}

// entries is what the log has of a delivery.
type entries struct {
	ended bool
	last  int  // the number of the attempt that ended it
	ours  bool // the attempt in question is there
}

func (d *dispatcher) found(ctx context.Context, o *outcome) (w entries, err error) {
	args := o.key()
	err = d.read(ctx, "SELECT (SELECT COUNT(*) FROM delivery_logs"+ofDelivery+"),"+
		" COALESCE((SELECT attempts FROM delivery_logs"+ofDelivery+"), 0),"+
		" (SELECT COUNT(*) FROM delivery_logs"+ofDelivery+" AND attempt_id = ?)"+
		" + (SELECT COUNT(*) FROM attempts"+ofDelivery+" AND id = ?)",
		slices.Concat(args, args, args, []any{o.id}, args, []any{o.id}),
		func(rs *stdsql.Rows) error { return rs.Scan(&w.ended, &w.last, &w.ours) })
	return w, err
}

// logLate notes an attempt of a delivery that had ended meanwhile, or is another
// owner's, unless that was done: the answer of the commit may have been lost.
func (d *dispatcher) logLate(ctx context.Context, o *outcome) error {
	if o.Verdict == schedule.Cancelled {
		return nil
	}
	w, err := d.found(ctx, o)
	if err != nil || w.ours {
		return err
	}
	return d.note(ctx, o, w)
}

// note counts and logs an attempt that changes nothing else.
func (d *dispatcher) note(ctx context.Context, o *outcome, w entries) error {
	number, err := d.take(ctx, o)
	if err != nil {
		return err
	}
	if number == 0 {
		if !w.ended && o.Verdict == schedule.Done {
			return d.log(ctx, []*outcome{o})
		}
		number = w.last + 1
	}
	late := o.as(number)
	late.Due = 0
	return d.logAttempts(ctx, []*outcome{late})
}

// ofDelivery chooses the rows of one delivery.
const ofDelivery = " WHERE store_id = ? AND endpoint_id = ? AND sequence = ?"
