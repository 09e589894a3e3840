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

// purgeBatch bounds the rows of one transaction.
const purgeBatch = 90

// Purge deletes the events of every store that are older than [Retention], and returns their
// number. An event's age is the time in its id, so each batch is a range of the primary key, in a
// short transaction of its own. An interrupted purge is continued by the next call.
func Purge(ctx context.Context, s *ent.Store) (n int, err error) {
	before := xid.First(micros.Now().Add(-Retention))
	n, err = s.SumStores(ctx, func(ctx context.Context) (int, error) {
		deleted, err := purgeStore(ctx, s, before)
		if err != nil {
			return deleted, err
		}
		// Events that were set aside cannot be put back once they are deleted.
		return deleted, s.InTx(ctx, func(ctx context.Context) error {
			_, err := s.DB(ctx).OutboxFailure.Delete().Where(outboxfailure.IDLT(before)).Exec(ctx)
			return err
		})
	})
	if err != nil {
		err = fmt.Errorf("purge events: %w", err)
	}
	return n, err
}

// purgeStore deletes the store's events below an id, batch by batch.
func purgeStore(ctx context.Context, s *ent.Store, before xid.ID) (n int, err error) {
	for {
		ids, err := s.DB(ctx).Event.Query().Where(dbevent.IDLT(before)).
			Order(db.Asc(dbevent.FieldID)).Limit(purgeBatch).IDs(ctx)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		deleted := 0
		err = s.InTx(ctx, func(ctx context.Context) error {
			deleted, err = s.DB(ctx).Event.Delete().
				Where(dbevent.IDGTE(ids[0]), dbevent.IDLTE(ids[len(ids)-1])).Exec(ctx)
			return err
		})
		if n += deleted; err != nil || len(ids) < purgeBatch {
			return n, err
		}
	}
}
