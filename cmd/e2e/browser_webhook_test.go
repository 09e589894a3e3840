//go:build !race

package e2e

import (
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// hookAddress is a receiver that is never contacted: these tests create no events.
const hookAddress = "https://hooks.example.com/in"

// registered creates an endpoint with GraphQL and returns its id.
func (p *program) registered(t *testing.T, token, address, description string, events ...string) string {
	t.Helper()
	var made struct {
		WebhookEndpointCreate struct {
			WebhookEndpoint struct{ ID string }
			UserErrors      []struct{ Message string }
		}
	}
	p.graphql(t, token, `mutation($input: WebhookEndpointCreateInput!) { webhookEndpointCreate(input: $input) { `+
		`webhookEndpoint { id } userErrors { message } } }`,
		map[string]any{"input": map[string]any{"url": address, "description": description, "events": events}}, &made)
	if made.WebhookEndpointCreate.WebhookEndpoint.ID == "" {
		t.Fatalf("register %s: %+v", address, made)
	}
	return made.WebhookEndpointCreate.WebhookEndpoint.ID
}

// endpoint is an endpoint as the service shows it.
type endpoint struct {
	ID, URL, Status, SecretHint string
	Description, NextSecretHint *string
	Events                      []string
}

func (p *program) endpoint(t *testing.T, token, id string) *endpoint {
	t.Helper()
	var found struct{ WebhookEndpoint endpoint }
	p.graphql(t, token, `query($id: ID!) { webhookEndpoint(id: $id) { id url status secretHint description `+
		`nextSecretHint events } }`,
		map[string]any{"id": id}, &found)
	return &found.WebhookEndpoint
}

// secret reads the secret in the dialog and confirms that it is stored.
func (b *browser) secret(picture string) string {
	b.t.Helper()
	secret := b.text(`[data-test="secret"]`)
	if !strings.HasPrefix(secret, "whsec_") {
		b.t.Errorf("the secret is %q", secret)
	}
	b.see(`dialog a[href="/docs/webhooks"]`)
	b.shot(picture)
	b.click(`[data-test="secret-done"]`)
	b.gone(`dialog`)
	return secret
}

// unseen reloads the page and fails if it contains the secret.
func (b *browser) unseen(secret string) {
	b.t.Helper()
	b.open(b.at())
	b.see(`[data-test="endpoint-details"]`)
	b.gone(`.waiting-rows`)
	if evaluate[bool](b, "document.documentElement.outerHTML.includes("+quote(secret)+")") {
		b.t.Error("a secret is shown twice")
	}
}

// confirm opens a dialog by its button and sends it.
func (b *browser) confirm(button css) {
	b.t.Helper()
	b.click(button)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
}

// An endpoint is registered, shows its secret once, is edited, disabled and reactivated, gets
// another secret, and is deleted.
func TestBrowserWebhook(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	token := f.Stores[0].StaffToken
	b.signIn("/dashboard/webhooks", f.Stores[0].Owner)
	b.click(`[data-test="webhook-new"]`)
	b.see(`dialog [data-test="events"] input`)
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="error-url"]`)
	b.fill(`dialog input[name="url"]`, hookAddress+"#part")
	b.fill(`dialog input[name="description"]`, "Warehouse")
	b.click(`dialog label[for="event-order.paid"]`)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("fragment")
	b.fill(`dialog input[name="url"]`, hookAddress)
	b.shot("webhook-new")
	b.click(`dialog [data-test="submit"]`)
	first := b.secret("webhook-secret")
	b.unseen(first)
	id := b.text(`[data-test="endpoint-id"]`)
	e := p.endpoint(t, token, id)
	if e.URL != hookAddress || *e.Description != "Warehouse" || strings.Join(e.Events, " ") != "order.paid" ||
		!strings.HasSuffix(first, e.SecretHint) {
		t.Errorf("%+v", e)
	}
	b.editWebhook(p, token, id)
	b.stopWebhook(p, token, id)
	b.rotateWebhook(p, token, first, id)

	b.open("/dashboard/webhooks")
	b.see(`[data-test="webhooks"] tr[data-id="` + css(id) + `"] [data-test="spark"]`)
	b.shot("webhooks")
	b.click(`[data-test="endpoint"]`)
	b.confirm(`[data-test="webhook-remove"]`)
	b.see(`[data-test="webhook-new"]`)
	b.gone(`tr[data-id="` + css(id) + `"]`)
	b.open("/dashboard/webhooks/" + id)
	b.seeText("This webhook endpoint does not exist")
}

// editWebhook changes everything that can be changed; untouched values stay.
func (b *browser) editWebhook(p *program, token, id string) {
	b.t.Helper()
	b.click(`[data-test="webhook-edit"]`)
	b.fill(`dialog input[name="description"]`, "Warehouse, second floor")
	b.click(`dialog [data-test="all-product"]`)
	b.click(`dialog label[for="event-product.deleted"]`)
	b.shot("webhook-edit")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("second floor")
	e := p.endpoint(b.t, token, id)
	want := "order.paid product.archived product.created product.published product.unpublished product.updated"
	if got := strings.Join(e.Events, " "); got != want || e.URL != hookAddress ||
		*e.Description != "Warehouse, second floor" {
		b.t.Errorf("%+v", e)
	}
	if got := strings.Join(strings.Fields(b.text(`[data-test="endpoint-events"]`)), " "); got != want {
		b.t.Errorf("the page shows %q", got)
	}
}

// stopWebhook disables and reactivates, also while another person works on it.
func (b *browser) stopWebhook(p *program, token, id string) {
	b.t.Helper()
	b.click(`[data-test="webhook-disable"]`)
	b.see(`dialog [data-test="submit"]`)
	var moved struct {
		WebhookEndpointUpdate struct{ UserErrors []struct{} }
	}
	p.graphql(b.t, token, `mutation($id: ID!) { webhookEndpointUpdate(id: $id, expectedVersion: 2, input: `+
		`{description: "Moved"}) { userErrors { code } } }`,
		map[string]any{"id": id}, &moved)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Someone else changed this")
	b.await("the newest description",
		`document.querySelector('[data-test="endpoint-details"]').innerText.includes('Moved')`)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.see(`[data-test="standing"]`)
	b.seeText("Disabled manually.")
	if s := p.endpoint(b.t, token, id).Status; s != "DISABLED" {
		b.t.Errorf("%s, want DISABLED", s)
	}
	b.shot("webhook-disabled")
	b.click(`[data-test="webhook-reactivate"]`)
	b.see(`dialog label[for="backlog-RESUME"]`)
	b.gone(`dialog input[name="since"]`)
	b.click(`dialog label[for="backlog-FROM"]`)
	b.see(`dialog input[name="since"]`)
	b.shot("webhook-reactivate")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.gone(`[data-test="standing"]`)
	if s := p.endpoint(b.t, token, id).Status; s != "ACTIVE" {
		b.t.Errorf("%s, want ACTIVE", s)
	}
}

// rotateWebhook issues a second secret and promotes it.
func (b *browser) rotateWebhook(p *program, token, first, id string) {
	b.t.Helper()
	b.click(`[data-test="webhook-rotate"]`)
	b.click(`dialog [data-test="submit"]`)
	b.seeText("webhook-signature")
	second := b.secret("webhook-rotated")
	b.unseen(second)
	e := p.endpoint(b.t, token, id)
	if second == first || e.NextSecretHint == nil || !strings.HasSuffix(second, *e.NextSecretHint) ||
		!strings.HasSuffix(first, e.SecretHint) {
		b.t.Errorf("after the rotation: %+v", e)
	}
	b.confirm(`[data-test="webhook-promote"]`)
	b.see(`[data-test="webhook-rotate"]`)
	if e := p.endpoint(b.t, token, id); !strings.HasSuffix(second, e.SecretHint) || e.NextSecretHint != nil {
		b.t.Errorf("after the promotion: %+v", e)
	}
}

// Addresses, descriptions and names of apps are shown unchanged as text on every page.
func TestBrowserWebhookTexts(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	address := "https://hooks.example.com/&lt;img%20src=x'onerror=pwned=1//javascript:pwned=1?a=" +
		strings.Repeat("long", 100)
	id := p.registered(t, p.hostile(t, f), address, payload, "product.created", "product.deleted")
	b.signIn("/dashboard/webhooks", f.Stores[0].Owner)
	b.see(`[data-test="webhooks"] tbody tr`)
	if got := b.text(`[data-test="endpoint"]`); got != address {
		t.Errorf("the list shows %q, want %q", got, address)
	}
	for _, path := range []string{"/webhooks", "/webhooks/" + id, "", "/audit"} {
		b.open("/dashboard" + path)
		b.see(`main h1`)
		b.gone(`.waiting-rows`)
		b.unharmed(path)
		b.dress("dark", 360)
		if wide := evaluate[int](b, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s is %d px wide on a phone", path, wide)
		}
		b.dress("light", 1280)
	}
	b.open("/dashboard/webhooks/" + id)
	details := b.text(`[data-test="endpoint-details"]`)
	if strings.Count(details, payload) != 2 || !strings.Contains(details, address) {
		t.Errorf("the page does not show description, owner and address as they are:\n%s", details)
	}
	for _, button := range []css{
		`[data-test="webhook-edit"]`, `[data-test="webhook-disable"]`, `[data-test="webhook-remove"]`,
	} {
		b.click(button)
		b.see(`dialog [data-test="submit"]`)
		b.unharmed(string(button))
		b.click(`dialog .icon-button`)
		b.gone(`dialog`)
	}
}

// hostile returns the token of an app named [payload], allowed in the first store.
func (p *program) hostile(t *testing.T, f *demo.File) string {
	t.Helper()
	var made struct {
		AppCreate struct{ App struct{ ClientID string } }
	}
	p.graphql(t, f.Stores[0].StaffToken,
		`mutation($x: String!) { appCreate(input: {name: $x, developer: $x, redirectUris: ["http://127.0.0.1/callback"],
		scopes: ["products.read", "webhooks.write"]}) { app { clientId } userErrors { message } } }`,
		map[string]any{"x": payload}, &made)
	c := p.app(f, oauth2.AuthStyleInParams)
	c.ClientID = made.AppCreate.App.ClientID
	return p.exchange(t, c, f.Stores[0].Owner).AccessToken
}

// A role with few scopes is offered few events, and support has no webhooks.
func TestBrowserWebhookRoles(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	token := f.Stores[0].StaffToken
	id := p.registered(t, token, hookAddress, "Both", "order.paid", "product.created")
	t.Run("support", func(t *testing.T) {
		b := p.browse(t)
		b.signIn("/dashboard", p.staff(t, token, "SUPPORT"))
		b.see(`[data-test="notices"]`)
		b.gone(`nav a[href="/dashboard/webhooks"]`)
		b.gone(`[data-test="webhook-health"]`)
		for _, path := range []string{"/webhooks", "/webhooks/" + id, "/webhooks/" + id + "/deliveries/dlv_1"} {
			b.open("/dashboard" + path)
			b.seeText("Your role does not have access to this page")
		}
	})
	t.Run("developer", func(t *testing.T) {
		b := p.browse(t)
		b.signIn("/dashboard/webhooks/"+id, p.staff(t, token, "DEVELOPER"))
		b.click(`[data-test="webhook-edit"]`)
		b.see(`dialog [data-test="events"] input`)
		got := evaluate[[]bool](b, `['order.paid', 'order.created', 'product.created'].map((n) => `+
			`document.getElementById('event-' + n)).flatMap((i) => [i.disabled, i.checked])`)
		if want := []bool{true, true, true, false, false, true}; len(got) != 6 || [6]bool(got) != [6]bool(want) {
			t.Errorf("disabled and checked: %v, want %v", got, want)
		}
		// Their role may not subscribe to order.paid, so the server refuses; the input stays.
		b.fill(`dialog input[name="description"]`, "Mine")
		b.click(`dialog [data-test="submit"]`)
		b.see(`dialog .wrong, dialog .alert.bad`)
		b.shot("webhook-refused")
		if e := p.endpoint(t, token, id); *e.Description != "Both" || len(e.Events) != 2 {
			t.Errorf("%+v", e)
		}
	})
}
