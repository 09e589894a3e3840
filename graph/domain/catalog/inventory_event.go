package catalog

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/inventorymark"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

const (
	// dueMarks is how many marks are read at once.
	dueMarks = 500
	// reported is how many variants of a product one transaction reports.
	reported = outbox.Spread - 1
)

// ReportStock writes inventory.changed for variants whose stock changed a second ago, with the stock
// that they have now, and returns the number of events. The transaction of the events deletes the
// marks, so any number of processes may run it at once, and a killed one loses nothing.
func (r *Resolver) ReportStock(ctx context.Context) (int, error) {
	return r.Store.SumShards(ctx, r.reportDue)
}

// stockMark is the key of a mark.
type stockMark struct{ store, product, variant xid.ID }

// reportDue is [Resolver.ReportStock] on one shard.
func (r *Resolver) reportDue(ctx context.Context) (total int, failed error) {
	var last stockMark
	for ctx.Err() == nil {
		list, err := r.dueMarks(ctx, last)
		if err != nil {
			return total, errors.Join(failed, fmt.Errorf("read changed stock: %w", err))
		}
		for _, m := range slices.CompactFunc(slices.Clone(list), func(a, b stockMark) bool {
			return a.product == b.product
		}) {
			n, err := r.reportProduct(viewer.Operator(ctx, m.store), m.product)
			if total += n; err != nil {
				failed = errors.Join(failed, fmt.Errorf("report %s: %w", xid.Product.Format(m.product), err))
			}
		}
		if len(list) < dueMarks {
			break
		}
		last = list[len(list)-1]
	}
	return total, errors.Join(failed, ctx.Err())
}

// dueMarks reads marks in the order of their keys. There are only those of the last seconds.
func (r *Resolver) dueMarks(ctx context.Context, after stockMark) (list []stockMark, err error) {
	err = ent.Read(ctx, r.Store.Seek(ctx), func(rows *stdsql.Rows) error {
		var m stockMark
		err := rows.Scan(&m.store, &m.product, &m.variant)
		list = append(list, m)
		return err
	}, fmt.Sprintf("SELECT store_id, product_id, id FROM inventory_marks WHERE (store_id > ? OR store_id = ? AND "+
		"(product_id > ? OR product_id = ? AND id > ?)) AND due_at <= ? ORDER BY store_id, product_id, id LIMIT %d",
		dueMarks), after.store, after.store, after.product, after.product, after.variant, micros.Now())
	return list, err
}

// reportProduct writes the events of a product's due marks.
func (r *Resolver) reportProduct(ctx context.Context, id xid.ID) (total int, err error) {
	for n := reported; n == reported && err == nil; total += n {
		err = r.Commit(ctx, xid.Product, func(ctx context.Context) (_ *change.Record, err error) {
			var record *change.Record
			n, record, err = r.reportSome(ctx, id)
			return record, err
		})
	}
	return total, err
}

// reportSome locks the product and then reads its marks: every change of stock writes the product
// first, so none can add a mark, or find one, that this transaction deletes.
func (r *Resolver) reportSome(ctx context.Context, id xid.ID) (int, *change.Record, error) {
	p, err := core.Row(ctx, r.Client(ctx).Product.Query().Where(product.ID(id)), ent.ForUpdate)
	if errors.Is(err, core.ErrNoRow) {
		_, err := r.Client(ctx).InventoryMark.Delete().Where(inventorymark.ProductID(id)).Exec(ctx)
		return 0, nil, fault.Wrap("remove marks of a deleted product", err)
	}
	if err == nil {
		err = variants.Load(ctx, r.Client(ctx), p)
	}
	if err == nil {
		err = variants.LoadLevels(ctx, r.Client(ctx), ent.NoLock, p)
	}
	if err != nil {
		return 0, nil, err
	}
	query := r.Client(ctx).InventoryMark.Query().
		Where(inventorymark.ProductID(id), inventorymark.DueAtLTE(micros.Now())).Limit(reported)
	query.Modify(ent.ForceIndex(ent.Primary), func(s *sql.Selector) { s.OrderBy(s.C(inventorymark.FieldID)) })
	marks, err := query.Load(ctx)
	if err != nil || len(marks) == 0 {
		return 0, nil, err
	}
	ids := core.IDs(marks, func(m *db.InventoryMark) *xid.ID { return &m.ID })
	_, err = r.Client(ctx).InventoryMark.Delete().
		Where(inventorymark.ProductID(id), inventorymark.IDIn(ids...)).Exec(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("remove marks: %w", err)
	}
	products := r.products()
	products.Finish = nil // product.updated stays quiet about stock
	record, err := products.Apply(ctx, p, "", func(_ context.Context, e *productEdit) error {
		e.SameVersion = true
		for _, v := range variants.Of(p) {
			if slices.Contains(ids, v.ID) { // others are deleted
				e.Events = append(e.Events, outbox.Entry{Type: event.InventoryChanged,
					Object: wire.AppendInventoryLevel(nil, p, v)})
			}
		}
		return nil
	})
	return len(marks), record, err
}
