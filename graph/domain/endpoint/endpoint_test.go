package endpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// resolver returns the operations of this package.
func resolver(p *graphtest.Shop) *endpoint.Resolver {
	return endpoint.New(p.Core, endpoint.Engines{Webhooks: p.Webhooks})
}

// rowOf reads an endpoint's row, deleted or not.
func rowOf(p *graphtest.Shop, t testing.TB, id xid.ID) *db.WebhookEndpoint {
	t.Helper()
	return graphtest.Must[*db.WebhookEndpoint](t)(p.Client(p.Ctx).WebhookEndpoint.Query().Where(endpoints.ID(id)).
		Only(p.Ctx))
}

func TestWebhookEndpointCreate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		in := graphtest.Receiver("product.updated", "order.paid", "product.updated")
		in.Description = new("Warehouse")
		made := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx, in))
		e := made.WebhookEndpoint
		if d := cmp.Diff([]string{"order.paid", "product.updated"}, e.Events()); d != "" {
			t.Error(d)
		}
		if e.URL != in.URL || *e.Description != "Warehouse" || e.Status != state.EndpointActive || e.Version != 1 ||
			e.UpdatedAt != e.CreatedAt() || e.SecretHint != (*made.Secret)[len(*made.Secret)-4:] || e.App != nil ||
			e.AppID != nil || e.SuspendedAt() != nil || e.NextSecretPromotesAt() != nil {
			t.Errorf("created %v", e.WebhookEndpoint)
		}
		read := graphtest.Must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.Ctx, e.PublicID()))
		if read.WebhookEndpoint.String() != e.WebhookEndpoint.String() || read.Health.String() != e.Health.String() {
			t.Errorf("stored %v, returned %v", read.WebhookEndpoint, e.WebhookEndpoint)
		}
		if got := p.Audited(t); !strings.HasSuffix(got, " webhook_endpoint.create") {
			t.Errorf("audit log %q", got)
		}
		if e.Payload != state.PayloadFull {
			t.Errorf("messages are %q", e.Payload)
		}
		toThin := model.WebhookEndpointUpdateInput{Payload: model.Some(state.PayloadThin)}
		thin := graphtest.Must[*model.WebhookEndpointPayload](t)(
			p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(), 1, toThin)).WebhookEndpoint
		if thin.Payload != state.PayloadThin || thin.Version != 2 {
			t.Errorf("changed to %v", thin.WebhookEndpoint)
		}
		// The database has the secret only in encrypted form.
		row := rowOf(p, t, e.ID)
		if strings.Contains(fmt.Sprintf("%+v", row), *made.Secret) ||
			bytes.Contains(row.Secret, []byte((*made.Secret)[6:])) {
			t.Error("the row holds the secret in clear")
		}
		if plain := graphtest.Must[string](t)(p.Webhooks.Vault.Open(e.ID, row.Secret)); plain != *made.Secret {
			t.Errorf("the vault has %q", plain)
		}
		if _, err := p.Webhooks.Vault.Open(xid.New(), row.Secret); err == nil {
			t.Error("the secret opens for another endpoint")
		}
	})
}

// fieldsOf returns the fields of an error as "pointer code".
func fieldsOf(err error) []string {
	var all []string
	if f, ok := errors.AsType[*fault.Error](err); ok {
		for _, bad := range f.Fields {
			all = append(all, bad.Pointer+" "+bad.Code)
		}
	}
	return all
}

func TestWebhookEndpointChecks(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, err := p.Mutation().WebhookEndpointCreate(p.Ctx,
			model.WebhookEndpointCreateInput{URL: "https://" + strings.Repeat("x", 2048),
				Events: []string{"order.paid", "ping", ""}, Description: new("a\u0007")})
		if d := cmp.Diff(
			[]string{"#/url too_long", "#/events/1 unknown_value", "#/events/2 unknown_value",
				"#/description invalid_format"}, fieldsOf(err)); d != "" {
			t.Error(d)
		}
		if _, err := p.Mutation().WebhookEndpointCreate(p.Ctx,
			graphtest.Receiver()); graphtest.FieldOf(err) != "#/events too_short" {
			t.Errorf("no events: %v", err)
		}
		// Errors of the input come before missing scopes, which the error names.
		writer := graphtest.AsKey(p.Ctx, scope.WebhooksWrite)
		if _, err := p.Mutation().WebhookEndpointCreate(writer,
			graphtest.Receiver("order.paid", "x")); graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("%v", err)
		}
		for _, e := range event.All() {
			_, err := p.Mutation().WebhookEndpointCreate(graphtest.AsKey(p.Ctx, scope.WebhooksWrite),
				graphtest.Receiver(string(e.Type)))
			f, _ := errors.AsType[*fault.Error](err)
			if e.Scope == scope.WebhooksRead {
				continue // not implied by a scope that is not effective
			}
			if f == nil || f.Kind != fault.InsufficientScope || f.Scope != e.Scope {
				t.Errorf("%s: %v", e.Type, err)
			}
			graphtest.Must[*model.WebhookEndpointPayload](t)(
				p.Mutation().WebhookEndpointCreate(graphtest.AsKey(p.Ctx, scope.WebhooksWrite, e.Scope),
					graphtest.Receiver(string(e.Type))))
		}
	})
}

