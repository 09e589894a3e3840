package endpoint_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/endpoint"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
)

// A ping is sent at once, whatever the status, and appears in the list of deliveries.
func TestWebhookEndpointTest(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
		p.Webhooks = graphtest.Must[*webhook.Engine](t)(webhook.New(webhook.Config{Store: p.Resolver.Store,
			Vault: webhook.NewVault(ring), Egress: egress.Policy{AllowLoopback: true}}))
		p.Use(p.Engines)
		status, got := http.StatusOK, ""
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = string(body)
			w.WriteHeader(status)
			io.WriteString(w, "said")
		}))
		defer receiver.Close()
		made := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			model.WebhookEndpointCreateInput{URL: receiver.URL, Events: []string{"order.paid"}}))
		e := made.WebhookEndpoint
		fields := endpoint.DeliveryFields{Resolver: resolver(p)}

		d := graphtest.Must[*model.WebhookDeliveryPayload](t)(p.Mutation().WebhookEndpointTest(p.Ctx,
			e.PublicID())).Delivery
		if d.State != state.DeliveryDelivered || d.Type != "ping" || d.ResourceType != "webhook_endpoint" ||
			d.ResourceID() != e.PublicID() || !strings.Contains(got, `"type":"ping"`) {
			t.Errorf("%+v, received %s", d, got)
		}
		if strings.Contains(got, *made.Secret) {
			t.Errorf("the ping reveals the secret: %s", got)
		}
		attempts := graphtest.Must[[]*model.WebhookAttempt](t)(fields.Attempts(p.Ctx, d))
		if len(attempts) != 1 || *attempts[0].Status != 200 || *attempts[0].Response != "said" ||
			attempts[0].Outcome != "delivered" ||
			!strings.HasPrefix(*attempts[0].Request, "POST / HTTP/1.1\r\nHost: ") ||
			!strings.Contains(*attempts[0].Request, "\r\nX-Service-Delivery-Id: "+d.ID()+"\r\n") {
			t.Errorf("attempts %+v", attempts)
		}
		if body := graphtest.Must[*string](t)(fields.Payload(p.Ctx, d)); body != nil {
			t.Errorf("payload %s", *body)
		}
		if _, err := p.Mutation().WebhookDeliveryRetry(p.Ctx, d.ID()); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("a ping was sent again: %v", err)
		}

		graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointDisable(p.Ctx, e.PublicID(), 1))
		status = http.StatusTeapot
		d = graphtest.Must[*model.WebhookDeliveryPayload](t)(p.Mutation().WebhookEndpointTest(p.Ctx,
			e.PublicID())).Delivery
		if attempts = graphtest.Must[[]*model.WebhookAttempt](t)(fields.Attempts(p.Ctx,
			d)); d.State != state.DeliveryFailed || *attempts[0].Status != http.StatusTeapot {
			t.Errorf("%+v, %+v", d, attempts)
		}
		if ids := listed(p, t, e, 10, nil); len(ids) != 2 || ids[0] != d.ID() {
			t.Errorf("listed %v", ids)
		}
		if log := p.Audited(t); strings.Count(log, "webhook_endpoint.test") != 2 {
			t.Errorf("audit log %q", log)
		}
		for range 8 {
			graphtest.Must[*model.WebhookDeliveryPayload](t)(p.Mutation().WebhookEndpointTest(p.Ctx, e.PublicID()))
		}
		_, err := p.Mutation().WebhookEndpointTest(p.Ctx, e.PublicID())
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Limit != "pings_per_minute" {
			t.Errorf("the eleventh ping of a minute: %v", err)
		}
		if n := strings.Count(p.Audited(t), "webhook_endpoint.test"); n != 10 {
			t.Errorf("%d pings in the audit log, want 10", n)
		}
	})
}
