package report_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	exports "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/report"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// exported starts a job as the viewer of ctx.
func exported(p *graphtest.Shop, t testing.TB, ctx context.Context, kind state.ExportKind) *model.Export {
	t.Helper()
	return graphtest.Must[*model.ExportPayload](t)(p.Mutation().ExportStart(ctx, graphtest.ExportOf(kind))).Export
}

// updateJob changes the row of a job.
func updateJob(p *graphtest.Shop, t testing.TB, e *model.Export, f func(*db.ExportUpdate)) {
	t.Helper()
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		u := p.Client(ctx).Export.Update().Where(exports.ID(e.ID))
		f(u)
		_, err := u.Save(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// completeJob makes a job completed, with a file until a time.
func completeJob(p *graphtest.Shop, t testing.TB, e *model.Export, until micros.Time) {
	updateJob(p, t, e, func(u *db.ExportUpdate) {
		u.SetStatus(state.ExportCompleted).SetCompletedAt(micros.Now()).SetExpiresAt(until).
			SetSha256(strings.Repeat("0", 64)).SetRowsDone(7).SetSizeBytes(70)
	})
}

func TestExportStart(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		at := micros.Now()
		for _, tc := range []struct {
			name string
			ctx  context.Context
			edit func(*model.ExportStartInput)
			kind fault.Kind
			at   string
		}{
			{name: "plain", ctx: p.Ctx, edit: func(*model.ExportStartInput) {}},
			{name: "filters", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{CreatedFrom: &at, CreatedTo: new(at + 1), Status: new("open")}
			}},
			{name: "an empty range", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{CreatedFrom: &at, CreatedTo: &at}
			}, kind: fault.ValidationFailed, at: "#/filters/created_to"},
			{name: "another kind's status", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{Status: new("draft")}
			}, kind: fault.ValidationFailed, at: "#/filters/status"},
			{name: "filters of orders", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{FinancialStatus: new(state.FinancialPaid),
					FulfillmentStatus: new(state.FulfillmentUnfulfilled),
					CustomerID:        new(xid.Customer.Format(xid.New()))}
			}},
			{name: "an order filter for products", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Kind, in.Filters = state.ExportProducts, &model.ExportFiltersInput{CustomerID: new("x")}
			}, kind: fault.ValidationFailed, at: "#/filters/customer_id"},
			{name: "malformed customer id", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{CustomerID: new("prd_1")}
			}, kind: fault.ValidationFailed, at: "#/filters/customer_id"},
			{name: "unknown financial status", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{FinancialStatus: new(state.FinancialStatus("open"))}
			}, kind: fault.ValidationFailed, at: "#/filters/financial_status"},
			{name: "subscribers", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Kind = state.ExportCustomers
				in.Filters = &model.ExportFiltersInput{MarketingConsent: new(state.ConsentConfirmed)}
			}},
			{name: "subscribers, wrong scope", ctx: graphtest.AsKey(p.Ctx, scope.ExportsWrite, scope.OrdersRead),
				edit: func(in *model.ExportStartInput) {
					in.Kind = state.ExportCustomers
					in.Filters = &model.ExportFiltersInput{MarketingConsent: new(state.ConsentGiven)}
				}, kind: fault.InsufficientScope},
			{name: "orders of subscribers", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Filters = &model.ExportFiltersInput{MarketingConsent: new(state.ConsentGiven)}
			}, kind: fault.ValidationFailed, at: "#/filters/marketing_consent"},
			{name: "unknown consent", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Kind = state.ExportCustomers
				in.Filters = &model.ExportFiltersInput{MarketingConsent: new(state.MarketingConsent("none"))}
			}, kind: fault.ValidationFailed, at: "#/filters/marketing_consent"},
			{name: "for spreadsheets", ctx: p.Ctx, edit: func(in *model.ExportStartInput) {
				in.Format = state.ExportSpreadsheet
			}},
			{name: "unknown values", ctx: p.Ctx,
				edit: func(in *model.ExportStartInput) { in.Kind, in.Format, in.Compression = "x", "y", "z" },
				kind: fault.ValidationFailed, at: "#/kind"},
			{name: "only exports.write", ctx: graphtest.AsKey(p.Ctx, scope.ExportsWrite, scope.ProductsRead),
				edit: func(*model.ExportStartInput) {}, kind: fault.InsufficientScope},
			{name: "with the scope of the kind", ctx: graphtest.AsKey(p.Ctx, scope.ExportsWrite, scope.OrdersRead),
				edit: func(*model.ExportStartInput) {}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				in := graphtest.ExportOf(state.ExportOrders)
				tc.edit(&in)
				done, err := p.Mutation().ExportStart(tc.ctx, in)
				if tc.kind == "" {
					if err != nil || done.Export.Status != state.ExportQueued || done.Export.DownloadURL() != nil {
						t.Fatalf("%+v, %v", done, err)
					}
					if made := done.Export; in.Format == state.ExportSpreadsheet &&
						(*made.Language != state.English || *made.Timezone != p.Model.Timezone) {
						t.Errorf("in %v of %v", made.Language, made.Timezone)
					}
					return
				}
				f := faultOf(t, err)
				if f.Kind != tc.kind || tc.at != "" && f.Fields[0].Pointer != tc.at {
					t.Errorf("got %v", err)
				}
			})
		}
	})
}

