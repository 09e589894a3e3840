//go:build !race

package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// slowBatches makes the dashboard resend deliveries one per batch; the second batch waits for
// window.goOn.
const slowBatches = `(() => {
	const send = window.fetch, open = new Promise((done) => { window.goOn = done; });
	let batches = 0;
	window.fetch = async (url, options) => {
		if (!options?.body?.includes('DeliveriesRetry')) return send(url, options);
		if (++batches === 2) await open;
		return send(url, {...options, body: options.body.replace('"limit":500', '"limit":1')});
	};
})()`

// keyed starts a receiver that accepts requests with a header, and records which these were.
func keyed(t *testing.T, value string) *receiver {
	t.Helper()
	r := receive(t)
	inner := r.Config.Handler
	guard := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("X-Shop-Token") != value {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, q)
	}))
	t.Cleanup(guard.Close)
	r.URL = guard.URL
	return r
}

// An endpoint gets a rate, a header and a condition, is paused and resumed, and its deliveries are
// resent by filter, in batches that can be stopped.
func TestBrowserEndpoint(t *testing.T) {
	t.Parallel()
	const token = "token-of-the-receiver-42"
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	b, f, r := p.browse(t), p.demo(t), keyed(t, token)
	key := f.Stores[0].StaffToken
	id := p.registered(t, key, r.URL+"/in", "Here", "product.created")
	b.signIn("/dashboard/webhooks/"+id, f.Stores[0].Owner)
	b.giveOwn(token)

	b.confirm(`[data-test="webhook-pause"]`)
	b.see(`[data-test="paused"]`)
	b.badge("Paused")
	for _, title := range []string{"Other", "Wanted", "Wanted"} {
		p.drafted(t, key, title)
	}
	p.until(t, key, id, "a delivery that waits", `deliveries(first: 1, state: WAITING) { nodes { id } }`)
	b.open("/dashboard/webhooks")
	b.seeText("Until")
	b.shot("webhooks-paused")
	b.click(`[data-test="endpoint"]`)
	if len(r.got) > 0 {
		t.Error("something is sent during the pause")
	}
	b.click(`[data-test="webhook-resume"]`)
	b.badge("Active")
	r.next(t)
	r.next(t)
	p.drafted(t, key, "Wanted")
	r.next(t)
	if len(r.got) > 0 {
		t.Error("an event is sent that does not meet the condition")
	}
	b.newest(p, key, id, "DELIVERED")
	b.click(`[data-test="sent"] summary`)
	if head := b.text(`[data-test="request"]`); !strings.Contains(head, "X-Shop-Token") ||
		strings.Contains(head, token) {
		t.Errorf("the request is shown as\n%s", head)
	}
	b.shot("delivery-request")
	b.open("/dashboard/webhooks/" + id)
	b.sendAgain(r)
	b.exportLog()
	b.open("/dashboard/webhooks/" + id)

	r.status.Store(http.StatusServiceUnavailable)
	for range 3 {
		p.drafted(t, key, "Wanted")
		r.next(t)
	}
	p.until(t, key, id, "an open circuit", "circuit { state }")
	b.open("/dashboard/webhooks/" + id)
	if got := b.text(`[data-test="circuit"]`); !strings.HasPrefix(got, "Open") ||
		!strings.Contains(got, "3 deliveries failed since the last success. New deliveries wait. The next attempt is") {
		t.Errorf("the circuit is shown as %q", got)
	}
	b.shot("webhook-open")
	b.tryNow()
	b.open("/dashboard/webhooks/" + id)
	b.move(strings.Replace(r.URL, "127.0.0.1", "localhost", 1))
}

