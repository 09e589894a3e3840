package core

import (
	"context"
	stdsql "database/sql"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// smallWrite is the body of a write that is let through at the limit of stored bytes: whoever has
	// reached it can sell, rename and delete.
	smallWrite = 4 << 10
	// fewestBytes is how much this process takes before the bytes of a store are counted.
	fewestBytes = 16 << 20
	// storedBatch keeps each statement of a count short.
	storedBatch = 200
)

// stored are the columns whose bytes count for [limit.StoredBytes].
var stored = []struct{ table, column string }{
	{product.Table, product.FieldDescription}, {note.Table, note.FieldBody}, {dbevent.Table, dbevent.FieldBody},
}

// BodyLeft counts the body of a write of the viewer's store, in bytes, and refuses one that is too much
// for this minute, or for what the store may keep.
//
// What it keeps is an estimate, as in [Core.RowsLeft]: the columns are summed in the background whenever
// the bodies that this process has taken come to a tenth of what was left.
func (c *Core) BodyLeft(ctx context.Context, n int64) error {
	if err := c.Written.Spend(ctx, c, n); err != nil {
		return err
	}
	most, err := c.limitOf(ctx, limit.StoredBytes)
	if err != nil {
		return err
	}
	of := rowsOf{viewer.From(ctx).Store, limit.StoredBytes}
	left, count := c.rows.take(of, most, n, min(fewestBytes, most/10))
	if count {
		go c.count(of, most, c.storedBytes) //nolint:gosec // it outlives the call
	}
	if !left && n > smallWrite {
		return Reached(limit.StoredBytes, most)
	}
	c.rows.add(of, n)
	return nil
}

// storedBytes sums up what the viewer's store keeps.
func (c *Core) storedBytes(ctx context.Context) (sum int64, err error) {
	for _, of := range stored {
		query := fmt.Sprintf("SELECT id, COALESCE(OCTET_LENGTH(%s), 0) FROM %s%s WHERE store_id = ? AND id > ? "+
			"ORDER BY id LIMIT %d", of.column, of.table,
			ent.IndexHint(c.Store.Dialect(), of.table, ent.Primary), storedBatch)
		last := xid.ID{}
		for n := storedBatch; n == storedBatch; {
			n = 0
			err := ent.Read(ctx, c.Client(ctx), func(rows *stdsql.Rows) error {
				var size int64
				err := rows.Scan(&last, &size)
				n, sum = n+1, sum+size
				return err
			}, query, viewer.From(ctx).Store, last)
			if err != nil {
				return 0, fmt.Errorf("sum %s: %w", of.table, err)
			}
		}
	}
	return sum, nil
}