// faultOf returns the fault of an error, and fails without one.
func faultOf(t testing.TB, err error) *fault.Error {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want a fault", err)
	}
	return f
}

// TestExportOwnership: an app sees and cancels its own jobs, and stores see only their own.
func TestExportOwnership(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		app, _ := p.AsApp(t, p.NewApp(t, scope.ExportsWrite, scope.OrdersRead), scope.ExportsWrite, scope.OrdersRead)
		beside, _ := p.AsApp(t, p.NewApp(t, scope.ExportsWrite, scope.OrdersRead), scope.ExportsWrite, scope.OrdersRead)
		its, stores := exported(p, t, app, state.ExportOrders), exported(p, t, p.Ctx, state.ExportOrders)
		for _, tc := range []struct {
			name string
			ctx  context.Context
			sees []*model.Export
		}{
			{"the app", app, []*model.Export{its}},
			{"another app", beside, nil},
			{"a key", graphtest.AsKey(p.Ctx, scope.ExportsWrite), []*model.Export{stores, its}},
			{"another store", p.Other(t).Ctx, nil},
		} {
			t.Run(tc.name, func(t *testing.T) {
				page := graphtest.Must[*model.ExportConnection](t)(p.Query().Exports(tc.ctx, nil, nil))
				if len(page.Nodes) != len(tc.sees) {
					t.Fatalf("%d jobs, want %d", len(page.Nodes), len(tc.sees))
				}
				for i, e := range page.Nodes {
					if e.ID != tc.sees[i].ID {
						t.Errorf("%d: %s", i, e.PublicID())
					}
				}
				seen := map[xid.ID]bool{}
				for _, e := range tc.sees {
					seen[e.ID] = true
				}
				for _, e := range []*model.Export{its, stores} {
					if _, err := p.Query().Export(tc.ctx, e.PublicID()); (err == nil) != seen[e.ID] {
						t.Errorf("read: %v", err)
					}
				}
				if !seen[stores.ID] {
					_, err := p.Mutation().ExportCancel(tc.ctx, stores.PublicID())
					if f := faultOf(t, err); f.Kind != fault.NotFound {
						t.Errorf("cancel: %v", err)
					}
					_, err = p.Mutation().ExportDelete(tc.ctx, stores.PublicID())
					if f := faultOf(t, err); f.Kind != fault.NotFound {
						t.Errorf("delete: %v", err)
					}
				}
			})
		}
	})
}

// TestExportLink: there is a link as long as there is a file, for viewers who may read its
// contents.
func TestExportLink(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := exported(p, t, p.Ctx, state.ExportOrders)
		completeJob(p, t, e, micros.Now().Add(time.Hour))
		shown := graphtest.Must[*model.Export](t)(p.Query().Export(p.Ctx, e.PublicID()))
		if shown.DownloadURL() == nil || *shown.RowCount() != 7 || *shown.FileSizeBytes() != 70 {
			t.Fatalf("%+v", shown)
		}
		u := graphtest.Must[*url.URL](t)(url.Parse(*shown.DownloadURL()))
		if want := p.APIHost + "/downloads/" + e.PublicID() + "/" +
			export.FileName(e.Export); !strings.HasPrefix(*shown.DownloadURL(), want+"?") {
			t.Errorf("%s, want %s", *shown.Link.URL, want)
		}
		params, err := p.Links.Verify(u.EscapedPath(), u.RawQuery, micros.Now())
		if err != nil || params["store"] != p.Model.PublicID() {
			t.Errorf("%v, %v", params, err)
		}
		left := time.Duration(*shown.DownloadURLExpiresAt()-micros.Now()) * time.Microsecond
		if left > report.LinkLife || left < report.LinkLife-time.Minute {
			t.Errorf("the link lives %v", left)
		}
		without := graphtest.Must[*model.Export](t)(p.Query().Export(graphtest.AsKey(p.Ctx, scope.ExportsRead),
			e.PublicID()))
		if without.DownloadURL() != nil || without.DownloadURLExpiresAt() != nil {
			t.Error("a link without orders.read")
		}
		completeJob(p, t, e, micros.Now()-1)
		if late := graphtest.Must[*model.Export](t)(p.Query().Export(p.Ctx, e.PublicID())); late.DownloadURL() != nil {
			t.Error("a link to a file that is gone")
		}
	})
}

