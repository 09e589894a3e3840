package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// attemptsOf returns an input for an export of an endpoint's attempts.
func attemptsOf(id string) model.ExportStartInput {
	in := graphtest.ExportOf(state.ExportWebhookAttempts)
	in.Format, in.WebhookID = state.ExportJSONL, &id
	return in
}

// logged is an attempt as in files and lists.
type logged struct {
	AttemptID     string  `json:"attempt_id"`
	Number        int     `json:"number"`
	BeganAt       string  `json:"began_at"`
	Outcome       string  `json:"outcome"`
	HTTPStatus    *int    `json:"http_status"`
	Duration      int     `json:"duration_us"`
	Detail        *string `json:"detail"`
	NextAt        *string `json:"next_at"`
	DeliveryID    string  `json:"delivery_id"`
	DeliveryState string  `json:"delivery_state"`
	EventID       string  `json:"event_id"`
	EventType     string  `json:"event_type"`
	ResourceType  string  `json:"resource_type"`
	ResourceID    string  `json:"resource_id"`
	CreatedAt     string  `json:"created_at"`
	SettledAt     *string `json:"settled_at"`
}

// written returns a time as files have it, or nil.
func written(t *micros.Time) *string {
	if t == nil {
		return nil
	}
	return new(t.String())
}

// shownLog returns the log of an endpoint as the dashboard shows it, oldest first.
func shownLog(p *graphtest.Shop, t testing.TB, id string) (list []logged) {
	t.Helper()
	core := endpoint.New(p.Core, endpoint.Engines{Webhooks: p.Webhooks})
	e := graphtest.Must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.Ctx, id))
	first := 100
	page := graphtest.Must[*model.WebhookDeliveryConnection](t)(
		endpoint.Fields{Resolver: core}.Deliveries(p.Ctx, e, &first, nil, nil))
	for _, d := range page.Nodes {
		attempts := graphtest.Must[[]*model.WebhookAttempt](t)(
			endpoint.DeliveryFields{Resolver: core}.Attempts(p.Ctx, d))
		for _, a := range attempts {
			list = append(list, logged{a.ID, a.Number, a.At.String(), a.Outcome, a.Status, int(a.Duration), a.Detail,
				written(a.NextAt), d.ID(), string(d.State), d.EventID(), d.Type, d.ResourceType, d.ResourceID(),
				d.CreatedAt().String(), written(d.SettledAt)})
		}
	}
	slices.Reverse(list)
	return list
}

// TestExportAttempts: a file has what the dashboard shows, for deliveries in every state.
func TestExportAttempts(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		p.AddDeliveries(t, e, "delivered", graphtest.DeliveryWaiting, "skipped", graphtest.DeliveryFailed, "failed",
			"cancelled", graphtest.DeliveryWaiting)
		p.AddDeliveries(t, p.NewEndpoint(t, p.Ctx), "delivered")
		p.Exports.Start(t.Context())
		defer p.Exports.Stop(context.Background())
		for _, when := range []string{"active", "stopped"} {
			if when == "stopped" {
				graphtest.Must[*model.WebhookEndpointPayload](t)(
					p.Mutation().WebhookEndpointDisable(p.Ctx, e.PublicID(), e.Version))
			}
			made := graphtest.Must[*model.ExportPayload](t)(
				p.Mutation().ExportStart(p.Ctx, attemptsOf(e.PublicID()))).Export
			if made.PublicEndpointID() == nil || *made.PublicEndpointID() != e.PublicID() {
				t.Errorf("the job is of %v", made.PublicEndpointID())
			}
			if diff := cmp.Diff(shownLog(p, t, e.PublicID()), fileOf(p, t, made)); diff != "" {
				t.Errorf("%s: attempts (-dashboard +file):\n%s", when, diff)
			}
		}
	})
}

