package graph

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	endpoints "github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// rotate issues a second secret.
func (p *shop) rotate(t testing.TB, e *model.WebhookEndpoint) (*model.WebhookEndpoint, string) {
	t.Helper()
	done := must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointRotateSecret(p.ctx, e.PublicID(), e.Version))
	return done.WebhookEndpoint, *done.Secret
}

// opened are the endpoint's two secrets as the engine uses them.
func (p *shop) opened(t testing.TB, id xid.ID) (current, next string) {
	t.Helper()
	first, second := model.Secrets(p.row(t, id), micros.Now())
	current = must[string](t)(p.Webhooks.Vault.Open(id, first))
	if second != nil {
		next = must[string](t)(p.Webhooks.Vault.Open(id, second))
	}
	return current, next
}

// aged moves the issue of the second secret back.
func (p *shop) aged(t testing.TB, id xid.ID, d time.Duration) {
	t.Helper()
	p.meddle(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookEndpoint.Update().Where(endpoints.ID(id)).SetNextSecretAt(micros.Now().Add(-d)).Exec(ctx)
	})
}

func TestRotateAndPromoteSecret(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		made := must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.ctx, receiver("order.paid")))
		first := *made.Secret
		e, second := p.rotate(t, made.WebhookEndpoint)
		if e.SecretHint != first[len(first)-4:] || *e.NextSecretHint != second[len(second)-4:] || *e.NextSecretPromotesAt() != e.NextSecretAt.Add(24*time.Hour) || e.Version != 2 {
			t.Errorf("rotated to %v", e.WebhookEndpoint)
		}
		if row := p.row(t, e.ID); row.String() != e.WebhookEndpoint.String() || bytes.Contains(row.NextSecret, []byte(second[6:])) {
			t.Errorf("stored %v, returned %v", row, e.WebhookEndpoint)
		}
		if now, next := p.opened(t, e.ID); now != first || next != second {
			t.Errorf("signs with %q and %q", now, next)
		}
		if _, err := p.Mutation().WebhookEndpointRotateSecret(p.ctx, e.PublicID(), 2); faultOf(err) != "rotation_pending" {
			t.Errorf("a third secret: %v", err)
		}
		epoch := p.queue(t, e.ID).Epoch
		done := must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointPromoteSecret(p.ctx, e.PublicID(), 2))
		if e = done.WebhookEndpoint; e.SecretHint != second[len(second)-4:] || e.NextSecretHint != nil || e.NextSecretPromotesAt() != nil || done.Secret != nil {
			t.Errorf("promoted to %v", e.WebhookEndpoint)
		}
		if now, next := p.opened(t, e.ID); now != second || next != "" || p.queue(t, e.ID).Epoch == epoch {
			t.Errorf("signs with %q and %q", now, next)
		}
		if _, err := p.Mutation().WebhookEndpointPromoteSecret(p.ctx, e.PublicID(), 3); faultOf(err) != "invalid_transition" {
			t.Errorf("promoted again: %v", err)
		}
	})
}

// A second secret takes over by itself after 24 h: it is shown so at once, and
// written with the next change.
func TestSecondSecretTakesOver(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e, second := p.rotate(t, p.hook(t, p.ctx))
		p.aged(t, e.ID, 24*time.Hour-time.Minute)
		if read := must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.ctx, e.PublicID())); read.NextSecretHint == nil || read.SecretHint != e.SecretHint {
			t.Errorf("a minute before: %v", read.WebhookEndpoint)
		}
		p.aged(t, e.ID, 24*time.Hour)
		read := must[*model.WebhookEndpoint](t)(p.Query().WebhookEndpoint(p.ctx, e.PublicID()))
		if read.NextSecretHint != nil || read.NextSecretPromotesAt() != nil || read.SecretHint != second[len(second)-4:] || read.Version != 2 {
			t.Errorf("shown as %v", read.WebhookEndpoint)
		}
		if now, next := p.opened(t, e.ID); now != second || next != "" {
			t.Errorf("signs with %q and %q", now, next)
		}
		if p.row(t, e.ID).NextSecretAt == nil {
			t.Error("a read wrote the row")
		}
		if _, err := p.Mutation().WebhookEndpointPromoteSecret(p.ctx, e.PublicID(), 2); faultOf(err) != "invalid_transition" {
			t.Errorf("promoted what has taken over: %v", err)
		}
		// The next rotation begins where this one ended.
		e, third := p.rotate(t, read)
		if now, next := p.opened(t, e.ID); now != second || next != third || e.SecretHint != second[len(second)-4:] || *e.NextSecretHint != third[len(third)-4:] {
			t.Errorf("signs with %q and %q; %v", now, next, e.WebhookEndpoint)
		}
		p.aged(t, e.ID, 25*time.Hour)
		in := model.WebhookEndpointUpdateInput{Description: model.Some("x")}
		must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointUpdate(p.ctx, e.PublicID(), 3, in))
		if row := p.row(t, e.ID); row.NextSecret != nil || row.NextSecretHint != nil || row.NextSecretAt != nil || row.SecretHint != third[len(third)-4:] {
			t.Errorf("written %v", row)
		}
		if now, _ := p.opened(t, e.ID); now != third {
			t.Errorf("signs with %q", now)
		}
	})
}

