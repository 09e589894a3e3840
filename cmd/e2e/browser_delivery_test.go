//go:build !race

package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// receiver is a subscriber on this device.
type receiver struct {
	*httptest.Server
	status atomic.Int64
	got    chan string // event ids, in the order of arrival
}

// receive starts a receiver that accepts everything and answers with markup characters.
func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: make(chan string, 100)}
	r.status.Store(http.StatusOK)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var body struct {
			EventID string `json:"event_id"`
		}
		if b, err := io.ReadAll(q.Body); err == nil && json.Unmarshal(b, &body) == nil {
			r.got <- body.EventID
		}
		w.WriteHeader(int(r.status.Load()))
		io.WriteString(w, payload)
	}))
	t.Cleanup(r.Close)
	return r
}

// next waits for a delivery and returns its event id.
func (r *receiver) next(t *testing.T) string {
	t.Helper()
	select {
	case id := <-r.got:
		return id
	case <-time.After(patience):
		t.Fatal("nothing arrives")
		return ""
	}
}

// drafted creates a product, and thus the event product.created.
func (p *program) drafted(t *testing.T, token, title string) {
	t.Helper()
	var made struct {
		ProductCreate struct{ Product struct{ ID string } }
	}
	p.graphql(t, token, `mutation($title: String!) { productCreate(input: {title: $title, priceMinor: 1, currency: `+
		`"EUR"}) { product { id } userErrors { message } } }`,
		map[string]any{"title": title}, &made)
}

// until polls an endpoint until it has deliveries, a summary of them or an open circuit, and
// returns the id of the first delivery.
func (p *program) until(t *testing.T, token, id, what, field string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var found struct {
			WebhookEndpoint struct {
				Deliveries struct{ Nodes []struct{ ID string } }
				Activity   []struct{ Delivered int }
				Circuit    struct{ State string }
			}
		}
		p.graphql(t, token, `query($id: ID!) { webhookEndpoint(id: $id) { `+field+
			` } }`, map[string]any{"id": id}, &found)
		if nodes := found.WebhookEndpoint.Deliveries.Nodes; len(nodes) > 0 {
			return nodes[0].ID
		}
		if found.WebhookEndpoint.Circuit.State == "OPEN" {
			return ""
		}
		for _, a := range found.WebhookEndpoint.Activity {
			if a.Delivered > 0 {
				return ""
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("there is never %s", what)
		}
	}
}

// newest opens the newest delivery of an endpoint once one has the state and was tried.
func (b *browser) newest(p *program, token, id, state string) {
	b.t.Helper()
	p.until(b.t, token, id, "a delivery that is "+state, `deliveries(first: 1, state: `+state+`) { nodes { id } }`)
	b.open("/dashboard/webhooks/" + id + "?state=" + state)
	b.click(`[data-test="deliveries"] tbody tr:first-child [data-test="delivery"]`)
	b.see(`[data-test="attempts"] .attempts li`)
}

// badge waits for the state that a delivery's page shows.
func (b *browser) badge(state string) {
	b.t.Helper()
	b.await(state, `document.querySelector('main .badges')?.innerText.trim() === `+quote(state))
}

// Accepted, refused and skipped deliveries are on the pages, and people can try now, skip, resend,
// test and replay.
func TestBrowserDeliveries(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	b, f, r := p.browse(t), p.demo(t), receive(t)
	token := f.Stores[0].StaffToken
	id := p.registered(t, token, r.URL+"/in", "Here", "product.created")
	b.signIn("/dashboard/webhooks/"+id, f.Stores[0].Owner)
	b.see(`[data-test="deliveries"]`)

	p.drafted(t, token, payload)
	taken := r.next(t)
	b.newest(p, token, id, "DELIVERED")
	b.badge("Delivered")
	if got := b.text(`[data-test="event-id"]`); got != taken {
		t.Errorf("the page shows the event %s, the receiver got %s", got, taken)
	}
	b.seeText("HTTP 200")
	b.click(`[data-test="answer"] summary`)
	b.seeText(payload)
	b.unharmed("delivery")
	b.shot("delivery")

	r.status.Store(http.StatusServiceUnavailable)
	p.drafted(t, token, "Second")
	second := r.next(t)
	b.newest(p, token, id, "WAITING")
	b.seeText("HTTP 503")
	b.shot("delivery-waiting")
	r.status.Store(http.StatusOK)
	b.click(`[data-test="delivery-retry"]`)
	b.badge("Delivered")
	b.seeText("2 attempts")
	b.click(`[data-test="delivery-again"]`)
	b.seeText("1 attempt")
	b.badge("Delivered")

	r.status.Store(http.StatusGone)
	p.drafted(t, token, "Third")
	b.newest(p, token, id, "WAITING")
	b.confirm(`[data-test="delivery-skip"]`)
	b.badge("Skipped")
	r.status.Store(http.StatusOK)
	b.replay(p, r, token, id, taken, second)
}

// replay sends a test, then all events of the last hour again, then one from its own page, and
// checks the chart.
func (b *browser) replay(p *program, r *receiver, token, id string, events ...string) {
	b.t.Helper()
	b.open("/dashboard/webhooks/" + id)
	b.click(`[data-test="webhook-test"]`)
	b.await("the outcome", `document.querySelector('[data-test="test-outcome"]')?.innerText.includes('HTTP 200')`)
	b.shot("webhook-test")
	b.click(`[data-test="test-done"]`)
	for len(r.got) > 0 {
		<-r.got
	}
	b.click(`[data-test="webhook-replay"]`)
	b.click(`dialog [data-test="submit"]`)
	b.await("how many it sends", `/^Send [1-9]/.test(document.querySelector('dialog [data-test="submit"]').innerText)`)
	b.shot("webhook-replay")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	for missing := len(events); missing > 0; {
		got := r.next(b.t)
		for _, want := range events {
			if got == want {
				missing--
			}
		}
	}
	b.open("/dashboard/events/" + events[0])
	b.see(`[data-test="payload"]`)
	b.shot("event")
	b.confirm(`[data-test="event-again"]`)
	for r.next(b.t) != events[0] { // other deliveries of the replay
	}
	p.until(b.t, token, id, "an account of attempts", `activity(hours: 6) { delivered }`)
	b.open("/dashboard/webhooks/" + id + "?hours=6")
	b.see(`[data-test="activity"] canvas`)
	b.click(`.chart-table summary`)
	b.await("the results of the attempts", `Number(document.querySelector('.chart-table tbody td')?.innerText) > 0`)
	b.see(`[data-test="deliveries"] tbody tr`)
	b.shot("webhook")
}
