package rest_test

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// counter returns a shopper at a store that sells a mug.
func counter(t *testing.T, language state.Language, stock int64, edit ...func(*rest.Config)) (*shopper, *shop, xid.ID) {
	t.Helper()
	store := storetest.Open(t)
	s := newServer(t, store, append(edit, underTest(t, store))...)
	m := newShop(t, store, shopRow{Handle: "first"})
	mug := selling(t, m, language, stock)
	return &shopper{t: t, s: s, host: "first.shops.test:8080"}, m, mug
}

func adding(mug xid.ID, quantity string) string {
	return url.Values{"product_id": {xid.Product.Format(mug)}, "quantity": {quantity}}.Encode()
}

// lineKey returns the key of a line without options in the cart form.
func lineKey(id xid.ID) string { return xid.Product.Format(id) + "." + xid.Variant.Format(id) }

// TestCartForm: every button saves all input, and changes in another tab are not undone.
func TestCartForm(t *testing.T) {
	b, m, mug := counter(t, state.English, 9)
	lamp := xid.New()
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Create().SetID(lamp).SetTitle("Lamp").SetHandle("lamp").SetStatus(state.ProductActive).
			SetPriceMinor(500).SetCurrency("EUR").SetTags(document.NewTags(nil)).SetUpdatedAt(lamp.Time()).Exec(ctx)
	})
	graphtest.Must[*model.DiscountPayload](t)(graphtest.NewCore(t, m.store).Mutation().DiscountCreate(m.ctx,
		model.DiscountInput{Code: "TEN", Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), Active: true}))
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1"))
	b.ask(http.MethodPost, "/cart/add", adding(lamp, "1")).want(http.StatusOK, "/cart")
	mugs, lamps, stale := "quantity."+lineKey(mug), "quantity."+lineKey(lamp), b.body
	b.press("/cart", "checkout=1", mugs, "3", "code", "ten", "note", "Ring twice").
		want(http.StatusOK, "/checkout/details")
	b.get("/cart").want(http.StatusOK, "/cart", `name="`+mugs+`"`, `value="TEN"`, ">Ring twice<", "€58.23")
	b.body = stale // the other tab still shows one mug
	b.fill("/cart", lamps, "2", "code", "TEN", "note", "Ring twice").want(http.StatusOK, "/cart", "€69.70")
	b.press("/cart", "remove="+lineKey(lamp), mugs, "2", "note", "Ring").
		want(http.StatusOK, "/cart", "€39.80", ">Ring<")
	if strings.Contains(b.body, "Lamp") {
		t.Error("the line that was removed is there")
	}
	b.press("/cart", "checkout=1", mugs, "1", "code", "NOPE", "note", "Once").
		want(http.StatusUnprocessableEntity, "/cart", `value="NOPE"`, `id="code-error"`, ">Once<", "€19.90")
}

// TestCheckoutAsksAgain: an error is shown beside its field in the language of the store, and the
// input stays.
func TestCheckoutAsksAgain(t *testing.T) {
	b, _, mug := counter(t, state.Arabic, 5)
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1")).want(http.StatusOK, "/cart", `<html lang="ar" dir="rtl">`)
	b.get("/checkout")
	b.want(http.StatusOK, "/checkout/details", "ألمانيا",
		`autocomplete="shipping address-level2" required>`, `<label for="postal_code">الرمز البريدي</label>`)
	b.fill("/checkout/details", "email", "ada@", "phone", "030 1", "country", "DE", "postal_code", "1", "gift", "<x>").
		want(http.StatusUnprocessableEntity, "/checkout/details", `value="ada@"`, `value="030 1"`,
			`aria-describedby="email-error"`, `id="email-error"`, `href="#email"`, "هذا ليس عنوان بريد إلكتروني.",
			`id="name-error"`, `id="line1-error"`, `id="city-error"`, `id="postal_code-error"`,
			`<option value="DE" selected>`, `autocomplete="shipping postal-code" required`, ">&lt;x&gt;</textarea>")
	if strings.Contains(b.body, `name="region"`) {
		t.Error("an address in Germany is asked for a region")
	}
	b.get("/checkout/review").want(http.StatusOK, "/checkout/details") // the first incomplete step
	b.fill("/checkout/details", "email", "ada@example.com", "country", "DE", "name", "Ada", "line1", "Weg 1",
		"postal_code", "10115", "city", "B", "billing", "1", "billing_line1", "Gasse 2").
		want(http.StatusUnprocessableEntity, "/checkout/details", `id="billing_name-error"`, `href="#billing_city"`,
			`name="billing" value="1" checked`, `value="Gasse 2"`)
	b.fill("/checkout/details", "country", "DE", "billing", "").want(http.StatusOK, "/checkout/delivery")
	b.ask(http.MethodPost, "/checkout/delivery", "ships=1&rate=rate_none&payment=card").
		want(http.StatusUnprocessableEntity, "/checkout/delivery", `id="rate-error"`, `id="payment-error"`,
			"اختر واحدًا.")
}

