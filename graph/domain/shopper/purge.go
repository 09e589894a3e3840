package shopper

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/shopperchallenge"
	"github.com/storefront-go/storefront/ent/db/shoppersession"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// expired is a row of any store.
type expired struct {
	Store xid.ID `sql:"store_id"`
	ID    xid.ID `sql:"id"`
}

// Purge deletes expired sessions and challenges and returns how many. It only frees space.
func (s *Shoppers) Purge(ctx context.Context) (int, error) {
	return s.Store.SumShards(ctx, func(ctx context.Context) (int, error) {
		now := micros.Now()
		sessions, err := s.purge(ctx, func(ctx context.Context, pick func(*sql.Selector), rows any) error {
			return s.Store.Seek(ctx).ShopperSession.Query().Where(shoppersession.BucketIn(bucket.All()...),
				shoppersession.ExpiresAtLTE(now)).Modify(pick).Scan(ctx, rows)
		}, func(ctx context.Context, c *db.Client, id xid.ID) (int, error) {
			return c.ShopperSession.Delete().Where(shoppersession.ID(id)).Exec(ctx)
		})
		if err != nil {
			return sessions, err
		}
		challenges, err := s.purge(ctx, func(ctx context.Context, pick func(*sql.Selector), rows any) error {
			return s.Store.Seek(ctx).ShopperChallenge.Query().Where(shopperchallenge.BucketIn(bucket.All()...),
				shopperchallenge.ExpiresAtLTE(now)).Modify(pick).Scan(ctx, rows)
		}, func(ctx context.Context, c *db.Client, id xid.ID) (int, error) {
			return c.ShopperChallenge.Delete().Where(shopperchallenge.ID(id)).Exec(ctx)
		})
		return sessions + challenges, err
	})
}

// purge deletes the rows that find returns, one after the other.
func (s *Shoppers) purge(ctx context.Context,
	find func(ctx context.Context, pick func(*sql.Selector), rows any) error,
	drop func(ctx context.Context, c *db.Client, id xid.ID) (int, error),
) (int, error) {
	return ent.Purge(ctx, s.Store, "accounts of shoppers", func(ctx context.Context) (rows []expired, err error) {
		err = find(viewer.Everywhere(ctx), func(q *sql.Selector) {
			q.Select(q.C(shoppersession.FieldStoreID), q.C(shoppersession.FieldID)).
				OrderBy(q.C(shoppersession.FieldExpiresAt)).Limit(ent.PurgeBatch)
		}, &rows)
		return rows, err
	}, func(ctx context.Context, c *db.Client, rows []expired) (total int, err error) {
		for _, row := range rows {
			n, err := drop(viewer.Operator(ctx, row.Store), c, row.ID)
			if total += n; err != nil {
				return total, err
			}
		}
		return total, nil
	})
}
