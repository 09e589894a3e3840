package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// A shopper cancels an order without scripts: opening the page changes nothing, and a late or repeated
// cancellation says what happened.
func TestShopperCancels(t *testing.T) {
	store := storetest.Open(t)
	s := newServer(t, store, underTest(t, store))
	m := newShop(t, store, shopRow{Handle: "first"})
	mug := selling(t, m, state.German, 5)
	b := &shopper{t: t, s: s, host: "first.shops.test:8080", jar: map[string]*http.Cookie{}}
	place := func() (page string) {
		b.ask(http.MethodPost, "/cart/add", adding(mug, "1"))
		b.get("/checkout")
		if strings.Contains(b.body, `name="remind"`) {
			t.Error("the checkout offers a reminder that the store does not send")
		}
		b.fill("/checkout/details", "email", "ada@example.com", "country", "DE", "name", "Ada", "line1", "Weg 1",
			"postal_code", "10115", "city", "Berlin")
		b.fill("/checkout/delivery")
		b.fill("/checkout/place").want(http.StatusOK, "/orders/", "Bestellung stornieren")
		return b.path
	}
	page := place()
	b.get(page+"/cancel").want(http.StatusOK, page+"/cancel", "Die gesamte Bestellung wird sofort storniert.")
	confirm := b.body
	b.get(page).want(http.StatusOK, page, "Bestellung stornieren")
	b.body = confirm
	b.fill(page+"/cancel").want(http.StatusOK, page, "Storniert")
	b.body = confirm // back, and sent again
	if b.fill(page+"/cancel").want(http.StatusOK, page, "Storniert"); strings.Contains(b.body, "stornieren") {
		t.Error("a canceled order can be canceled")
	}
	page = place()
	b.get(page + "/cancel")
	confirm = b.body
	core := graphtest.NewCore(t, store)
	o := graphtest.Must[[]*db.Order](t)(store.DB(m.ctx).Order.Query().Load(m.ctx))
	graphtest.Must[*model.OrderPayload](t)(core.Mutation().OrderFulfill(m.ctx, o[1].PublicID(), o[1].Version,
		model.FulfillInput{}))
	b.body = confirm
	b.fill(page+"/cancel").want(http.StatusConflict, page+"/cancel", "kann nicht mehr storniert werden")
	b.ask(http.MethodPost, page+"/cancel", "", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden,
		page+"/cancel")
	b.get(link.OrderRoot+"x/cancel").want(http.StatusNotFound, link.OrderRoot+"x/cancel")
}

// The checkout offers a reminder that is not ticked. Its link shows the items to anyone, and only them.
func TestLeftCart(t *testing.T) {
	store := storetest.Open(t)
	var links *link.Signer
	s := newServer(t, store, underTest(t, store), mailing(t), func(c *rest.Config) { links = c.Links })
	m := newShop(t, store, shopRow{Handle: "first"})
	mug := selling(t, m, state.English, 5)
	m.tx(func(ctx context.Context, c *db.Client) error { return c.Store.Update().SetRemindHours(2).Exec(ctx) })
	b := &shopper{t: t, s: s, host: "first.shops.test:8080", jar: map[string]*http.Cookie{}}
	b.ask(http.MethodPost, "/cart/add", adding(mug, "2"))
	b.get("/checkout").want(http.StatusOK, "/checkout/details", `name="remind" value="1">`)
	b.fill("/checkout/details", "email", "ada@example.com", "country", "DE", "name", "Ada", "line1", "Weg 1",
		"postal_code", "10115", "city", "Berlin", "remind", "1").want(http.StatusOK, "/checkout/delivery")
	b.get("/checkout/details").want(http.StatusOK, "/checkout/details", `name="remind" value="1" checked>`)
	left := graphtest.Must[[]*db.Cart](t)(store.DB(m.ctx).Cart.Query().Load(m.ctx))[0]
	if !left.Remind || left.DueAt == nil {
		t.Errorf("%t, due %v", left.Remind, left.DueAt)
	}
	path := link.CartRoot + links.CartToken(m.id, left.ID)
	b.get(path).want(http.StatusOK, "/cart")
	other := &shopper{t: t, s: s, host: b.host, jar: map[string]*http.Cookie{}}
	if other.get(path).want(http.StatusOK, path, "Mug &lt;blue&gt;", "2 × "); len(other.jar) > 0 ||
		strings.Contains(other.body, "ada@") || strings.Contains(other.body, "Weg 1") {
		t.Errorf("the page shows more than the items: %s", other.body)
	}
	other.fill(path).want(http.StatusOK, "/cart", "Mug &lt;blue&gt;", `value="2"`)
	other.get(link.CartRoot+"x").want(http.StatusNotFound, link.CartRoot+"x")
}
