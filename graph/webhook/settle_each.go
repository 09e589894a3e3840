package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"

	"github.com/storefront-go/storefront/graph/webhook/schedule"
)

// errSome says that some delivery of a batch was gone: a person skipped it, its
// endpoint was deleted, or another owner has settled it.
var errSome = errors.New("webhook: some deliveries are gone")

// writeEach settles deliveries one by one. The attempt of one that is gone is
// logged and changes nothing.
func (d *dispatcher) writeEach(ctx context.Context, ended, failed, health []*outcome) error {
	return d.Store.InTx(ctx, func(ctx context.Context) error {
		for _, o := range ended {
			one := []*outcome{o}
			whole, err := d.finish(ctx, one)
			if err == nil && !whole {
				err = d.logLate(ctx, o)
			}
			if err != nil {
				return err
			}
		}
		return d.writeRest(ctx, failed, health)
	})
}

// logLate notes an attempt of a delivery that had ended meanwhile.
func (d *dispatcher) logLate(ctx context.Context, o *outcome) error {
	if o.Verdict == schedule.Cancelled {
		return nil
	}
	number := o.Item.Attempts + 1
	if o.Verdict != schedule.Done {
		number = o.Attempts
	}
	var logged, noted int
	args := []any{o.Queue.Store, o.Queue.Endpoint, o.Item.Sequence}
	err := d.read(ctx,
		"SELECT (SELECT COUNT(*) FROM delivery_logs WHERE store_id = ? AND endpoint_id = ? AND sequence = ?),"+
			" (SELECT COUNT(*) FROM attempts WHERE store_id = ? AND endpoint_id = ? AND sequence = ? AND number = ?)",
		append(append(args, args...), number),
		func(rs *stdsql.Rows) error { return rs.Scan(&logged, &noted) })
	switch {
	case err != nil:
		return err
	case logged == 0 && o.Verdict == schedule.Done:
		return d.log(ctx, []*outcome{o})
	case noted == 0:
		late := *o
		late.Attempts, late.Due = number, 0
		return d.logAttempts(ctx, attemptRow(&late))
	}
	return nil
}
