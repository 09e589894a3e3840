package report

import (
	"context"
	"fmt"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	exports "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/export"
	"github.com/storefront-go/storefront/graph/model"
)

// ExportStart starts a job, which belongs to the viewer: an app's own, or the
// store's. Whoever starts it needs the read scope of what it exports.
func (m Mutation) ExportStart(ctx context.Context, in model.ExportStartInput) (*model.ExportPayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	c := core.NewCheck(in)
	checkExport(c, in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if needed := exported[in.Kind]; !v.Scopes.Has(needed) {
		return nil, &fault.Error{Kind: fault.InsufficientScope, Scope: needed,
			Detail: "An export of " + string(in.Kind) + " needs the scope " + needed + "."}
	}
	var row *db.Export
	err = m.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if err := m.roomForExport(ctx); err != nil {
			return err
		}
		if row, err = m.newExport(ctx, v, in); err != nil {
			return err
		}
		ent.OnCommit(ctx, m.Exports.Wake)
		return audit.Write(ctx, m.Client(ctx), "export.start", xid.Export, row.ID, string(in.Kind)+" "+string(in.Format))
	})
	if err != nil {
		return nil, core.Explain(core.KindName(xid.Export), err)
	}
	return &model.ExportPayload{Export: m.shownExport(v, row)}, nil
}

// newExport writes the row of a job.
func (m Mutation) newExport(ctx context.Context, v *viewer.Viewer, in model.ExportStartInput) (*db.Export, error) {
	id := xid.New()
	row := m.Client(ctx).Export.Create().SetID(id).SetBucket(bucket.Of(v.Store)).
		SetKind(in.Kind).SetFormat(in.Format).SetCompression(in.Compression).SetStatus(state.ExportQueued).
		SetRequesterType(v.Kind).SetRequesterID(v.Actor).SetRequesterName(v.Name).
		SetDueAt(id.Time()).SetUpdatedAt(id.Time())
	if f := in.Filters; f != nil {
		row.SetNillableCreatedFrom(f.CreatedFrom).SetNillableCreatedTo(f.CreatedTo).SetNillableFilterStatus(f.Status)
	}
	if v.Kind == viewer.OAuthApp {
		g, err := core.Only(m.Client(ctx).Grant.Query().Where(grant.ID(v.Grant)).Load(ctx))
		if err != nil {
			return nil, fmt.Errorf("read the grant of the app: %w", err)
		}
		row.SetAppID(g.AppID).SetAppStoreID(g.AppStoreID)
	}
	made, err := row.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("make export: %w", err)
	}
	return made, nil
}

// unfinished are the states of a job that has not ended.
var unfinished = []state.ExportStatus{state.ExportQueued, state.ExportRunning}

// roomForExport refuses a job above the limit, as [Mutation.roomForEndpoint]
// refuses an endpoint.
func (m Mutation) roomForExport(ctx context.Context) error {
	if err := m.HoldStore(ctx); err != nil {
		return err
	}
	var rows []struct {
		ID xid.ID `sql:"id"`
	}
	query := m.Client(ctx).Export.Query().Where(exports.StatusIn(unfinished...))
	err := query.Modify(ent.ForUpdate, func(s *sql.Selector) {
		ent.ForceIndex(exportStatusIndex)(s)
		s.Select(s.C(exports.FieldID)).Limit(export.MaxUnfinished)
	}).Scan(ctx, &rows)
	if err != nil {
		return fmt.Errorf("count exports: %w", err)
	}
	if len(rows) == export.MaxUnfinished {
		return fault.State(fault.LimitReached, "The store has "+strconv.Itoa(export.MaxUnfinished)+
			" exports that have not ended, which is the limit: wait for one, or cancel one.")
	}
	return nil
}

// export checks what a job is asked for.
func checkExport(c *core.Check, in model.ExportStartInput) {
	known(c, "kind", in.Kind)
	known(c, "format", in.Format)
	known(c, "compression", in.Compression)
	f := in.Filters
	if f == nil {
		return
	}
	if f.CreatedFrom != nil && f.CreatedTo != nil && *f.CreatedFrom >= *f.CreatedTo {
		c.Add("filters/created_to", fault.OutOfRange, "This is not later than created_from.")
	}
	if f.Status == nil || !in.Kind.Known() {
		return
	}
	ok := false
	switch in.Kind {
	case state.ExportOrders:
		ok = state.OrderStatus(*f.Status).Known()
	case state.ExportProducts:
		ok = state.ProductStatus(*f.Status).Known()
	case state.ExportCustomers:
		ok = state.CustomerStatus(*f.Status).Known()
	}
	if !ok {
		c.Add("filters/status", fault.UnknownValue, "This is not a status of "+string(in.Kind)+".")
	}
}