// fileOf waits for the file of a job and reads it.
func fileOf(p *graphtest.Shop, t testing.TB, job *model.Export) (list []logged) {
	t.Helper()
	for job.Status != state.ExportCompleted {
		if t.Context().Err() != nil || job.Status == state.ExportFailed {
			t.Fatal(job.Status)
		}
		job = graphtest.Must[*model.Export](t)(p.Query().Export(p.Ctx, job.PublicID()))
	}
	f, err := p.Exports.Open(t.Context(), job.StoreID, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for line := range bytes.Lines(graphtest.Must[[]byte](t)(io.ReadAll(f))) {
		var a logged
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		list = append(list, a)
	}
	return list
}

// TestExportAttemptsOwnership: an export of attempts names an endpoint that its owner may see, and
// other kinds name none.
func TestExportAttemptsOwnership(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		all := []string{scope.ExportsWrite, scope.WebhooksWrite, scope.OrdersRead, scope.ProductsRead}
		app, _ := p.AsApp(t, p.NewApp(t, all...), all...)
		other := p.Other(t)
		theirs := other.NewEndpoint(t, other.Ctx).PublicID()
		stores, its, gone := p.NewEndpoint(t, p.Ctx).PublicID(), p.NewEndpoint(t, app).PublicID(), p.NewEndpoint(t,
			p.Ctx)
		graphtest.Must[*model.WebhookEndpointDeletePayload](t)(
			p.Mutation().WebhookEndpointDelete(p.Ctx, gone.PublicID()))
		of := func(id string, edit func(*model.ExportStartInput)) model.ExportStartInput {
			in := attemptsOf(id)
			edit(&in)
			return in
		}
		for _, tc := range []struct {
			name  string
			ctx   context.Context
			in    model.ExportStartInput
			kind  fault.Kind
			field string
		}{
			{name: "the store's", ctx: p.Ctx, in: attemptsOf(stores)},
			{name: "an app's, by the store", ctx: p.Ctx, in: attemptsOf(its)},
			{name: "an app's own", ctx: app, in: attemptsOf(its)},
			{name: "the store's, by an app", ctx: app, in: attemptsOf(stores), kind: fault.NotFound},
			{name: "another store's", ctx: p.Ctx, in: attemptsOf(theirs), kind: fault.NotFound},
			{name: "unknown", ctx: p.Ctx, in: attemptsOf(xid.WebhookEndpoint.Format(xid.New())), kind: fault.NotFound},
			{name: "malformed", ctx: p.Ctx, in: attemptsOf("whk_1"), kind: fault.NotFound},
			{name: "deleted", ctx: p.Ctx, in: attemptsOf(gone.PublicID()), kind: fault.NotFound},
			{name: "without webhooks.read", ctx: graphtest.AsKey(p.Ctx, scope.ExportsWrite), in: attemptsOf(theirs),
				kind: fault.InsufficientScope},
			{name: "none", ctx: p.Ctx, in: graphtest.ExportOf(state.ExportWebhookAttempts),
				kind: fault.ValidationFailed, field: "#/webhook_id"},
			{name: "of orders", ctx: p.Ctx, kind: fault.ValidationFailed, field: "#/webhook_id",
				in: of(stores, func(in *model.ExportStartInput) { in.Kind = state.ExportOrders })},
			{name: "for spreadsheets", ctx: p.Ctx, kind: fault.ValidationFailed, field: "#/format",
				in: of(stores, func(in *model.ExportStartInput) { in.Format = state.ExportSpreadsheet })},
			{name: "a status", ctx: p.Ctx, kind: fault.ValidationFailed, field: "#/filters/status",
				in: of(stores, func(in *model.ExportStartInput) {
					in.Filters = &model.ExportFiltersInput{Status: new("delivered")}
				})},
		} {
			done, err := p.Mutation().ExportStart(tc.ctx, tc.in)
			if tc.kind == "" {
				if err != nil || *done.Export.PublicEndpointID() != *tc.in.WebhookID {
					t.Errorf("%s: %v", tc.name, err)
				}
				continue
			}
			if f := faultOf(t, err); f.Kind != tc.kind || tc.field != "" && f.Fields[0].Pointer != tc.field ||
				tc.kind == fault.InsufficientScope && f.Scope != scope.WebhooksRead {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
	})
}

// TestExportAttemptsLink: viewers who may not read webhooks get no link.
func TestExportAttemptsLink(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		job := graphtest.Must[*model.ExportPayload](t)(
			p.Mutation().ExportStart(p.Ctx, attemptsOf(e.PublicID()))).Export
		completeJob(p, t, job, micros.Now()+60_000_000)
		for _, tc := range []struct {
			ctx  context.Context
			link bool
		}{{graphtest.AsKey(p.Ctx, scope.ExportsRead), false},
			{graphtest.AsKey(p.Ctx, scope.ExportsRead, scope.OrdersRead), false},
			{graphtest.AsKey(p.Ctx, scope.ExportsRead, scope.WebhooksRead), true}} {
			shown := graphtest.Must[*model.Export](t)(p.Query().Export(tc.ctx, job.PublicID()))
			if (shown.DownloadURL() != nil) != tc.link {
				t.Errorf("the link is %v, want one: %t", shown.DownloadURL(), tc.link)
			}
		}
	})
}