// An app sees and changes its own endpoints alone, staff and keys see all of the store's. Deleted
// ones and those of other stores are never visible.
func TestWebhookEndpointOwnership(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		all := []string{scope.WebhooksWrite, scope.OrdersRead, scope.ProductsRead}
		maker := p.Other(t)
		one, grant := p.AsApp(t, maker.NewApp(t, all...), all...)
		two, _ := p.AsApp(t, maker.NewApp(t, all...), all...)
		mine, theirs, stores := p.NewEndpoint(t, one), p.NewEndpoint(t, two), p.NewEndpoint(t, graphtest.AsKey(p.Ctx,
			all...))
		gone := p.NewEndpoint(t, one)
		graphtest.Must[*model.WebhookEndpointDeletePayload](t)(p.Mutation().WebhookEndpointDelete(one, gone.PublicID()))
		if *mine.AppID != grant.AppID || *mine.AppStoreID != maker.Model.ID || mine.App.Name != "Bridge" ||
			stores.AppID != nil {
			t.Errorf("created %v for %v", mine.WebhookEndpoint, mine.App)
		}
		_, developer := p.Member(t, viewer.Developer)
		for who, tc := range map[string]struct {
			ctx  context.Context
			want []*model.WebhookEndpoint
		}{
			"one": {one, []*model.WebhookEndpoint{mine}}, "two": {two, []*model.WebhookEndpoint{theirs}},
			"key":       {graphtest.AsKey(p.Ctx, scope.WebhooksRead), []*model.WebhookEndpoint{stores, theirs, mine}},
			"developer": {developer, []*model.WebhookEndpoint{stores, theirs, mine}}, "elsewhere": {maker.Ctx, nil},
		} {
			var got, want []string
			for _, e := range graphtest.Must[*model.WebhookEndpointConnection](t)(p.Query().WebhookEndpoints(tc.ctx,
				nil, nil)).Nodes {
				got = append(got, e.PublicID())
			}
			for _, e := range tc.want {
				want = append(want, e.PublicID())
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s lists (-want +got):\n%s", who, d)
			}
			for _, e := range []*model.WebhookEndpoint{mine, theirs, stores, gone} {
				sees := slices.Contains(want, e.PublicID())
				if _, err := p.Query().WebhookEndpoint(tc.ctx, e.PublicID()); (err == nil) != sees ||
					!sees && graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s reads %s: %v", who, e.PublicID(), err)
				}
				if sees {
					continue
				}
				for name, change := range endpointChanges(tc.ctx, p, e.PublicID(), e.Version) {
					if err := change(); graphtest.FaultOf(err) != "not_found" {
						t.Errorf("%s, %s: %v", who, name, err)
					}
				}
			}
		}
	})
}

// endpointChanges returns all changes of one endpoint.
func endpointChanges(ctx context.Context, p *graphtest.Shop, id string, version int64) map[string]func() error {
	m := p.Mutation()
	past := micros.Now().Add(-time.Hour)
	return map[string]func() error{
		"update": func() error {
			_, err := m.WebhookEndpointUpdate(ctx, id, version,
				model.WebhookEndpointUpdateInput{Description: model.Some("x")})
			return err
		},
		"disable": func() error { _, err := m.WebhookEndpointDisable(ctx, id, version); return err },
		"reactivate": func() error {
			_, err := m.WebhookEndpointReactivate(ctx, id, version, state.BacklogResume, nil)
			return err
		},
		"rotate":  func() error { _, err := m.WebhookEndpointRotateSecret(ctx, id, version); return err },
		"promote": func() error { _, err := m.WebhookEndpointPromoteSecret(ctx, id, version); return err },
		"delete":  func() error { _, err := m.WebhookEndpointDelete(ctx, id); return err },
		"test":    func() error { _, err := m.WebhookEndpointTest(ctx, id); return err },
		"replay":  func() error { _, err := m.WebhookEndpointReplay(ctx, id, past, past+1); return err },
	}
}

