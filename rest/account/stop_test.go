package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
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

// One click without a cookie unsubscribes a customer, who may open the link again. Opening it changes
// nothing.
func TestUnsubscribePage(t *testing.T) {
	each(t, here, func(t *testing.T, w *site) {
		shop := w.shop("ada@example.com")
		ctx := viewer.Operator(t.Context(), shop.ID)
		in := model.CustomerCreateInput{Email: new("bob@example.com"), Status: state.CustomerActive,
			EmailMarketing: state.EmailSubscribed}
		c := graphtest.Must[*model.CustomerPayload](t)(w.core.Mutation().CustomerCreate(ctx, in)).Customer
		now := func() state.EmailMarketing {
			return graphtest.Must[*model.Customer](t)(w.core.Query().Customer(ctx, c.PublicID())).EmailMarketing
		}
		links, address := w.core.Links, notify.Address("bob@example.com")
		path := link.MarketingStopRoot + links.MarketingStopToken(shop.ID, c.ID, address)
		page := w.send(http.MethodGet, path, "")
		if page.status != 200 || !strings.Contains(page.body, "Unsubscribe from this shop?") ||
			now() != state.EmailSubscribed {
			t.Errorf("the page: %d %s; %s", page.status, page.body, now())
		}
		for _, wrong := range []string{links.MarketingStopToken(shop.ID, c.ID, notify.Address("eve@example.com")),
			links.MarketingStopToken(xid.New(), c.ID, address)} {
			w.post(link.MarketingStopRoot+wrong, url.Values{})
			if now() != state.EmailSubscribed {
				t.Error("a link for another address or store unsubscribes the customer")
			}
		}
		if a := w.post(link.MarketingStopRoot+links.StopToken(shop.ID, address), url.Values{}); a.status == 200 {
			t.Error("the token of another link is accepted")
		}
		for range 2 {
			a := w.post(path, url.Values{"List-Unsubscribe": {"One-Click"}})
			if a.status != 200 || !strings.Contains(a.body, "Unsubscribed") || now() != state.EmailUnsubscribed {
				t.Errorf("the answer: %d %s; %s", a.status, a.body, now())
			}
		}
	})
}