const createHook = `mutation($in: WebhookEndpointCreateInput!) { webhookEndpointCreate(input: $in) {
	webhookEndpoint { id secretHint version } secret userErrors { code path } } }`

// With an idempotency key a secret is shown again to who shows the key; without
// one nothing keeps it. A ping takes no key.
func TestWebhookSecretsAndKeys(t *testing.T) {
	eachFace(t, func(t *testing.T, f *face) {
		key := f.key(scope.WebhooksWrite, scope.OrdersRead)
		in := map[string]any{"in": map[string]any{"url": "https://hooks.example.com/", "events": []string{"order.paid"}}}
		first := f.query(key, createHook, in, keyHeader, "k1").ok()
		again := f.query(key, createHook, in, keyHeader, "k1").ok()
		if !bytes.Equal(first.body, again.body) || !strings.Contains(string(first.body), `"whsec_`) || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("answers\n%s\n%s", first.body, again.body)
		}
		row := f.store.DB(f.ctx).WebhookEndpoint.Query().OnlyX(f.ctx)
		rotate := `mutation { webhookEndpointRotateSecret(id: "` + row.PublicID() + `", expectedVersion: 1) { secret userErrors { code } } }`
		second := f.query(key, rotate, nil, keyHeader, "k2").ok()
		if again := f.query(key, rotate, nil, keyHeader, "k2").ok(); !bytes.Equal(second.body, again.body) || !strings.Contains(string(second.body), `"whsec_`) {
			t.Errorf("answers\n%s\n%s", second.body, again.body)
		}
		for _, kept := range f.store.DB(f.ctx).Idempotency.Query().AllX(f.ctx) {
			if bytes.Contains(kept.Answer, []byte("whsec_")) {
				t.Error("a secret is stored in clear")
			}
		}
		if strings.Contains(f.log.String(), "whsec_") {
			t.Errorf("the log has a secret: %s", f.log)
		}
		test := `mutation { webhookEndpointTest(id: "` + row.PublicID() + `") { delivery { id } userErrors { code } } }`
		if a := f.query(key, test, nil, keyHeader, "k3"); a.code() != "idempotency_not_supported" {
			t.Errorf("a ping with a key: %d %s", a.status, a.body)
		}
		if a := f.query(f.staff(viewer.Support), createHook, in); a.code() != "insufficient_scope" {
			t.Errorf("support registered: %s", a.body)
		}
		in["in"] = map[string]any{"url": "https://hooks.example.com/", "events": []string{"order.paid", "customer.created"}}
		if a := f.query(key, createHook, in).ok(); !strings.Contains(string(a.body), `"insufficient_scope"`) || strings.Contains(string(a.body), "whsec_") {
			t.Errorf("an event without its scope: %s", a.body)
		}
		in["in"] = map[string]any{"url": "https://hooks.example.com/", "events": []string{"order.paid", "x"}}
		if a := f.query(key, createHook, in).ok(); !strings.Contains(string(a.body), `"path":["input","events","1"]`) {
			t.Errorf("an unknown event: %s", a.body)
		}
	})
}

// A ping waits for the receiver, so no transaction may be around it.
func TestWebhookTestOutsideOfTransactions(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		e := p.hook(t, p.ctx)
		err := p.Resolver.Store.InTx(p.ctx, func(ctx context.Context) error {
			_, err := p.Mutation().WebhookEndpointTest(ctx, e.PublicID())
			return err
		})
		if faultOf(err) != "idempotency_not_supported" {
			t.Errorf("got %v", err)
		}
	})
}
