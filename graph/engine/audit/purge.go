package audit

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/accountevent"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Kept is how long rows of account logs are kept.
const Kept = 180 * 24 * time.Hour

const (
	// purgeBatch is the number of rows per transaction.
	purgeBatch = 90
	// ageIndex orders the rows of all people by age.
	ageIndex = "accountevent_id"
)

// Purge deletes the rows of account logs that are older than [Kept] and returns how many. It reads
// the keys first, because a DELETE by range would lock the gaps between them.
func Purge(ctx context.Context, s *ent.Store) (total int, err error) {
	end := xid.First(micros.Now().Add(-Kept))
	return s.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		for n := purgeBatch; n == purgeBatch; total += n {
			if n, err = purge(ctx, s, end); err != nil {
				return total, fmt.Errorf("purge people's logs: %w", err)
			}
		}
		return total, nil
	})
}

// purge deletes one batch of a shard.
func purge(ctx context.Context, s *ent.Store, end xid.ID) (n int, err error) {
	var rows []struct {
		UserID xid.ID `sql:"user_id"`
		ID     xid.ID `sql:"id"`
	}
	err = s.Seek(ctx).AccountEvent.Query().Where(accountevent.IDLT(end)).Modify(func(q *sql.Selector) {
		ent.ForceIndex(ageIndex)(q)
		q.Select(q.C(accountevent.FieldUserID), q.C(accountevent.FieldID)).OrderBy(q.C(accountevent.FieldID)).
			Limit(purgeBatch)
	}).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	keys := make([]predicate.AccountEvent, len(rows))
	for i, r := range rows {
		keys[i] = accountevent.And(accountevent.UserID(r.UserID), accountevent.ID(r.ID))
	}
	err = s.InTx(ctx, func(ctx context.Context) error {
		n, err = s.DB(ctx).AccountEvent.Delete().Where(accountevent.Or(keys...)).Exec(ctx)
		return err
	})
	return n, err
}
