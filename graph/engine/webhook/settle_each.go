package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// errSomeGone means that a delivery of a batch is gone: a person skipped it, its endpoint was
// deleted, or another owner has settled it.
var errSomeGone = errors.New("webhook: some deliveries are gone")

// writeEach settles deliveries one by one. An attempt whose delivery is gone is logged and changes
// nothing else.
func (s *settler) writeEach(ctx context.Context, ended, failed, health []*outcome) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		for _, o := range ended {
			whole, err := s.finish(ctx, []*outcome{o})
			if err == nil && !whole {
				err = s.finishRecounted(ctx, o)
			}
			if err != nil {
				return err
			}
		}
		return s.writeRest(ctx, failed, health)
	})
}

// The number of an attempt is assigned when it is saved, from the count in its delivery's row,
// which every save raises. If that count is not the expected one, the next number is taken. After
// the end of a delivery, the numbers continue after that of the attempt that ended it.

// finishRecounted ends a delivery for which other attempts were counted meanwhile.
func (s *settler) finishRecounted(ctx context.Context, o *outcome) error {
	number, err := s.incrementAttempts(ctx, o)
	if err != nil {
		return err
	}
	if number == 0 {
		return s.logLate(ctx, o)
	}
	if _, err := s.exec(ctx, "DELETE FROM deliveries"+ofDelivery, o.key()...); err != nil {
		return err
	}
	if o.Verdict == schedule.Cancelled {
		number-- // nothing was sent
	}
	return s.log(ctx, []*outcome{o.as(number)})
}

// incrementAttempts counts one more attempt of a delivery and returns its number; 0 if the delivery
// has ended.
func (s *settler) incrementAttempts(ctx context.Context, o *outcome) (number int, err error) {
	n, err := s.exec(ctx, "UPDATE deliveries SET attempts = attempts + 1"+ofDelivery, o.key()...)
	if err != nil || n == 0 {
		return 0, err
	}
	return s.attemptCount(ctx, o)
}

func (s *settler) attemptCount(ctx context.Context, o *outcome) (number int, err error) {
	err = s.read(ctx, "SELECT attempts FROM deliveries"+ofDelivery, o.key(),
		func(rs *stdsql.Rows) error { return rs.Scan(&number) })
	return number, err
}

// recountFailure writes the counters of a delivery for which other attempts were counted meanwhile,
// if the lease is still ours. It returns the outcome that is still to be logged, or nil.
func (s *settler) recountFailure(ctx context.Context, o *outcome, counted []any) (*outcome, error) {
	w, err := s.findEntries(ctx, o)
	if err != nil || w.logged {
		return nil, err
	}
	n, err := s.exec(ctx, "UPDATE deliveries SET attempts = attempts + 1, "+counters+ofDelivery+
		" AND EXISTS (SELECT 1 FROM webhook_queues WHERE store_id = ? AND id = ? AND lease_token = ?)",
		slices.Concat(counted, o.key(), []any{o.Queue.Store, o.Queue.Endpoint, o.Queue.Token})...)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, s.note(ctx, o, w)
	}
	number, err := s.attemptCount(ctx, o)
	ent.OnCommit(ctx, func() {
		m := s.machine.lock()
		defer s.machine.unlock()
		m.SetAttempts(&o.Outcome, number)
	})
	return o.as(number), err
}

// entries is the state of a delivery in the log.
type entries struct {
	ended  bool
	last   int  // the number of the attempt that ended it
	logged bool // the attempt in question is there
}

func (s *settler) findEntries(ctx context.Context, o *outcome) (w entries, err error) {
	args := o.key()
	err = s.read(ctx, "SELECT (SELECT COUNT(*) FROM delivery_logs"+ofDelivery+"),"+
		" COALESCE((SELECT attempts FROM delivery_logs"+ofDelivery+"), 0),"+
		" (SELECT COUNT(*) FROM delivery_logs"+ofDelivery+" AND attempt_id = ?)"+
		" + (SELECT COUNT(*) FROM attempts"+ofDelivery+" AND id = ?)",
		slices.Concat(args, args, args, []any{o.id}, args, []any{o.id}),
		func(rs *stdsql.Rows) error { return rs.Scan(&w.ended, &w.last, &w.logged) })
	return w, err
}

// logLate logs an attempt of a delivery that has ended meanwhile or has another owner, unless it is
// in the log already because a commit result was lost.
func (s *settler) logLate(ctx context.Context, o *outcome) error {
	if o.Verdict == schedule.Cancelled {
		return nil
	}
	w, err := s.findEntries(ctx, o)
	if err != nil || w.logged {
		return err
	}
	return s.note(ctx, o, w)
}

// note counts and logs an attempt that changes nothing else.
func (s *settler) note(ctx context.Context, o *outcome, w entries) error {
	number, err := s.incrementAttempts(ctx, o)
	if err != nil {
		return err
	}
	if number == 0 {
		if !w.ended && o.Verdict == schedule.Done {
			return s.log(ctx, []*outcome{o})
		}
		number = w.last + 1
	}
	late := o.as(number)
	late.Due = 0
	return s.logAttempts(ctx, []*outcome{late})
}

const ofDelivery = " WHERE store_id = ? AND endpoint_id = ? AND sequence = ?"
