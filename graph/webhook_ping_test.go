package graph

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/egress"
	"github.com/storefront-go/storefront/graph/keyring"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/webhook"
)

// A ping is sent at once, whatever the status, and is in the list of deliveries.
func TestWebhookEndpointTest(t *testing.T) {
	eachShop(t, func(t *testing.T, p *shop) {
		ring := must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
		p.Webhooks = must[*webhook.Engine](t)(webhook.New(webhook.Config{Store: p.Resolver.Store, Vault: webhook.NewVault(ring),
			Egress: egress.Policy{AllowLoopback: true}}))
		status, got := http.StatusOK, ""
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = string(body)
			w.WriteHeader(status)
			io.WriteString(w, "said")
		}))
		defer receiver.Close()
		made := must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.ctx, model.WebhookEndpointCreateInput{URL: receiver.URL, Events: []string{"order.paid"}}))
		e := made.WebhookEndpoint
		fields := deliveryFields{p.Resolver}

		d := must[*model.WebhookDeliveryPayload](t)(p.Mutation().WebhookEndpointTest(p.ctx, e.PublicID())).Delivery
		if d.State != state.DeliveryDelivered || d.Type != "ping" || d.ResourceType != "webhook_endpoint" || d.ResourceID() != e.PublicID() || !strings.Contains(got, `"type":"ping"`) {
			t.Errorf("%+v, received %s", d, got)
		}
		if strings.Contains(got, *made.Secret) {
			t.Errorf("the ping tells the secret: %s", got)
		}
		attempts := must[[]*model.WebhookAttempt](t)(fields.Attempts(p.ctx, d))
		if len(attempts) != 1 || *attempts[0].Status != 200 || *attempts[0].Response != "said" || attempts[0].Outcome != "delivered" {
			t.Errorf("attempts %+v", attempts)
		}
		if body := must[*string](t)(fields.Payload(p.ctx, d)); body != nil {
			t.Errorf("payload %s", *body)
		}
		if _, err := p.Mutation().WebhookDeliveryRetry(p.ctx, d.ID()); faultOf(err) != "invalid_transition" {
			t.Errorf("a ping was sent again: %v", err)
		}

		must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointDisable(p.ctx, e.PublicID(), 1))
		status = http.StatusTeapot
		d = must[*model.WebhookDeliveryPayload](t)(p.Mutation().WebhookEndpointTest(p.ctx, e.PublicID())).Delivery
		if attempts = must[[]*model.WebhookAttempt](t)(fields.Attempts(p.ctx, d)); d.State != state.DeliveryFailed || *attempts[0].Status != http.StatusTeapot {
			t.Errorf("%+v, %+v", d, attempts)
		}
		if ids := p.listed(t, e, 10, nil); len(ids) != 2 || ids[0] != d.ID() {
			t.Errorf("listed %v", ids)
		}
		if log := p.audited(t); strings.Count(log, "webhook_endpoint.test") != 2 {
			t.Errorf("audit log %q", log)
		}
	})
}
