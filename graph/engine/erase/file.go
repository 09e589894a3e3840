package erase

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// files withdraws or restarts the next exports that may contain the customer. A filter by status is
// ignored, because the status at the time of the export is unknown; filters by time, customer and
// id count.
func (e *Engine) files(ctx context.Context, t *task) (*place, error) {
	redacted := export.Redacted{Number: t.Number, CleanBefore: t.before()}
	jobs, err := export.Begun(ctx, e.Store.DB(ctx), t.at().position, redacted, batch, state.ExportCustomers,
		state.ExportOrders)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	var hold []xid.ID
	for _, job := range jobs {
		holds, err := e.holds(ctx, t, job)
		if err != nil {
			return nil, err
		}
		if holds {
			hold = append(hold, job.ID)
		}
	}
	if len(hold) > 0 { // one notice about all that end
		err = e.Store.InTx(ctx, func(ctx context.Context) error {
			ended, err := export.Withdraw(ctx, e.Store.DB(ctx), hold, redacted)
			if err != nil || len(ended) == 0 {
				return err
			}
			return e.Notifier.Append(ctx, e.Store, notice(ended))
		})
	}
	return &place{position: jobs[len(jobs)-1].ID}, err
}

func (e *Engine) holds(ctx context.Context, t *task, job *db.Export) (bool, error) {
	from, to := export.Bounds(job)
	only := xid.Unpack(job.FilterIds)
	if job.Kind == state.ExportCustomers {
		return t.ID.Compare(from) >= 0 && t.ID.Compare(to) < 0 && (only == nil || slices.Contains(only, t.ID)), nil
	}
	if by := job.FilterCustomerID; by != nil && *by != t.ID {
		return false, nil
	}
	query := e.Store.DB(ctx).Order.Query().Where(order.CustomerID(t.ID), order.IDGTE(from), order.IDLT(to)).
		Order(order.ByID()).Limit(1)
	if only != nil {
		query.Where(order.IDIn(only...))
	}
	query.Modify(ent.ForceIndex(ordersIndex))
	ids, err := query.IDs(ctx)
	return len(ids) > 0, fault.Wrap("look for orders in an export", err)
}

func notice(ended []*db.Export) notify.Notice {
	n := notify.Notice{Level: state.NotificationInfo, Kind: xid.Export, ID: ended[0].ID,
		Title: "An export was removed",
		Body: "The export of " + string(ended[0].Kind) + " of " +
			ended[0].ID.Time().Time().UTC().Format("2 January 2006, 15:04 MST") +
			" contained data of a customer who has been redacted. Start it again if you still need it."}
	if more := len(ended) - 1; more > 0 {
		n.Title = fmt.Sprintf("%d exports were removed", len(ended))
		n.Body = fmt.Sprintf("%d exports of orders and customers contained data of a customer who has been redacted. "+
			"Start the ones that you still need again.", len(ended))
	}
	return n
}
