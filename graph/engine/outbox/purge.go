package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/outboxfailure"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Retention is how long events stay in the log (contract, section 8).
const Retention = 30 * 24 * time.Hour

// Purge deletes the events of every store that are older than [Retention], and returns their
// number. An event's age is the time in its id, so each batch is a range of the primary key, in a
// short transaction of its own. An interrupted purge is continued by the next call.
func Purge(ctx context.Context, s *ent.Store) (int, error) {
	before := xid.First(micros.Now().Add(-Retention))
	return s.SumStores(ctx, func(ctx context.Context) (int, error) {
		deleted, err := ent.Purge(ctx, s, "events", func(ctx context.Context) ([]xid.ID, error) {
			return s.DB(ctx).Event.Query().Where(dbevent.IDLT(before)).Order(db.Asc(dbevent.FieldID)).
				Limit(ent.PurgeBatch).IDs(ctx)
		}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
			return c.Event.Delete().Where(dbevent.IDGTE(ids[0]), dbevent.IDLTE(ids[len(ids)-1])).Exec(ctx)
		})
		if err != nil {
			return deleted, err
		}
		// Events that were set aside cannot be put back once they are deleted.
		err = s.InTx(ctx, func(ctx context.Context) error {
			_, err := s.DB(ctx).OutboxFailure.Delete().Where(outboxfailure.IDLT(before)).Exec(ctx)
			return err
		})
		if err != nil {
			err = fmt.Errorf("purge events: %w", err)
		}
		return deleted, err
	})
}
