package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// A dispatcher with few file descriptors sends as it can: no healthy endpoint is blamed, and
// everything arrives.
func TestWebhookFewFiles(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		p := start(t, s.plus("--no-dispatch"))
		c, sink := hire(t, 50*time.Millisecond, p), receiving(t)
		key := c.store.Keys["all"]
		var books []*book
		for i := range 60 {
			b := sink.open(fmt.Sprintf("/few/%d", i), func(*entry) mood { return slowly(200 * time.Millisecond) })
			p.register(t, key, b, "product.created")
			books = append(books, b)
		}
		c.begin(t, 1)
		beats(2 * time.Second) // so that all begin at once
		s.Files = 64
		d := dispatcher(t, s)
		beats(time.Second)
		c.finish(t, sink, nil, 0, books...)
		for _, b := range books {
			for _, e := range b.all() {
				if e.attempt != 1 {
					t.Errorf("%s: attempt %d of %s", b.path, e.attempt, e.payload.EventID)
				}
			}
		}
		var list struct {
			Data []struct {
				URL          string
				FailingSince *time.Time `json:"failing_since"`
			}
		}
		p.send(t, request{As: key, Path: base + "/webhooks?limit=100"}).want(t, http.StatusOK, "").decode(t, &list)
		for _, e := range list.Data {
			if e.FailingSince != nil {
				t.Errorf("%s fails since %v", e.URL, e.FailingSince)
			}
		}
		if len(list.Data) != len(books) {
			t.Errorf("%d endpoints", len(list.Data))
		}
		for name, n := range d.metrics(t) {
			outcome, ok := strings.CutPrefix(name, "storefront_webhook_attempts_total{outcome=")
			if ok && n > 0 && outcome != `"delivered"}` {
				t.Errorf("%v attempts ended with %s", n, outcome)
			}
			if strings.Contains(name, "sender_troubles") && n > 0 || strings.Contains(name, "in_flight_max") {
				t.Logf("%s %v", name, n)
			}
		}
	})
}