// TestExportLimit: unfinished jobs are limited, under any concurrency.
func TestExportLimit(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		p.Limits[limit.Exports] = 6
		for range 4 {
			exported(p, t, p.Ctx, state.ExportProducts)
		}
		made, errs := 0, make(chan error)
		for range 6 {
			go func() {
				_, err := p.Mutation().ExportStart(p.Ctx, graphtest.ExportOf(state.ExportProducts))
				errs <- err
			}()
		}
		for range 6 {
			if err := <-errs; err == nil {
				made++
			} else if f := faultOf(t, err); f.Code != fault.LimitReached {
				t.Error(err)
			}
		}
		if made != 2 {
			t.Errorf("%d jobs above the limit", made-2)
		}
	})
}

// TestExportsPerDay: finished jobs count for a day.
func TestExportsPerDay(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		now := micros.Now()
		p.Limits[limit.ExportsPerDay] = 5
		p.Plant(t, 5, func(ctx context.Context, i int) error {
			id := xid.New()
			if i == 0 {
				id = xid.At(now.Add(-25 * time.Hour)) // no longer of this day
			}
			return p.Client(ctx).Export.Create().SetID(id).SetBucket(bucket.Of(p.Model.ID)).
				SetKind(state.ExportOrders).SetFormat(state.ExportCSV).SetCompression(state.ExportPlain).
				SetRequesterType(viewer.System).SetRequesterID(xid.Nil).SetRequesterName("x").
				SetStatus(state.ExportFailed).SetDueAt(now).SetUpdatedAt(now).Exec(ctx)
		})
		exported(p, t, p.Ctx, state.ExportProducts)
		_, err := p.Mutation().ExportStart(p.Ctx, graphtest.ExportOf(state.ExportProducts))
		if f := faultOf(t, err); f.Code != fault.LimitReached {
			t.Errorf("one more within a day: %v", err)
		}
	})
}

// TestLastGrantEndsExports: the end of an app's last grant cancels its jobs.
func TestLastGrantEndsExports(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		a := p.NewApp(t, scope.ExportsWrite, scope.OrdersRead)
		app, g := p.AsApp(t, a, scope.ExportsWrite, scope.OrdersRead)
		queued, running, done := exported(p, t, app, state.ExportOrders), exported(p, t, app, state.ExportOrders),
			exported(p, t, app, state.ExportOrders)
		stores := exported(p, t, p.Ctx, state.ExportOrders)
		updateJob(p, t, running, func(u *db.ExportUpdate) {
			u.SetStatus(state.ExportRunning).SetSlot(0).SetLeaseOwner(xid.New()).
				SetLeaseUntil(micros.Now().Add(time.Minute))
		})
		completeJob(p, t, done, micros.Now().Add(time.Hour))
		graphtest.Must[*model.GrantPayload](t)(p.Mutation().GrantRevoke(p.Ctx, g.PublicID()))
		for e, want := range map[*model.Export]state.ExportStatus{queued: state.ExportCancelled,
			running: state.ExportCancelled, done: state.ExportCompleted, stores: state.ExportQueued} {
			row := graphtest.Must[*db.Export](t)(p.Client(p.Ctx).Export.Query().Where(exports.ID(e.ID)).Only(p.Ctx))
			if row.Status != want || want == state.ExportCancelled && (row.Slot != nil || row.LeaseOwner != nil) {
				t.Errorf("%s, slot %v, want %s", row.Status, row.Slot, want)
			}
		}
	})
}

// TestExportRoles: owners and admins may export, others may not.
func TestExportRoles(t *testing.T) {
	for role, want := range map[viewer.Role]bool{
		viewer.Owner: true, viewer.Admin: true, viewer.Developer: false, viewer.Support: false,
	} {
		if got := role.Scopes().Has(scope.ExportsWrite); got != want {
			t.Errorf("%s: %t", role, got)
		}
	}
}
