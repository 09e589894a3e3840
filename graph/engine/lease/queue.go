package lease

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Queue is a table of work without columns for an owner. A row is due at due_at, and every claim
// raises the number of its tries, which is the token. A row that is finished is deleted, or its
// due_at is null or [micros.Max].
type Queue struct {
	Store *ent.Store
	Table string
	// Owner is the first column of the key, and id the second.
	Owner string
	// Tries is the column with the number of tries.
	Tries string
}

// Due selects the rows that are due, the longest overdue first. It locks nothing: processes claim
// one row at a time.
func Due(limit int) func(*sql.Selector) {
	return func(s *sql.Selector) {
		due := s.C("due_at")
		s.Where(sql.ExprP(due + " <= " + string(Now(s.Dialect())))).OrderBy(due).Limit(limit)
	}
}

// Claim claims a row that was read as due, with the number of its tries, which it raises. Of
// concurrent processes one gets the row. For the others it is due again after d, unless it is
// delayed or finished before.
func (q Queue) Claim(ctx context.Context, owner, id xid.ID, tries int, d time.Duration) (mine bool, err error) {
	now := Now(q.Store.Dialect())
	return q.update(ctx, q.Tries+" = "+q.Tries+" + 1, due_at = "+now.In(d), owner, id, tries, " <= "+string(now))
}

// Delay makes a claimed row due after d: the work on it is still going on, or will be tried again.
// tries is the number with the claim. It returns [ErrLost] if another process has claimed the row,
// or if it is finished.
func (q Queue) Delay(ctx context.Context, owner, id xid.ID, tries int, d time.Duration) error {
	return q.change(ctx, "due_at = "+Now(q.Store.Dialect()).In(d), owner, id, tries)
}

// Return makes a claimed row due at once, and does not count the try.
func (q Queue) Return(ctx context.Context, owner, id xid.ID, tries int) error {
	return q.change(ctx, q.Tries+" = "+q.Tries+" - 1, due_at = 0", owner, id, tries)
}

func (q Queue) change(ctx context.Context, set string, owner, id xid.ID, tries int) error {
	mine, err := q.update(ctx, set, owner, id, tries, " < "+strconv.FormatInt(int64(micros.Max), 10))
	if err == nil && !mine {
		err = ErrLost
	}
	return err
}

// update changes a row if it has the number of tries and is due as said.
func (q Queue) update(
	ctx context.Context, set string, owner, id xid.ID, tries int, due string,
) (changed bool, err error) {
	err = q.Store.InTx(ctx, func(ctx context.Context) error {
		res, err := q.Store.DB(ctx).ExecContext(ctx, "UPDATE "+q.Table+" SET "+set+" WHERE "+q.Owner+
			" = ? AND id = ? AND "+q.Tries+" = ? AND due_at"+due, owner, id, tries)
		if err != nil {
			return fmt.Errorf("claim or delay in %s: %w", q.Table, err)
		}
		n, err := res.RowsAffected()
		changed = n == 1
		return err
	})
	return changed, err
}

// Repair returns what finds rows that a changed clock delays. pause is the pause after a number of
// tries; from n tries on it is the same.
func (q Queue) Repair(t Terms, pause func(tries int) time.Duration, n int) *ClockRepair {
	longest := make([]time.Duration, n+1)
	for i := 1; i <= n; i++ {
		longest[i] = max(t.Length, pause(i))
	}
	return &ClockRepair{Terms: t, Store: q.Store, Table: q.Table, Token: q.Tries, New: q.Tries + " = 0",
		Ahead: func(now Clock) string { return beyond(now, q.Tries, longest) }}
}