// TestCartChanges: lines, note and code change with plain forms; errors are shown.
func TestCartChanges(t *testing.T) {
	b, m, mug := counter(t, state.English, 3)
	b.ask(http.MethodPost, "/cart/add", adding(mug, "2")).want(http.StatusOK, "/cart", "Added to your cart.", "€39.80")
	quantity := "quantity." + lineKey(mug)
	b.fill("/cart", quantity, "4").want(http.StatusOK, "/cart", "Only 3 left.")
	b.ask(http.MethodPost, "/cart", "checkout=1").want(http.StatusOK, "/cart", "Only 3 left.")
	b.get("/checkout").want(http.StatusOK, "/cart")
	const most = "You can order up to 999 of each item."
	for quantity, problem := range map[string]string{"1000": most, "998": most, "x": "This is not valid."} {
		b.ask(http.MethodPost, "/cart/add", adding(mug, quantity)).
			want(http.StatusUnprocessableEntity, "/cart/add", problem, `value="4"`)
	}
	b.ask(http.MethodPost, "/cart/line", adding(mug, "1000")).want(http.StatusUnprocessableEntity, "/cart/line", most)
	b.get("/cart").fill("/cart", quantity, "1000", "note", "kept", "code", "KEPT").
		want(http.StatusUnprocessableEntity, "/cart", most, `value="1000"`, `aria-invalid="true"`, ">kept<", `"KEPT"`)
	b.get("/cart").fill("/cart", quantity, "999").want(http.StatusOK, "/cart", `value="999"`)
	b.fill("/cart", quantity, "x").want(http.StatusUnprocessableEntity, "/cart", "This is not valid.", `value="x"`)
	b.fill("/cart", quantity, "1").want(http.StatusOK, "/cart", "€19.90", `name="checkout"`)
	b.fill("/cart", "note", "A <gift>").want(http.StatusOK, "/cart", "A &lt;gift&gt;")
	b.fill("/cart", "code", "NOPE").want(http.StatusUnprocessableEntity, "/cart", `value="NOPE"`, `id="code-error"`)
	graphtest.Must[*model.DiscountPayload](t)(graphtest.NewCore(t, m.store).Mutation().DiscountCreate(m.ctx,
		model.DiscountInput{Code: "TEN", Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), Active: true}))
	for range 20 { // valid codes do not count
		b.fill("/cart", "code", "TEN").want(http.StatusOK, "/cart", "€1.99")
		b.fill("/cart", "code", "").want(http.StatusOK, "/cart")
	}
	for range 9 {
		b.fill("/cart", "code", "NOPE").want(http.StatusUnprocessableEntity, "/cart")
	}
	b.fill("/cart", "code", "TEN", "note", "Ring").want(http.StatusTooManyRequests, "/cart", `id="code-error"`,
		"Too many codes were tried. Please wait a few minutes.", ">Ring<")
	b.fill("/cart", "code", "").want(http.StatusOK, "/cart")
	m.tx(func(ctx context.Context, c *db.Client) error { return c.Product.Update().SetPriceMinor(2500).Exec(ctx) })
	b.get("/cart").want(http.StatusOK, "/cart", "The price has changed. It was €19.90.", "€25.00")
	if b.get("/cart"); strings.Contains(b.body, "has changed") {
		t.Error("a change that was shown is shown again")
	}
	b.ask(http.MethodPost, "/cart/line", "remove=1&"+adding(mug, "1")).want(http.StatusOK, "/cart")
	others := func(lines int) *shopper {
		m.tx(func(ctx context.Context, c *db.Client) error { return c.Cart.Update().SetLinesCount(lines).Exec(ctx) })
		return b.ask(http.MethodPost, "/cart/add", adding(mug, "1"))
	}
	others(limit.CartLines).want(http.StatusConflict, "/cart/add", "Your cart cannot hold more.")
	others(limit.CartLines-1).want(http.StatusOK, "/cart", "Added to your cart.")
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetStatus(state.ProductArchived).Exec(ctx)
	})
	b.get("/cart").want(http.StatusOK, "/cart", "This is no longer sold.", "<strong>Mug &lt;blue&gt;</strong>")
	b.ask(http.MethodPost, "/cart/line", "remove=1&"+adding(mug, "1")).
		want(http.StatusOK, "/cart", "Your cart is empty.")
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1")).want(http.StatusNotFound, "/cart/add")
	b.ask(http.MethodPost, "/cart/add", "product_id=1").want(http.StatusNotFound, "/cart/add")
}

