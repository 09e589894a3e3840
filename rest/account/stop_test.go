package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// A link in an email to staff names what it stops, stops it without a cookie, and may be opened
// again. A forged one stops nothing.
func TestStopAlertPage(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		person := w.id("ada@example.com")
		path := link.AlertStopRoot + w.core.Links.AlertToken(shop.ID, person, 4)
		page := w.send(http.MethodGet, path, "")
		if page.status != 200 || !strings.Contains(page.body, "low stock notifications?") {
			t.Errorf("the page: %d %s", page.status, page.body)
		}
		for range 2 {
			if a := w.post(path, url.Values{}); a.status != 200 || !strings.Contains(a.body, "Emails stopped") {
				t.Errorf("the answer: %d %s", a.status, a.body)
			}
		}
		for _, wrong := range []string{link.AlertStopRoot + w.core.Links.AlertToken(shop.ID, person, 99),
			link.AlertStopRoot + w.core.Links.OrderToken(shop.ID, xid.New())} {
			if a := w.post(wrong, url.Values{}); a.status == 200 {
				t.Errorf("%s is accepted", wrong)
			}
		}
		a := w.ask(w.signIn("ada@example.com"), "{account{alerts{topic email}}}")
		if !strings.Contains(a.body, `{"topic":"LOW_STOCK","email":"OFF"}`) ||
			!strings.Contains(a.body, `{"topic":"ORDER","email":"AT_ONCE"}`) {
			t.Errorf("now %s", a.body)
		}
	})
}
