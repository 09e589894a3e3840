package audit

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/accountevent"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Kept is how long rows of account logs are kept.
const Kept = 180 * 24 * time.Hour

const ageIndex = "accountevent_id"

// Purge deletes the rows of account logs that are older than [Kept] and returns how many.
func Purge(ctx context.Context, s *ent.Store) (int, error) {
	old := accountevent.IDLT(xid.First(micros.Now().Add(-Kept)))
	type key struct {
		UserID xid.ID `sql:"user_id"`
		ID     xid.ID `sql:"id"`
	}
	return s.SumShards(ctx, func(ctx context.Context) (int, error) {
		return ent.Purge(ctx, s, "people's logs", func(ctx context.Context) (rows []key, err error) {
			err = s.Seek(ctx).AccountEvent.Query().Where(old).Modify(func(q *sql.Selector) {
				ent.ForceIndex(ageIndex)(q)
				q.Select(q.C(accountevent.FieldUserID), q.C(accountevent.FieldID)).OrderBy(q.C(accountevent.FieldID)).
					Limit(ent.PurgeBatch)
			}).Scan(ctx, &rows)
			return rows, err
		}, func(ctx context.Context, c *db.Client, rows []key) (int, error) {
			these := make([]predicate.AccountEvent, len(rows))
			for i, r := range rows {
				these[i] = accountevent.And(accountevent.UserID(r.UserID), accountevent.ID(r.ID))
			}
			return c.AccountEvent.Delete().Where(accountevent.Or(these...)).Exec(ctx)
		})
	})
}