func TestWebhookEndpointUpdate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		before := p.Queue(t, e.ID)
		in := model.WebhookEndpointUpdateInput{URL: model.Some("https://b.example.com/"),
			Description: model.Some("New")}
		in.Events = model.Given([]string{"product.created"})
		now := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(),
			1, in)).WebhookEndpoint
		if now.URL != "https://b.example.com/" || *now.Description != "New" || now.Version != 2 ||
			now.UpdatedAt <= e.UpdatedAt || now.WebhookEndpoint.Events != "product.created" {
			t.Errorf("changed to %v", now.WebhookEndpoint)
		}
		if read := rowOf(p, t, e.ID); read.String() != now.WebhookEndpoint.String() {
			t.Errorf("stored %v, returned %v", read, now.WebhookEndpoint)
		}
		if after := p.Queue(t, e.ID); after.Epoch == before.Epoch {
			t.Error("the engine was not notified")
		}
		again := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx,
			e.PublicID(), 2, in)).WebhookEndpoint
		if again.Version != 2 {
			t.Errorf("the same again has version %d", again.Version)
		}
		if _, err := p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(), 1,
			in); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("an old version: %v", err)
		}
		empty := model.WebhookEndpointUpdateInput{Description: model.Given[*string](nil)}
		if got := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx,
			e.PublicID(), 2, empty)).WebhookEndpoint; got.Description != nil {
			t.Errorf("emptied: %v", got.WebhookEndpoint)
		}
		bad := model.WebhookEndpointUpdateInput{URL: model.Given[*string](nil), Description: model.Some("")}
		bad.Events = model.Given([]string(nil))
		_, err := p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(), 3, bad)
		if d := cmp.Diff([]string{"#/url required", "#/description too_short", "#/events too_short"},
			fieldsOf(err)); d != "" {
			t.Error(d)
		}
	})
}

// The receiver can be a queue, once no earlier release runs, and again another one.
func TestWebhookEndpointQueue(t *testing.T) {
	const queue = "tls://b.example.com/shop"
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		for i, to := range []string{queue, e.URL} {
			now := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx,
				e.PublicID(), int64(i+1), model.WebhookEndpointUpdateInput{URL: model.Some(to)}))
			if got := now.WebhookEndpoint.URL; got != to {
				t.Errorf("changed to %q", got)
			}
		}
	})
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := graphtest.Receiver("order.paid")
		e := graphtest.Must[*model.WebhookEndpointPayload](t)(
			r.Mutation().WebhookEndpointCreate(ctx, in)).WebhookEndpoint
		in.URL = queue
		for _, err := range []error{graphtest.ErrOf(r.Mutation().WebhookEndpointCreate(ctx, in)),
			graphtest.ErrOf(r.Mutation().WebhookEndpointUpdate(ctx, e.PublicID(), 1,
				model.WebhookEndpointUpdateInput{URL: model.Some(queue)}))} {
			if got := graphtest.FaultOf(err); got != "invalid_transition" {
				t.Errorf("beside an earlier release: %q", got)
			}
		}
	})
}

// A change of an endpoint's address requires the scopes of all events that it then has.
func TestWebhookEndpointUpdateNeedsTheEventsScopes(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx, "order.paid", "product.updated")
		reader := graphtest.AsKey(p.Ctx, scope.WebhooksWrite, scope.ProductsRead)
		move := model.WebhookEndpointUpdateInput{URL: model.Some("https://mine.example.com/")}
		if _, err := p.Mutation().WebhookEndpointUpdate(reader, e.PublicID(), 1,
			move); graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("moved without the scope for orders: %v", err)
		}
		move.Events = model.Given([]string{"product.updated"})
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(reader, e.PublicID(), 1,
			move))
		move.Events = model.Given([]string{"product.updated", "customer.created"})
		if _, err := p.Mutation().WebhookEndpointUpdate(reader, e.PublicID(), 2,
			move); graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("added without the scope for customers: %v", err)
		}
		if row := rowOf(p, t, e.ID); row.Version != 2 || row.Events != "product.updated" {
			t.Errorf("left %v", row)
		}
	})
}

