package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// acquire leases queues that are due, and renews those among them that this process owns already.
// It reports whether there may be more.
func (l *leaser) acquire(ctx context.Context) (more bool, err error) {
	m := l.machine.lock()
	room := min(m.Room(), leaseBatch)
	paused := m.Paused()
	l.machine.unlock()
	if room <= 0 || paused {
		return false, nil
	}
	free, own, err := l.candidates(ctx, room)
	if err != nil {
		return false, err
	}
	if len(own) > 0 {
		if err := l.renew(ctx, own); err != nil {
			return false, err
		}
	}
	if len(free) == 0 {
		return false, nil
	}
	won, err := l.lease(ctx, free)
	return won > 0 && len(free) == room, err
}

// candidate is a due queue, read without a lock.
type candidate struct {
	schedule.Key
	token, epoch int64
	taken        bool // its lease has not ended
}

func (l *leaser) candidates(ctx context.Context, room int) (free []candidate, own []*schedule.Queue, err error) {
	now, args := l.clock()
	args = slices.Concat(args, args)
	var mine []candidate
	err = l.seek(ctx,
		"SELECT store_id, id, lease_token, lease_owner, CASE WHEN lease_until > "+now+" THEN 1 ELSE 0 END"+
			" FROM webhook_queues WHERE "+bucket.Every+" AND due_at <= "+now+fmt.Sprintf(" LIMIT %d", 2*room), args,
		func(rs *stdsql.Rows) error {
			var c candidate
			var owner *xid.ID
			if err := rs.Scan(&c.Store, &c.Endpoint, &c.token, &owner, &c.taken); err != nil {
				return err
			}
			switch {
			case owner != nil && *owner == l.Process:
				mine = append(mine, c)
			case !c.taken && len(free) < room:
				free = append(free, c)
			}
			return nil
		})
	m := l.machine.lock()
	defer l.machine.unlock()
	for _, c := range mine {
		// If the database's clock was set forward past one of our leases, that lease is renewed
		// too.
		if q := m.Find(c.Key); q != nil {
			own = append(own, q)
		} else if !c.taken && len(free) < room {
			free = append(free, c)
		}
	}
	slices.SortFunc(own, func(a, b *schedule.Queue) int { return a.Compare(b.Key) })
	slices.SortFunc(free, func(a, b candidate) int { return a.Compare(b.Key) })
	return free, own, err
}

// lease takes free queues by compare-and-set on their tokens, and reads back which of them it got.
func (l *leaser) lease(ctx context.Context, free []candidate) (won int, err error) {
	l.claiming.Lock() // until the claimed queues are in memory
	defer l.claiming.Unlock()
	m := l.machine.lock()
	free = free[:max(min(len(free), m.Room()), 0)] // loops of other shards may have used the room
	l.machine.unlock()
	if len(free) == 0 {
		return 0, nil
	}
	asked := time.Now()
	var rows map[schedule.Key]*row
	err = l.Store.InTx(ctx, func(ctx context.Context) error {
		rows, err = l.claim(ctx, free)
		if err != nil || len(rows) == len(free) {
			return err
		}
		return l.releaseInactive(ctx, free, rows)
	})
	if err != nil { // the commit may have succeeded all the same
		for i := range free {
			free[i].token++
		}
		return 0, errors.Join(err, l.giveUp(ctx, free))
	}
	for _, r := range rows {
		if err := l.noteUnreadable(ctx, r); err != nil {
			return 0, err
		}
	}
	m = l.machine.lock()
	defer l.machine.unlock()
	for _, c := range free {
		r := rows[c.Key]
		if r == nil || r.Token != c.token+1 || r.target == nil || m.Find(c.Key) != nil {
			continue // another process was first, the endpoint is inactive, or its secret cannot be opened
		}
		won++
		l.enter(m, r, asked)
	}
	return won, nil
}

// claim takes the queues that are still free and returns the rows of those that this process got
// and whose endpoints are active.
func (l *leaser) claim(ctx context.Context, free []candidate) (map[schedule.Key]*row, error) {
	now, clock := l.clock()
	args := append([]any{l.Process}, slices.Concat(clock, clock, clock)...)
	keys := make([]schedule.Key, len(free))
	for i, c := range free {
		keys[i] = c.Key
		args = append(args, c.Store, c.Endpoint, c.token)
	}
	_, err := l.exec(ctx, "UPDATE webhook_queues SET "+terms.Claim(lease.Clock(now))+
		" WHERE lease_until <= "+now+" AND "+l.among("store_id, id, lease_token", len(free)), args...)
	if err != nil {
		return nil, err
	}
	rows, err := l.readRows(ctx, keys)
	maps.DeleteFunc(rows, func(_ schedule.Key, r *row) bool { return r.inactive })
	return rows, err
}

// releaseInactive releases claimed queues of inactive endpoints. They become due again when their
// endpoint is reactivated.
func (l *leaser) releaseInactive(ctx context.Context, free []candidate, rows map[schedule.Key]*row) error {
	args, n := []any{int64(micros.Max), l.Process}, 0
	for _, c := range free {
		if rows[c.Key] == nil {
			args = append(args, c.Store, c.Endpoint, c.token+1)
			n++
		}
	}
	_, err := l.exec(ctx, "UPDATE webhook_queues SET "+lease.Free+", due_at = ?"+
		" WHERE lease_owner = ? AND "+l.among("store_id, id, lease_token", n), args...)
	return err
}
