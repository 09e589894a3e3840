package erase

import (
	"bytes"
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/customer"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// swept is the position of a store whose sweep is complete: after every customer.
var swept = xid.ID(bytes.Repeat([]byte{0xff}, len(xid.Nil)))

// Sweep redacts the checkout notes that redactions of earlier releases left on orders, and returns
// how many. It walks the customers of every store once, since redactions of this release leave no
// such notes. When a process is killed, another one continues and may repeat a batch.
func (e *Engine) Sweep(ctx context.Context) (int, error) {
	return e.Store.SumStores(ctx, func(ctx context.Context) (total int, err error) {
		for more := true; more; {
			var n int
			n, more, err = e.sweep(ctx)
			total += n
			if err != nil {
				return total, fmt.Errorf("sweep redacted customers: %w", err)
			}
		}
		return total, nil
	})
}

// sweep processes the next customers of the viewer's store.
func (e *Engine) sweep(ctx context.Context) (n int, more bool, err error) {
	shop, err := ent.Only(e.Store.DB(ctx).Store.Query().Where(dbstore.ID(viewer.From(ctx).Store)).Load(ctx))
	if err != nil {
		return 0, false, err
	}
	from, at := xid.Nil, dbstore.RedactionWalkIsNil()
	if w := shop.RedactionWalk; w != nil {
		from, at = *w, dbstore.RedactionWalk(*w)
	}
	if from == swept {
		return 0, false, nil
	}
	query := e.Store.DB(ctx).Customer.Query().Where(customer.IDGT(from)).Order(customer.ByID()).Limit(scan)
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Select(customer.FieldStoreID, customer.FieldID, customer.FieldStatus).All(ctx)
	if err != nil {
		return 0, false, err
	}
	to := swept
	for _, row := range rows {
		if to = row.ID; row.Status != state.CustomerRedacted {
			continue
		}
		some, err := e.sweepNotes(ctx, row.ID)
		n += some
		if err != nil {
			return n, false, err
		}
	}
	// Another process may have advanced the position meanwhile.
	return n, true, e.Store.InTx(ctx, func(ctx context.Context) error {
		return e.Store.DB(ctx).Store.Update().Where(dbstore.ID(shop.ID), at).SetRedactionWalk(to).Exec(ctx)
	})
}

func (e *Engine) sweepNotes(ctx context.Context, of xid.ID) (n int, err error) {
	for after := xid.Nil; ; {
		ids, err := e.ordersOf(ctx, of, after)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		var some int
		err = e.Store.InTx(ctx, func(ctx context.Context) (err error) {
			some, err = notes(ctx, e.Store.DB(ctx), ids)
			return err
		})
		if err != nil {
			return n, err
		}
		n, after = n+some, ids[len(ids)-1]
	}
}
