package requestlog

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/requestlog"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Purge deletes the requests of every store that are older than [Kept], in short transactions, and
// returns how many. Their age is in their ids, so each batch is a range of the primary key.
func Purge(ctx context.Context, s *ent.Store) (n int, err error) {
	before := xid.First(micros.Now().Add(-Kept))
	n, err = s.SumStores(ctx, func(ctx context.Context) (int, error) { return purgeStore(ctx, s, before) })
	if err != nil {
		err = fmt.Errorf("purge the log of requests: %w", err)
	}
	return n, err
}

func purgeStore(ctx context.Context, s *ent.Store, before xid.ID) (n int, err error) {
	for {
		query := s.DB(ctx).RequestLog.Query().Where(requestlog.IDLT(before))
		query.Modify(func(q *sql.Selector) {
			ent.ForceIndex(ent.Primary)(q)
			q.OrderBy(q.C(requestlog.FieldID)).Limit(batch)
		})
		ids, err := query.IDs(ctx)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		deleted := 0
		err = s.InTx(ctx, func(ctx context.Context) error {
			deleted, err = s.DB(ctx).RequestLog.Delete().
				Where(requestlog.IDGTE(ids[0]), requestlog.IDLTE(ids[len(ids)-1])).Exec(ctx)
			return err
		})
		if n += deleted; err != nil || len(ids) < batch {
			return n, err
		}
	}
}