// TestPlacingTooMuch: a shopper whose network has placed too many unpaid orders gets a time to
// wait.
func TestPlacingTooMuch(t *testing.T) {
	b, _, mug := counter(t, state.English, 9, func(c *rest.Config) {
		c.Core.Limits[limit.UnpaidPieces] = 1
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	b.client = "192.0.2.1"
	for range 5 {
		b.cookie = nil
		b.review(mug, "1").fill("/checkout/place")
		if !strings.HasPrefix(b.path, "/orders/") {
			t.Fatalf("%d %s", b.status, b.path)
		}
	}
	b.cookie = nil
	b.review(mug, "1").fill("/checkout/place").want(http.StatusTooManyRequests, "/checkout/place")
	// one order of the network expires in a fifth of a day
	if n, err := strconv.Atoi(b.header.Get("Retry-After")); err != nil || n < 60 {
		t.Errorf("Retry-After: %q", b.header.Get("Retry-After"))
	}
}

// TestPlacingWhatChanged: shoppers never pay what they were not shown.
func TestPlacingWhatChanged(t *testing.T) {
	b, m, mug := counter(t, state.English, 3)
	b.review(mug, "2").want(http.StatusOK, "/checkout/review", "Order and pay €44.70")
	m.tx(func(ctx context.Context, c *db.Client) error { return c.Product.Update().SetPriceMinor(2500).Exec(ctx) })
	b.fill("/checkout/place").
		want(http.StatusConflict, "/checkout/place", "Prices have changed", "Order and pay €54.90")
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetInventoryQuantity(1).Exec(ctx)
	})
	b.fill("/checkout/place").want(http.StatusConflict, "/checkout/place", "has sold out", "Only 1 left.")
	back := b.body
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetStatus(state.ProductDraft).Exec(ctx)
	})
	b.ask(http.MethodPost, "/checkout/place", "total=1").
		want(http.StatusConflict, "/checkout/place", "is no longer sold. Remove")
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetStatus(state.ProductActive).Exec(ctx)
	})
	b.body = back
	b.fill("/cart", "quantity."+lineKey(mug), "1").get("/checkout").want(http.StatusOK, "/checkout/review")
	review := b.body
	r := graphtest.NewCore(t, m.store).Mutation()
	made := graphtest.Must[*model.DiscountPayload](t)(r.DiscountCreate(m.ctx, model.DiscountInput{Code: "TEN",
		Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), Active: true})).Discount
	b.get("/cart").fill("/cart", "code", "TEN").get("/checkout").want(http.StatusOK, "/checkout/review", "€27.40")
	with := b.body
	graphtest.Must[*model.DiscountPayload](t)(r.DiscountUpdate(m.ctx, made.PublicID(), 1, model.DiscountInput{
		Code: "TEN", Kind: state.DiscountPercent, BasisPoints: new(int64(1000))}))
	const off = "The discount code TEN cannot be used for this order and was taken off."
	for _, step := range []string{"details", "delivery", "review"} {
		b.get("/checkout/"+step).want(http.StatusOK, "/checkout/"+step, off)
	}
	b.body = with
	b.fill("/checkout/place").want(http.StatusConflict, "/checkout/place", off, "Order and pay €29.90")
	with = b.body
	if b.get("/cart"); strings.Contains(b.body, `value="TEN"`) {
		t.Error("the code is still on the cart")
	}
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1")).want(http.StatusOK, "/cart")
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetInventoryQuantity(2).SetPriceMinor(1250).Exec(ctx)
	})
	b.body = with // two for the price of one
	b.fill("/checkout/place").want(http.StatusConflict, "/checkout/place", "Your cart has changed")
	b.ask(http.MethodPost, "/cart/line", adding(mug, "1"))
	m.tx(func(ctx context.Context, c *db.Client) error { return c.Product.Update().SetPriceMinor(2500).Exec(ctx) })
	b.body = review
	b.fill("/checkout/place").want(http.StatusOK, "/orders/", "€29.90")
}

