package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	exports "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/grant"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// ExportStart starts a job that belongs to the viewer: to an app, or else to the store. It requires
// the read scope of what is exported.
func (m Mutation) ExportStart(ctx context.Context, in model.ExportStartInput) (*model.ExportPayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	c := core.NewCheck(in)
	checkExport(c, in)
	ids := checkExportIDs(c, in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := core.RequireReadScope(ctx, in.Kind); err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Export, func(ctx context.Context) (
		*model.ExportPayload, *change.Record, error,
	) {
		if err := allowConsent(ctx, in.Filters); err != nil {
			return nil, nil, err
		}
		if err := m.roomForExport(ctx); err != nil {
			return nil, nil, err
		}
		row, err := m.newExport(ctx, v, in, ids)
		if err != nil {
			return nil, nil, err
		}
		ent.OnCommit(ctx, m.Exports.Wake)
		return &model.ExportPayload{Export: m.shownExport(v, row)},
			m.exports().Created(row, "export.start", string(in.Kind)+" "+string(in.Format)), nil
	})
}

// allowConsent refuses a filter by consent as long as there may be a program of an earlier release, which
// would write every customer into the file.
func allowConsent(ctx context.Context, f *model.ExportFiltersInput) error {
	if f == nil || f.MarketingConsent == nil || ent.Writes(ctx, ent.CustomFields) { // both came with the same release
		return nil
	}
	return fault.State(fault.InvalidTransition, "Exports of subscribers are available once the upgrade is finished "+
		"(storefront migrate finalize).")
}

// newExport writes the row of a job. Unless ids is nil, only these rows are exported.
func (m Mutation) newExport(
	ctx context.Context, v *viewer.Viewer, in model.ExportStartInput, ids []xid.ID,
) (*db.Export, error) {
	endpoint, err := m.endpointOf(ctx, v, in)
	if err != nil {
		return nil, err
	}
	customer, err := customerOf(in)
	if err != nil {
		return nil, err
	}
	id := xid.New()
	row := m.Client(ctx).Export.Create().SetID(id).SetBucket(bucket.Of(v.Store)).
		SetKind(in.Kind).SetFormat(in.Format).SetCompression(in.Compression).SetNillableEndpointID(endpoint).
		SetStatus(state.ExportQueued).
		SetRequesterType(v.Kind).SetRequesterID(v.Actor).SetRequesterName(v.Name).
		SetDueAt(id.Time()).SetUpdatedAt(id.Time())
	if f := in.Filters; f != nil {
		row.SetNillableCreatedFrom(f.CreatedFrom).SetNillableCreatedTo(f.CreatedTo).SetNillableFilterStatus(f.Status).
			SetNillableFilterFinancialStatus(f.FinancialStatus).SetNillableFilterFulfillmentStatus(f.FulfillmentStatus).
			SetNillableFilterCustomerID(customer).SetFilterIds(xid.Pack(ids)).
			SetNillableFilterConsent(f.MarketingConsent)
	}
	if in.Format == state.ExportSpreadsheet {
		shop, err := m.CurrentStore(ctx)
		if err != nil {
			return nil, err
		}
		row.SetLanguage(shop.Language).SetTimezone(shop.Timezone)
	}
	if v.Kind == viewer.OAuthApp {
		g, err := core.Only(m.Client(ctx).Grant.Query().Where(grant.ID(v.Grant)).Load(ctx))
		if err != nil {
			return nil, fmt.Errorf("read the grant of the app: %w", err)
		}
		row.SetAppID(g.AppID).SetAppStoreID(g.AppStoreID)
	}
	made, err := row.Save(ctx)
	return made, fault.Wrap("create export", err)
}

// endpointOf returns the endpoint whose attempts are exported, which the viewer has to be allowed
// to see; nil for other kinds.
func (m Mutation) endpointOf(ctx context.Context, v *viewer.Viewer, in model.ExportStartInput) (*xid.ID, error) {
	if in.WebhookID == nil {
		return nil, nil
	}
	id, err := core.ParseID(xid.WebhookEndpoint, *in.WebhookID)
	if err != nil {
		return nil, err
	}
	query := m.Client(ctx).WebhookEndpoint.Query().Where(endpoints.ID(id), endpoints.DeletedAtIsNil())
	if v.Kind == viewer.OAuthApp {
		query.Where(endpoints.AppID(v.Actor))
	}
	if _, err := core.Row(ctx, query, ent.ForceIndex(ent.Primary)); err != nil {
		return nil, core.Explain("webhook endpoint", err)
	}
	return &id, nil
}

