package e2e

import (
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

// receive starts a receiver that takes everything. Its answer is no markup.
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

// drafted makes a product, which makes product.created.
func (p *program) drafted(t *testing.T, token, title string) {
	t.Helper()
	var made struct {
		ProductCreate struct{ Product struct{ ID string } }
	}
	p.graphql(t, token, `mutation($title: String!) { productCreate(input: {title: $title, priceMinor: 1, currency: "EUR"}) { product { id } userErrors { message } } }`,
		map[string]any{"title": title}, &made)
}

// newest opens the newest delivery of an endpoint once it is in the state.
func (b *browser) newest(id, state string) {
	b.t.Helper()
	b.open("/dashboard/webhooks/" + id + "?state=" + state)
	b.see(`[data-test="deliveries"] [data-test="refresh"]`)
	const first = `[data-test="deliveries"] tbody tr:first-child [data-test="delivery"]`
	b.await("a delivery that is "+state, `document.querySelector(`+quote(first)+`) || document.querySelector('[data-test="refresh"]').click()`)
	b.click(first)
	b.see(`[data-test="payload"]`)
}

// badge waits for the state that a delivery's page shows.
func (b *browser) badge(state string) {
	b.t.Helper()
	b.await(state, `document.querySelector('main .badges')?.innerText.trim() === `+quote(state))
}

// What a receiver took, refused and was spared is on the pages, and people can
// try at once, skip, send again, test and replay.
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
	b.newest(id, "DELIVERED")
	b.badge("Delivered")
	if got := b.text(`[data-test="event-id"]`); got != taken {
		t.Errorf("the page shows the event %s, the receiver got %s", got, taken)
	}
	b.seeText("HTTP 200")
	b.click(`.answer summary`)
	b.seeText(payload)
	b.unharmed("delivery")
	b.shot("delivery")

	r.status.Store(http.StatusServiceUnavailable)
	p.drafted(t, token, "Second")
	second := r.next(t)
	b.newest(id, "WAITING")
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
	b.newest(id, "WAITING")
	b.confirm(`[data-test="delivery-skip"]`)
	b.badge("Skipped")
	r.status.Store(http.StatusOK)
	b.replay(r, id, taken, second)
}

// replay sends a test, then all events of the last hour once more, and looks at
// the chart of it all.
func (b *browser) replay(r *receiver, id string, events ...string) {
	b.t.Helper()
	b.open("/dashboard/webhooks/" + id)
	b.click(`[data-test="webhook-test"]`)
	b.await("the outcome", `document.querySelector('[data-test="test-outcome"]')?.innerText.includes('HTTP 200')`)
	b.shot("webhook-test")
	b.click(`[data-test="test-done"]`)
	for len(r.got) > 0 {
		<-r.got
	}
	b.confirm(`[data-test="webhook-replay"]`)
	for missing := len(events); missing > 0; {
		got := r.next(b.t)
		for _, want := range events {
			if got == want {
				missing--
			}
		}
	}
	b.open("/dashboard/webhooks/" + id + "?hours=6")
	b.see(`[data-test="activity"] canvas`)
	b.click(`.chart-table summary`)
	b.await("what came of the attempts", `document.querySelector('.chart-table tbody td')?.innerText > 0 || document.querySelector('[data-test="refresh"]').click()`)
	b.see(`[data-test="deliveries"] tbody tr`)
	b.shot("webhook")
}