func TestWebhookEndpointDelete(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointRotateSecret(p.Ctx, e.PublicID(),
			1))
		p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
			return c.WebhookQueue.Update().Where(webhookqueue.ID(e.ID)).SetLastSequence(7).Exec(ctx)
		})
		if got := graphtest.Must[*model.WebhookEndpointDeletePayload](t)(p.Mutation().WebhookEndpointDelete(p.Ctx,
			e.PublicID())); *got.DeletedID != e.PublicID() {
			t.Errorf("deleted %s", *got.DeletedID)
		}
		row, queue := rowOf(p, t, e.ID), p.Queue(t, e.ID)
		if row.DeletedAt == nil || len(row.Secret)+len(row.NextSecret)+len(row.SecretHint) != 0 ||
			row.NextSecretHint != nil || row.Version != 3 {
			t.Errorf("left %v", row)
		}
		if queue.FloorSequence != 7 {
			t.Errorf("the queue goes on from %d", queue.FloorSequence)
		}
		for name, change := range endpointChanges(p.Ctx, p, e.PublicID(), 3) {
			if err := change(); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("%s of a deleted one: %v", name, err)
			}
		}
		if got := p.Audited(t); !strings.HasSuffix(got, " webhook_endpoint.rotate_secret webhook_endpoint.delete") {
			t.Errorf("audit log %q", got)
		}
	})
}

// A page costs three statements however many endpoints it has, and each GraphQL field one more.
func TestWebhookEndpointQueryCounts(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		all := []string{scope.WebhooksWrite, scope.OrdersRead, scope.ProductsRead}
		for range 3 {
			ctx, _ := p.AsApp(t, p.NewApp(t, all...), all...)
			p.NewEndpoint(t, ctx)
			p.NewEndpoint(t, p.Ctx)
		}
		for _, size := range []int{2, 6} {
			counted, n := ent.CountStatements(p.Ctx)
			page := graphtest.Must[*model.WebhookEndpointConnection](t)(p.Query().WebhookEndpoints(counted, &size, nil))
			if n.N() != 3 || len(page.Nodes) != size {
				t.Errorf("%d endpoints cost %d statements, want 3", len(page.Nodes), n.N())
			}
			for _, e := range page.Nodes {
				graphtest.Must[*model.WebhookQueueState](t)(
					endpoint.Fields{Resolver: resolver(p)}.Queue(counted, e))
				graphtest.Must[[]*model.WebhookActivity](t)(
					endpoint.Fields{Resolver: resolver(p)}.Activity(counted, e, 24))
			}
			if n.N() != 5 {
				t.Errorf("%d endpoints with queues and activity cost %d statements, want 5", size, n.N())
			}
		}
	})
}

// The catalog has a sentence for each event.
func TestWebhookEventTypes(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		types := graphtest.Must[[]*model.WebhookEventType](t)(r.Query().WebhookEventTypes(ctx))
		if len(types) != len(event.All()) {
			t.Fatalf("%d types, the catalogue has %d", len(types), len(event.All()))
		}
		for i, e := range event.All() {
			if got := *types[i]; got.Name != string(e.Type) || got.Scope != e.Scope ||
				got.ResourceType != e.Resource.Resource() || !strings.HasSuffix(got.Trigger, ".") {
				t.Errorf("%+v", got)
			}
		}
	})
}

// A new address needs a recent identity confirmation in a browser, or a staff token created for
// that. Other changes do not, and API keys may change their endpoints.
func TestNewAddressNeedsProof(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			graphtest.Receiver("product.updated"))).WebhookEndpoint
		owner := *viewer.From(p.As(p.Owner.ID, viewer.Owner))
		stale, plain, made := owner, owner, owner
		stale.Session, stale.ProvedAt = digest.Of([]byte("a browser")), micros.Now().Add(-viewer.ProofLife)
		plain.Credential, made.Credential, made.Sensitive = xid.New(), xid.New(), true
		change := func(v *viewer.Viewer, in model.WebhookEndpointUpdateInput) string {
			done, err := p.Mutation().WebhookEndpointUpdate(viewer.With(t.Context(), v), e.PublicID(), e.Version, in)
			if err == nil {
				e = done.WebhookEndpoint
			}
			return graphtest.FaultOf(err)
		}
		elsewhere := model.WebhookEndpointUpdateInput{URL: model.Some("https://elsewhere.example/hook")}
		same := model.WebhookEndpointUpdateInput{URL: model.Some(e.URL), Description: model.Some("Ours")}
		for _, tt := range []struct {
			name string
			by   *viewer.Viewer
			in   model.WebhookEndpointUpdateInput
			want string
		}{
			{"an old proof", &stale, elsewhere, "reauthentication_required"},
			{"a staff token", &plain, elsewhere, "forbidden"},
			{"an old proof, the same address", &stale, same, ""},
			{"a staff token, the same address", &plain, same, ""},
			{"a staff token for it", &made, elsewhere, ""},
			{"an API key", viewer.From(graphtest.AsKey(p.Ctx, "webhooks.write", "products.read")), same, ""},
		} {
			if got := change(tt.by, tt.in); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
	})
}