// customerOf returns the customer whose orders are exported, nil for all customers. A customer that
// does not exist has no orders.
func customerOf(in model.ExportStartInput) (*xid.ID, error) {
	if in.Filters == nil || in.Filters.CustomerID == nil {
		return nil, nil
	}
	id, err := xid.Customer.Parse(*in.Filters.CustomerID)
	return &id, err // checkExport has already validated it
}

var unfinished = []state.ExportStatus{state.ExportQueued, state.ExportRunning}

func (m Mutation) roomForExport(ctx context.Context) error {
	err := m.Room(ctx, limit.Exports, exportStatusIndex,
		core.FindIn(ctx, m.Client(ctx).Export.Query().Where(exports.StatusIn(unfinished...))))
	if err != nil {
		return err
	}
	since := xid.First(micros.Now().Add(-24 * time.Hour))
	return m.RoomLeft(ctx, limit.ExportsPerDay, ent.Primary,
		core.FindIn(ctx, m.Client(ctx).Export.Query().Where(exports.IDGTE(since))))
}

func checkExport(c *core.Check, in model.ExportStartInput) {
	known(c, "kind", in.Kind)
	known(c, "format", in.Format)
	known(c, "compression", in.Compression)
	switch attempts := in.Kind == state.ExportWebhookAttempts; {
	case attempts && in.WebhookID == nil:
		c.Add("webhook_id", fault.Required, "The endpoint is required for an export of attempts.")
	case !attempts && in.WebhookID != nil && in.Kind.Known():
		c.Add("webhook_id", fault.UnknownValue, "An export of "+in.Kind.Words()+" cannot have an endpoint.")
	}
	if in.Format == state.ExportSpreadsheet && in.Kind == state.ExportWebhookAttempts {
		c.Add("format", fault.UnknownValue, "Attempts cannot be exported as a spreadsheet.")
	}
	f := in.Filters
	if f == nil {
		return
	}
	if in.Kind.Known() {
		checkOrderFilters(c, in.Kind, f)
		checkConsent(c, in.Kind, f)
	}
	if f.CreatedFrom != nil && f.CreatedTo != nil && *f.CreatedFrom >= *f.CreatedTo {
		c.Add("filters/created_to", fault.OutOfRange, "This must be later than created_from.")
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
		c.Add("filters/status", fault.UnknownValue, "This is not a status of "+in.Kind.Words()+".")
	}
}

// checkExportIDs validates the ids that an export is restricted to, and returns them. Rows that the
// store does not have are left out.
func checkExportIDs(c *core.Check, in model.ExportStartInput) []xid.ID {
	if in.Filters == nil || in.Filters.Ids == nil || !in.Kind.Known() {
		return nil
	}
	const name = "filters/ids"
	switch kind := in.Kind.Resource(); {
	case kind == "":
		c.Add(name, fault.UnknownValue, "An export of "+in.Kind.Words()+" cannot be filtered by ids.")
	case len(in.Filters.Ids) == 0:
		c.Add(name, fault.TooShort, "Send at least one id, or leave out the filter.")
	default:
		return c.IDs(name, kind, in.Filters.Ids, limit.ExportIDs)
	}
	return nil
}

func checkOrderFilters(c *core.Check, kind state.ExportKind, f *model.ExportFiltersInput) {
	check := func(name string, given, ok bool, detail string) {
		switch {
		case given && kind != state.ExportOrders:
			c.Add("filters/"+name, fault.UnknownValue, "Only an export of orders can have this filter.")
		case given && !ok:
			c.Add("filters/"+name, fault.UnknownValue, detail)
		}
	}
	const status = "This is not an order status of this kind."
	check("financial_status", f.FinancialStatus != nil, f.FinancialStatus != nil && f.FinancialStatus.Known(), status)
	check("fulfillment_status", f.FulfillmentStatus != nil, f.FulfillmentStatus != nil && f.FulfillmentStatus.Known(),
		status)
	if f.CustomerID != nil {
		_, err := xid.Customer.Parse(*f.CustomerID)
		check("customer_id", true, err == nil, "This is not the id of a customer.")
	}
}

