package endpoint_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// rotate issues a second secret.
func rotate(p *graphtest.Shop, t testing.TB, e *model.WebhookEndpoint) (*model.WebhookEndpoint, string) {
	t.Helper()
	done := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointRotateSecret(p.Ctx,
		e.PublicID(), e.Version))
	return done.WebhookEndpoint, *done.Secret
}

// opened returns the endpoint's two secrets as the engine uses them.
func opened(p *graphtest.Shop, t testing.TB, id xid.ID) (current, next string) {
	t.Helper()
	first, second := model.Secrets(rowOf(p, t, id), micros.Now())
	current = graphtest.Must[string](t)(p.Webhooks.Vault.Open(id, first))
	if second != nil {
		next = graphtest.Must[string](t)(p.Webhooks.Vault.Open(id, second))
	}
	return current, next
}

// aged backdates the second secret.
func aged(p *graphtest.Shop, t testing.TB, id xid.ID, d time.Duration) {
	t.Helper()
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookEndpoint.Update().Where(endpoints.ID(id)).SetNextSecretAt(micros.Now().Add(-d)).Exec(ctx)
	})
}

func TestRotateAndPromoteSecret(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		made := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			graphtest.Receiver("order.paid")))
		first := *made.Secret
		e, second := rotate(p, t, made.WebhookEndpoint)
		if e.SecretHint != first[len(first)-4:] || *e.NextSecretHint != second[len(second)-4:] ||
			*e.NextSecretPromotesAt() != e.NextSecretAt.Add(24*time.Hour) || e.Version != 2 {
			t.Errorf("rotated to %v", e.WebhookEndpoint)
		}
		if row := rowOf(p, t, e.ID); row.String() != e.WebhookEndpoint.String() ||
			bytes.Contains(row.NextSecret, []byte(second[6:])) {
			t.Errorf("stored %v, returned %v", row, e.WebhookEndpoint)
		}
		if now, next := opened(p, t, e.ID); now != first || next != second {
			t.Errorf("signs with %q and %q", now, next)
		}
		if _, err := p.Mutation().WebhookEndpointRotateSecret(p.Ctx, e.PublicID(),
			2); graphtest.FaultOf(err) != "rotation_pending" {
			t.Errorf("a third secret: %v", err)
		}
		epoch := p.Queue(t, e.ID).Epoch
		done := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointPromoteSecret(p.Ctx,
			e.PublicID(), 2))
		if e = done.WebhookEndpoint; e.SecretHint != second[len(second)-4:] || e.NextSecretHint != nil ||
			e.NextSecretPromotesAt() != nil || done.Secret != nil {
			t.Errorf("promoted to %v", e.WebhookEndpoint)
		}
		if now, next := opened(p, t, e.ID); now != second || next != "" || p.Queue(t, e.ID).Epoch == epoch {
			t.Errorf("signs with %q and %q", now, next)
		}
		if _, err := p.Mutation().WebhookEndpointPromoteSecret(p.Ctx, e.PublicID(),
			3); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("promoted again: %v", err)
		}
	})
}

// A second secret takes over by itself after 24 h: this shows at once, and is written with the next
// change.
func TestSecondSecretTakesOver(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e, second := rotate(p, t, p.NewEndpoint(t, p.Ctx))
		aged(p, t, e.ID, 24*time.Hour-time.Minute)
		if read := graphtest.Must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.Ctx,
			e.PublicID())); read.NextSecretHint == nil || read.SecretHint != e.SecretHint {
			t.Errorf("a minute before: %v", read.WebhookEndpoint)
		}
		aged(p, t, e.ID, 24*time.Hour)
		read := graphtest.Must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.Ctx, e.PublicID()))
		if read.NextSecretHint != nil || read.NextSecretPromotesAt() != nil ||
			read.SecretHint != second[len(second)-4:] || read.Version != 2 {
			t.Errorf("shown as %v", read.WebhookEndpoint)
		}
		if now, next := opened(p, t, e.ID); now != second || next != "" {
			t.Errorf("signs with %q and %q", now, next)
		}
		if rowOf(p, t, e.ID).NextSecretAt == nil {
			t.Error("a read wrote the row")
		}
		if _, err := p.Mutation().WebhookEndpointPromoteSecret(p.Ctx, e.PublicID(),
			2); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("promoted what has taken over: %v", err)
		}
		// The next rotation starts with the current secret.
		e, third := rotate(p, t, read)
		if now, next := opened(p, t, e.ID); now != second || next != third || e.SecretHint != second[len(second)-4:] ||
			*e.NextSecretHint != third[len(third)-4:] {
			t.Errorf("signs with %q and %q; %v", now, next, e.WebhookEndpoint)
		}
		aged(p, t, e.ID, 25*time.Hour)
		in := model.WebhookEndpointUpdateInput{Description: model.Some("x")}
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.Ctx, e.PublicID(), 3, in))
		if row := rowOf(p, t, e.ID); row.NextSecret != nil || row.NextSecretHint != nil || row.NextSecretAt != nil ||
			row.SecretHint != third[len(third)-4:] {
			t.Errorf("written %v", row)
		}
		if now, _ := opened(p, t, e.ID); now != third {
			t.Errorf("signs with %q", now)
		}
	})
}

// Anyone who knows a secret can forge the events that it signs, so issuing one requires the same
// scopes as subscribing.
func TestSecretNeedsTheEventsScopes(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		made := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			graphtest.Receiver("order.paid")))
		e := made.WebhookEndpoint
		narrow := graphtest.AsKey(p.Ctx, scope.WebhooksWrite)
		_, err := p.Mutation().WebhookEndpointRotateSecret(narrow, e.PublicID(), e.Version)
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("rotated: %v", err)
		}
		e, _ = rotate(p, t, e)
		_, err = p.Mutation().WebhookEndpointPromoteSecret(narrow, e.PublicID(), e.Version)
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("promoted: %v", err)
		}
		wide := graphtest.AsKey(p.Ctx, scope.WebhooksWrite, scope.OrdersRead)
		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointPromoteSecret(wide, e.PublicID(),
			e.Version))
	})
}

// A ping waits for the receiver, so it must not run in a transaction.
func TestWebhookTestOutsideOfTransactions(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		e := p.NewEndpoint(t, p.Ctx)
		err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			_, err := p.Mutation().WebhookEndpointTest(ctx, e.PublicID())
			return err
		})
		if graphtest.FaultOf(err) != "idempotency_not_supported" {
			t.Errorf("got %v", err)
		}
	})
}