// TestCheckoutRefuses: other sites, other methods, malformed and oversized forms.
func TestCheckoutRefuses(t *testing.T) {
	b, _, mug := counter(t, state.English, 3)
	body := adding(mug, "1")
	b.ask(http.MethodPost, "/cart/add", body, "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden, "/cart/add")
	b.ask(http.MethodPost, "/cart/add", body, "Sec-Fetch-Site", "", "Origin", "https://evil.example").
		want(http.StatusForbidden, "/cart/add")
	b.ask(http.MethodPost, "/cart/add", body, "Content-Type", "text/plain").
		want(http.StatusUnsupportedMediaType, "/cart/add")
	b.ask(http.MethodPost, "/cart/add", "x="+strings.Repeat("a", 70_000)).want(http.StatusBadRequest, "/cart/add")
	b.ask(http.MethodPost, "/cart/add", "%zz").want(http.StatusBadRequest, "/cart/add")
	b.ask(http.MethodPut, "/cart", "").want(http.StatusMethodNotAllowed, "/cart")
	b.ask(http.MethodPost, "/orders/x", "").want(http.StatusMethodNotAllowed, "/orders/x")
	if b.cookie != nil {
		t.Errorf("a refused form began a cart: %v", b.cookie)
	}
	b.get("/cart/add").want(http.StatusOK, "/cart")
	b.get("/checkout/lost").want(http.StatusNotFound, "/checkout/lost")
	b.get("/_checkout/page.css").want(http.StatusOK, "/_checkout/page.css")
	if got := b.header.Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("the stylesheet is %s", got)
	}
	b.ask(http.MethodHead, "/cart", "").want(http.StatusOK, "/cart")
	b.ask(http.MethodPost, "/checkout/details", "email=a@example.com").want(http.StatusOK, "/cart")
	b.ask(http.MethodPost, "/checkout/place", "total=1").want(http.StatusOK, "/cart")
}

// TestCheckoutCountry: the button of a country shows its fields in its order and with its names, and keeps
// what was typed; an order has both addresses, and the gift message in its note.
func TestCheckoutCountry(t *testing.T) {
	b, m, mug := counter(t, state.English, 5)
	graphtest.Must[*model.ShippingZonePayload](t)(graphtest.NewCore(t, m.store).Mutation().ShippingZoneCreate(m.ctx,
		model.ShippingZoneInput{Name: "Far", Countries: []string{"US", "JP"}, Rates: []*model.ShippingRateInput{
			{Name: "Air", Kind: "delivery", PriceMinor: 990}}}))
	b.ask(http.MethodPost, "/cart/add", adding(mug, "1"))
	b.ask(http.MethodGet, "/checkout/details", "", "Accept-Language", "en-US,de-DE;q=0.5").
		want(http.StatusOK, "/checkout/details", `<option value="US" selected>`, "ZIP code", ">State<",
			"Mug &lt;blue&gt;")
	b.press("/checkout/details", "show=country", "email", "ada@example.com", "country", "JP", "line1", "Dori 1",
		"name", "Ada", "billing", "1", "billing_country", "DE").
		want(http.StatusOK, "/checkout/details", "Prefecture", `value="Dori 1"`, `value="ada@example.com"`)
	if strings.Index(b.body, `id="postal_code"`) > strings.Index(b.body, `id="line1"`) {
		t.Error("an address in Japan begins with the street")
	}
	b.fill("/checkout/details", "country", "JP", "postal_code", "1540023", "region", "Tokyo", "city", "Setagaya",
		"billing_country", "DE", "billing_name", "Lovelace GmbH", "billing_line1", "Weg 1",
		"billing_postal_code", "10115", "billing_city", "Berlin", "gift", "Happy birthday").
		want(http.StatusOK, "/checkout/delivery", "Air")
	b.fill("/checkout/delivery").want(http.StatusOK, "/checkout/review", "154-0023", "Lovelace GmbH", "Happy birthday")
	b.fill("/checkout/place").want(http.StatusOK, "/orders/")
	r := graphtest.NewCore(t, m.store).Query()
	o := graphtest.Must[*model.OrderConnection](t)(r.Orders(m.ctx, new(1), nil, nil, nil, nil)).Nodes[0]
	to, bill := graphtest.Must[*document.AddressFields](t)(o.ShippingAddress.Fields()),
		graphtest.Must[*document.AddressFields](t)(o.BillingAddress.Fields())
	notes := graphtest.Must[*model.OrderNoteConnection](t)(r.OrderNotes(m.ctx, o.PublicID(), nil, nil)).Nodes
	if to.Country != "JP" || bill.Country != "DE" || *bill.Name != "Lovelace GmbH" || len(notes) != 1 ||
		notes[0].Body != "Gift message: Happy birthday" {
		t.Errorf("shipped to %+v, billed to %+v, notes %+v", to, bill, notes)
	}
}