// giveOwn fills in the form of an endpoint, with errors at first.
func (b *browser) giveOwn(token string) {
	b.t.Helper()
	b.click(`[data-test="webhook-edit"]`)
	b.fill(`dialog input[name="rateLimit"]`, "1001")
	for range 2 {
		b.click(`dialog [data-test="add-filters"]`)
	}
	b.fill(`dialog input[name="filters.1.field"]`, "title")
	b.click(`dialog [data-test="add-headers"]`)
	b.fill(`dialog input[name="headers.0.name"]`, "Content-Type")
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-filters.0.field"]`) // what is empty is not sent
	b.fill(`dialog input[name="filters.0.field"]`, "title")
	b.click(`dialog [data-test="submit"]`)
	for _, field := range []css{"rateLimit", "headers.0.name", "filters.0.field", "filters.0.in", "filters.1.field"} {
		b.see(`dialog [data-test="error-` + field + `"]`)
	}
	b.shot("webhook-own")
	// The focus moves at once, before anything else is typed.
	if at := evaluate[string](b, `(async () => {
		document.querySelector('dialog [data-test="remove-filters"]').click();
		for (let i = 0; i < 10; i++) await null;
		return document.activeElement.dataset.test;
	})()`); at != "add-filters" {
		b.t.Errorf("the focus is on %q", at)
	}
	b.gone(`dialog [data-test="error-filters.0.field"]`)
	b.fill(`dialog input[name="rateLimit"]`, "50")
	b.fill(`dialog input[name="filters.0.field"]`, "object.title")
	b.fill(`dialog textarea[name="filters.0.in"]`, "Wanted")
	b.fill(`dialog input[name="headers.0.name"]`, "X-Shop-Token")
	b.fill(`dialog input[name="headers.0.value"]`, token)
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText("At most 50 attempts per second")
	if got := strings.Fields(b.text(`[data-test="endpoint-filters"]`)); strings.Join(got, " ") !=
		"object.title is one of Wanted" {
		b.t.Errorf("the conditions are shown as %q", got)
	}
	b.unseen(token)
	if !strings.Contains(b.text(`[data-test="circuit"]`), "Closed") {
		b.t.Error("the circuit is not shown as closed")
	}
}

// sendAgain counts the three accepted deliveries, stops after two and continues.
func (b *browser) sendAgain(r *receiver) {
	b.t.Helper()
	evaluate[any](b, slowBatches)
	b.click(`[data-test="webhook-resend"]`)
	b.click(`dialog [data-test="submit"]`)
	b.await("that nothing failed", `document.querySelector('[data-test="resend-count"]')?.innerText === '0 deliveries'`)
	b.click(`[data-test="resend-back"]`)
	b.click(`dialog input[name="state-DELIVERED"]`)
	b.shot("webhook-resend")
	b.click(`dialog [data-test="submit"]`)
	b.await("the count", `document.querySelector('[data-test="resend-count"]')?.innerText === '3 deliveries'`)
	b.click(`[data-test="resend-start"]`)
	sent := func(n string) {
		b.t.Helper()
		b.await(n+" sent again", `document.querySelector('[data-test="resend-sent"]')?.innerText === '`+n+
			` of 3 deliveries sent'`)
		r.next(b.t)
	}
	sent("1")
	b.click(`[data-test="resend-stop"]`)
	b.see(`[data-test="resend-is-stopping"]`)
	b.shot("webhook-resend-stop")
	evaluate[any](b, "window.goOn()")
	sent("2")
	b.see(`[data-test="resend-is-stopped"]`)
	b.click(`[data-test="resend-start"]`)
	sent("3")
	b.see(`[data-test="resend-is-done"]`)
	b.click(`[data-test="resend-done"]`)
	b.gone(`dialog`)
}

// tryNow checks that only waiting deliveries are preselected on a failing endpoint.
func (b *browser) tryNow() {
	b.t.Helper()
	b.click(`[data-test="webhook-resend"]`)
	b.see(`dialog input[name="state-WAITING"]:checked`)
	b.click(`dialog input[name="state-FAILED"]`)
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-states"]`)
	b.click(`dialog input[name="state-FAILED"]`)
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="resend-count"]`)
	b.shot("webhook-try-now")
}

// exportLog exports the log of the six attempts and follows the export.
func (b *browser) exportLog() {
	b.t.Helper()
	dir := b.downloads()
	b.click(`[data-test="webhook-log"]`)
	b.see(`dialog select[name="format"]`)
	b.shot("webhook-log")
	b.click(`dialog [data-test="submit"]`)
	b.see(`[data-test="export-file"]`)
	b.seeText("Export of webhook attempts")
	b.shot("webhook-log-export")
	b.click(`[data-test="export-download"]`)
	name, file := b.downloaded(dir)
	lines := strings.Split(string(file), "\r\n")
	if len(lines) != 8 || !strings.HasPrefix(lines[0], "attempt_id,number,began_at,outcome,http_status") ||
		!strings.Contains(lines[1], ",delivered,200,") || strings.Count(lines[1], ",") != 15 {
		b.t.Errorf("%s is\n%s", name, strings.Join(lines, "\n"))
	}
}

// move changes the address to another host, which requires new values of the headers.
func (b *browser) move(address string) {
	b.t.Helper()
	b.click(`[data-test="webhook-edit"]`)
	b.fill(`dialog input[name="url"]`, address)
	b.click(`dialog [data-test="submit"]`)
	b.see(`dialog [data-test="error-headers.0.value"]`)
	b.shot("webhook-moved")
	b.fill(`dialog input[name="headers.0.value"]`, "another")
	b.click(`dialog [data-test="submit"]`)
	b.gone(`dialog`)
	b.seeText(address)
}