// known checks a member that is one of the values of an enumeration. An absent one
// was reported by whoever read the body.
func known[T interface {
	~string
	Known() bool
}](c *core.Check, name string, v T) {
	if v != "" && !v.Known() {
		c.Add(name, fault.UnknownValue, "The value is not one of those documented.")
	}
}

// ExportCancel stops a job that is queued or running. What it has written is
// removed.
func (m Mutation) ExportCancel(ctx context.Context, id string) (*model.ExportPayload, error) {
	uid, err := core.ParseID(xid.Export, id)
	if err != nil {
		return nil, err
	}
	var row *db.Export
	err = m.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.export(ctx, uid, ent.ForUpdate); err != nil {
			return err
		}
		if err := core.Allowed("export", row.Status, state.ExportCancelled, unfinished...); err != nil {
			return err
		}
		return m.cancelExport(ctx, row, "export.cancel")
	})
	if err != nil {
		return nil, core.Explain(core.KindName(xid.Export), err)
	}
	return &model.ExportPayload{Export: m.shownExport(viewer.From(ctx), row)}, nil
}

// cancelExport ends a job that this transaction has locked and that has not ended.
func (r *Resolver) cancelExport(ctx context.Context, row *db.Export, action string) error {
	now := micros.Now()
	row.Status, row.CompletedAt = state.ExportCancelled, &now
	row.Version++
	row.UpdatedAt = core.UpdateTime(row.UpdatedAt)
	n, err := r.Client(ctx).Export.Update().Where(exports.ID(row.ID), exports.Version(row.Version-1)).
		SetStatus(row.Status).SetCompletedAt(now).SetVersion(row.Version).SetUpdatedAt(row.UpdatedAt).
		SetDueAt(tidyTime(row, now)).ClearSlot().ClearLeaseOwner().SetLeaseUntil(0).Save(ctx)
	if err := core.Swapped(xid.Export, n, err); err != nil {
		return err
	}
	ent.OnCommit(ctx, func() { r.Exports.Cancelled(row.StoreID, row.ID) })
	return audit.Write(ctx, r.Client(ctx), action, xid.Export, row.ID, "")
}

// tidyTime is when the objects of a job may be removed: whoever writes it must
// have noticed that it has ended.
func tidyTime(row *db.Export, now micros.Time) micros.Time { return max(now, row.LeaseUntil) }

// ExportDelete removes a job and its file. One that has not ended is cancelled.
func (m Mutation) ExportDelete(ctx context.Context, id string) (*model.ExportDeletePayload, error) {
	uid, err := core.ParseID(xid.Export, id)
	if err != nil {
		return nil, err
	}
	err = m.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := m.export(ctx, uid, ent.ForUpdate)
		if err != nil {
			return err
		}
		now := micros.Now()
		change := m.Client(ctx).Export.Update().Where(exports.ID(uid), exports.Version(row.Version)).
			SetDeletedAt(now).SetVersion(row.Version + 1).SetUpdatedAt(core.UpdateTime(row.UpdatedAt)).
			SetDueAt(tidyTime(row, now)).ClearSlot().ClearLeaseOwner().SetLeaseUntil(0)
		if row.Status == state.ExportQueued || row.Status == state.ExportRunning {
			change.SetStatus(state.ExportCancelled).SetCompletedAt(now)
		}
		n, err := change.Save(ctx)
		if err := core.Swapped(xid.Export, n, err); err != nil {
			return err
		}
		ent.OnCommit(ctx, func() { m.Exports.Cancelled(row.StoreID, row.ID) })
		return audit.Write(ctx, m.Client(ctx), "export.delete", xid.Export, uid, "")
	})
	if err != nil {
		return nil, core.Explain(core.KindName(xid.Export), err)
	}
	return &model.ExportDeletePayload{DeletedID: &id}, nil
}

// CancelExportsOf ends the jobs of an app that has no grant in the store any more
// (contract, section 5, Ownership).
func (r *Resolver) CancelExportsOf(ctx context.Context, app xid.ID) error {
	query := r.Client(ctx).Export.Query().Where(exports.AppID(app), exports.StatusIn(unfinished...), exports.DeletedAtIsNil()).Order(exports.ByID())
	query.Modify(ent.ForUpdate, ent.ForceIndex(exportIndex))
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read the exports of an app: %w", err)
	}
	for _, row := range rows {
		if err := r.cancelExport(ctx, row, "export.cancel"); err != nil {
			return err
		}
	}
	return nil
}
