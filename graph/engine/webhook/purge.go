package webhook

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

// Retention is how long deliveries stay in the log (contract, section 8).
const Retention = 14 * 24 * time.Hour

// purgeBatch bounds the rows of one transaction.
const purgeBatch = 90

// Purge deletes rows of every store that nothing reads any more: deliveries that were given up with
// their queue, logs and counts past their retention, and finally deleted endpoints. It returns the
// number of rows.
func (e *Engine) Purge(ctx context.Context) (n int, err error) {
	n, err = e.Store.SumStores(ctx, func(ctx context.Context) (n int, err error) {
		rows, err := e.Store.DB(ctx).WebhookQueue.Query().All(ctx)
		for _, q := range rows {
			if err != nil {
				break
			}
			var deleted int
			deleted, err = e.purgeQueue(ctx, q)
			n += deleted
		}
		return n, err
	})
	return n, wrap("purge webhooks", err)
}

func (e *Engine) purgeQueue(ctx context.Context, q *db.WebhookQueue) (n int, err error) {
	old := micros.Now().Add(-Retention)
	k := schedule.Key{Store: q.StoreID, Endpoint: q.ID}
	for _, p := range []struct {
		table, place, until string
		limit               any
	}{
		{"deliveries", "sequence", "sequence", q.FloorSequence},
		{"delivery_logs", "sequence", "settled_at", old},
		{"attempts", "sequence", "began_at", old},
		{"endpoint_stats", "slot", "slot", old},
	} {
		deleted, err := e.purgeTable(ctx, k, p.table, p.place, p.until, p.limit)
		n += deleted
		if err != nil {
			return n, err
		}
	}
	return n, e.purgeEndpoint(ctx, k, old)
}

// purgeTable deletes an endpoint's oldest rows, in key order, that are not younger than the limit.
func (e *Engine) purgeTable(
	ctx context.Context, k schedule.Key, table, place, until string, limit any,
) (n int, err error) {
	id := "endpoint_id"
	if table == "endpoint_stats" {
		id = "id"
	}
	of := " FROM " + table + " WHERE store_id = ? AND " + id + " = ?"
	for {
		var last *int64
		var rows int
		err := e.read(ctx, "SELECT MAX(place), COUNT(*) FROM (SELECT "+place+" AS place, "+until+" AS until"+of+
			fmt.Sprintf(" ORDER BY %s LIMIT %d) t WHERE until <= ?", place, purgeBatch),
			[]any{k.Store, k.Endpoint, limit}, func(rs *stdsql.Rows) error { return rs.Scan(&last, &rows) })
		if err != nil || last == nil {
			return n, err
		}
		err = e.Store.InTx(ctx, func(ctx context.Context) error {
			_, err := e.exec(ctx, "DELETE"+of+" AND "+place+" <= ? AND "+until+" <= ?", k.Store, k.Endpoint, *last,
				limit)
			return err
		})
		if n += rows; err != nil || rows < purgeBatch {
			return n, err
		}
	}
}

// purgeEndpoint deletes the rows of an endpoint whose deletion is past the retention.
func (e *Engine) purgeEndpoint(ctx context.Context, k schedule.Key, old micros.Time) error {
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		c := e.Store.DB(ctx)
		n, err := c.WebhookEndpoint.Delete().Where(endpoints.ID(k.Endpoint), endpoints.DeletedAtLTE(old)).Exec(ctx)
		if err != nil || n == 0 {
			return err
		}
		_, err = c.WebhookQueue.Delete().Where(webhookqueue.ID(k.Endpoint)).Exec(ctx)
		return err
	})
}