func checkConsent(c *core.Check, kind state.ExportKind, f *model.ExportFiltersInput) {
	const name = "filters/marketing_consent"
	switch wanted := f.MarketingConsent; {
	case wanted != nil && kind != state.ExportCustomers:
		c.Add(name, fault.UnknownValue, "Only an export of customers can have this filter.")
	case wanted != nil && !wanted.Known():
		c.Add(name, fault.UnknownValue, "The value is given or confirmed.")
	}
}

// known checks that a value is one of an enumeration. Absent ones were reported when the body was
// read.
func known[T interface {
	~string
	Known() bool
}](c *core.Check, name string, v T) {
	if v != "" && !v.Known() {
		c.Add(name, fault.UnknownValue, "Unknown value.")
	}
}

type exportEdit = change.Edit[*db.Export, *db.ExportUpdate]

// exports returns how jobs change. The transaction has locked their row; their version is not
// visible to callers.
func (r *Resolver) exports() *change.Versioned[*db.Export, *db.ExportUpdate] {
	return &change.Versioned[*db.Export, *db.ExportUpdate]{
		Kind: xid.Export,
		Head: func(row *db.Export) change.Head {
			return change.Head{Store: row.StoreID, ID: row.ID, Version: &row.Version, UpdatedAt: &row.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.ExportUpdate {
			return r.Client(ctx).Export.Update().Where(exports.ID(id), exports.Version(version))
		},
	}
}

func (m Mutation) changeExport(ctx context.Context, id, action string,
	edit func(context.Context, *exportEdit) error,
) (row *db.Export, err error) {
	uid, err := core.ParseID(xid.Export, id)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.Export, func(ctx context.Context) (_ *change.Record, err error) {
		if row, err = m.export(ctx, uid, ent.ForUpdate); err != nil {
			return nil, err
		}
		return m.exports().Apply(ctx, row, action, edit)
	})
	return row, err
}

// ExportCancel cancels a job that is queued or running, and removes what it has written.
func (m Mutation) ExportCancel(ctx context.Context, id string) (*model.ExportPayload, error) {
	row, err := m.changeExport(ctx, id, "export.cancel", m.cancel)
	if err != nil {
		return nil, err
	}
	return &model.ExportPayload{Export: m.shownExport(viewer.From(ctx), row)}, nil
}

func (r *Resolver) cancel(_ context.Context, e *exportEdit) error {
	err := core.CheckTransition("export", e.Row.Status, state.ExportCancelled, unfinished...)
	if err == nil {
		r.release(e, micros.Now())
	}
	return err
}

// release takes a job from its worker, and cancels it if it has not ended. Its objects may be
// removed once the worker's lease has expired.
func (r *Resolver) release(e *exportEdit, now micros.Time) {
	row := e.Row
	if slices.Contains(unfinished, row.Status) {
		row.Status, row.CompletedAt = state.ExportCancelled, &now
		e.Update.SetStatus(row.Status).SetCompletedAt(now)
	}
	e.Update.SetDueAt(max(now, row.LeaseUntil)).ClearSlot().ClearLeaseOwner().SetLeaseUntil(0)
	e.Changed = []string{"status"}
	e.Then = func(ctx context.Context) error {
		ent.OnCommit(ctx, func() { r.Exports.Cancelled(row.StoreID, row.ID) })
		return nil
	}
}

// ExportDelete removes a job and its file. A job that has not ended is canceled.
func (m Mutation) ExportDelete(ctx context.Context, id string) (*model.ExportDeletePayload, error) {
	_, err := m.changeExport(ctx, id, "export.delete", func(_ context.Context, e *exportEdit) error {
		now := micros.Now()
		e.Update.SetDeletedAt(now)
		m.release(e, now)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &model.ExportDeletePayload{DeletedID: &id}, nil
}

// CancelExportsOf cancels the jobs of an app that no longer has a grant in the store (contract,
// section 5, Ownership).
func (r *Resolver) CancelExportsOf(ctx context.Context, app xid.ID) error {
	query := r.Client(ctx).Export.Query().
		Where(exports.AppID(app), exports.StatusIn(unfinished...), exports.DeletedAtIsNil()).Order(exports.ByID())
	query.Modify(ent.ForUpdate, ent.ForceIndex(exportIndex))
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read the exports of an app: %w", err)
	}
	for _, row := range rows {
		err := r.Commit(ctx, xid.Export, func(ctx context.Context) (*change.Record, error) {
			return r.exports().Apply(ctx, row, "export.cancel", r.cancel)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
