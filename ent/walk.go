package ent

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// walkBatch bounds the stores that are read at once.
const walkBatch = 200

// EachStore runs f once in every store, as the operator in it, by id. The first
// error ends the walk.
func (s *Store) EachStore(ctx context.Context, f func(ctx context.Context) error) error {
	after, last := xid.Nil, false
	for !last {
		ids, err := s.DB(ctx).Store.Query().Where(store.IDGT(after)).Order(db.Asc(store.FieldID)).
			Limit(walkBatch).IDs(viewer.Everywhere(ctx))
		if err != nil {
			return fmt.Errorf("walk stores: %w", err)
		}
		for _, id := range ids {
			if err := f(viewer.Operator(ctx, id)); err != nil {
				return err
			}
			after = id
		}
		last = len(ids) < walkBatch
	}
	return nil
}
