package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// program is a program that uses the API of a shop.
type program struct {
	t      *testing.T
	s      *server
	host   string
	status int
	header http.Header
	body   []byte
}

// say is what a session answers, as far as tests read it.
type say struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Detail    string `json:"detail"`
	LineItems []struct {
		Item struct {
			ID    string `json:"id"`
			Price int64  `json:"price"`
		} `json:"item"`
	} `json:"line_items"`
	Totals []struct {
		Type   string `json:"type"`
		Amount int64  `json:"amount"`
	} `json:"totals"`
	Messages []struct {
		Code string `json:"code"`
	} `json:"messages"`
	ContinueURL string `json:"continue_url"`
	Buyer       *struct {
		Email string `json:"email"`
	} `json:"buyer"`
	Fulfillment struct {
		Methods []struct {
			Groups []struct {
				Options []struct {
					ID string `json:"id"`
				} `json:"options"`
			} `json:"groups"`
		} `json:"methods"`
	} `json:"fulfillment"`
	Order *struct {
		ID        string `json:"id"`
		Permalink string `json:"permalink_url"`
	} `json:"order"`
	CheckoutID string `json:"checkout_id"`
}

func (a say) total(kind string) int64 {
	for _, t := range a.Totals {
		if t.Type == kind {
			return t.Amount
		}
	}
	return 0
}

// ask sends a request with header pairs and returns the answer.
func (p *program) ask(method, path, body string, header ...string) (a say) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.s.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Host = p.host
	r.Header.Set("UCP-Agent", `profile="https://agent.example/profile"`)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := p.s.free.Transport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	p.status, p.header = answer.StatusCode, answer.Header
	if p.body, err = io.ReadAll(answer.Body); err != nil {
		p.t.Fatal(err)
	}
	if p.status >= http.StatusInternalServerError || len(p.body) > 0 && json.Unmarshal(p.body, &a) != nil {
		p.t.Fatalf("%s %s: %d %s", method, path, p.status, p.body)
	}
	return a
}

// want asks and checks the status.
func (p *program) want(status int, method, path, body string, header ...string) say {
	p.t.Helper()
	a := p.ask(method, path, body, header...)
	if p.status != status {
		p.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, p.status, p.body, status)
	}
	return a
}

const sessions = "/ucp/checkout-sessions"

func lineOf(id string, n int) string {
	return fmt.Sprintf(`{"item": {"id": %q}, "quantity": %d}`, id, n)
}

const berlin = `{"id": "home", "first_name": "Ada", "last_name": "Lovelace", "street_address": "Weg 1",
	"address_locality": "Berlin", "postal_code": "10115", "address_country": "DE"}`

func shipTo(destination, rate string) string {
	return `{"buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping",
		"destinations": [` + destination + `], "groups": [{"selected_option_id": "` + rate + `"}]}]}}`
}

// payable lets a store take test payments besides transfers.
func (m *shop) payable() {
	graphtest.Must[*model.PaymentSettingsPayload](m.t)(graphtest.NewCore(m.t, m.store).Mutation().
		PaymentSettingsUpdate(m.ctx, 1, model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
			{Kind: state.PaymentTest, Name: "Test", Active: true},
			{Kind: state.PaymentTransfer, Name: "Transfer", Active: true, Instructions: "IBAN DE00"}}}))
}

// offered creates a product as the dashboard does, so that the shop lists it, and returns its id.
func (m *shop) offered(title string) string {
	m.t.Helper()
	r := graphtest.NewCore(m.t, m.store).Mutation()
	p := graphtest.Must[*model.ProductPayload](m.t)(r.ProductCreate(m.ctx,
		model.ProductCreateInput{Title: title, PriceMinor: 700, Currency: "EUR"})).Product
	p = graphtest.Must[*model.ProductPayload](m.t)(r.ProductPublish(m.ctx, p.PublicID(), p.Version)).Product
	return p.PublicID()
}

// TestProgramBuys: a program finds a product, fills a session, pays and reads the order. Replays give the
// same answer, and another shop knows none of it.
func TestProgramBuys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store, underTest(t, store))
		m := newShop(t, store, shopRow{Handle: "first"})
		mug := xid.Variant.Format(selling(t, m, state.English, 5))
		m.payable()
		p := &program{t: t, s: s, host: "first.shops.test:8080"}
		p.want(200, http.MethodGet, "/.well-known/ucp", "")
		if !bytes.Contains(p.body, []byte(`"endpoint":"https://first.`)) ||
			p.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("the discovery is %v %s", p.header, p.body)
		}
		bell := m.offered("Bell")
		for _, search := range []string{`{"query": "bell"}`, `{}`, `{"filters": {"price": {"min": 700, "max": 700}}}`} {
			p.want(200, http.MethodPost, "/ucp/catalog/search", search)
			if !bytes.Contains(p.body, []byte(`"id":"`+bell+`"`)) {
				t.Errorf("the search %s finds %s", search, p.body)
			}
		}
		p.want(200, http.MethodPost, "/ucp/catalog/search", `{"filters": {"price": {"min": 701}}}`)
		if bytes.Contains(p.body, []byte(bell)) {
			t.Errorf("the search finds %s", p.body)
		}
		p.want(200, http.MethodPost, "/ucp/catalog/lookup", `{"ids": ["`+mug+`", "none"]}`)
		if !bytes.Contains(p.body, []byte(`"match":"exact"`)) {
			t.Errorf("the look-up finds %s", p.body)
		}
		key := []string{"Idempotency-Key", "8c1c2b52-6a53-4f4b-b0b2-0f1d7d6c9a11"}
		body := `{"line_items": [` + lineOf(mug, 2) + `]}`
		a := p.want(201, http.MethodPost, sessions, body, key...)
		if again := p.want(201, http.MethodPost, sessions, body, key...); again.ID != a.ID {
			t.Errorf("a replay created %s, the first try %s", again.ID, a.ID)
		}
		p.want(409, http.MethodPost, sessions, `{"line_items": [`+lineOf(mug, 1)+`]}`, key...)
		at := sessions + "/" + a.ID
		if a.Status != "incomplete" || a.total("total") != 3980 || len(a.Messages) == 0 {
			t.Errorf("a new session is %+v", a)
		}
		a = p.want(200, http.MethodPut, at, shipTo(`{"address_country": "DE"}`, ""))
		rate := a.Fulfillment.Methods[0].Groups[0].Options[0].ID
		if a = p.want(200, http.MethodPut, at, shipTo(`{"address_country": "DE"}`, rate)); a.Status != "incomplete" {
			t.Errorf("with a part of an address the session is %s", a.Status)
		}
		p.want(400, http.MethodPost, at+"/complete", `{"payment_data": {"handler_id": "mock_payment_handler",
			"credential": {"type": "token", "token": "success_token"}}}`)
		a = p.want(200, http.MethodPut, at, shipTo(berlin, rate))
		if a.Status != "ready_for_complete" || a.total("total") != 4470 || a.total("fulfillment") != 490 {
			t.Errorf("a complete session is %+v", a)
		}
		pay := `{"payment_data": {"handler_id": "mock_payment_handler", "credential": {"type": "token",
			"token": "success_token"}}}`
		p.want(402, http.MethodPost, at+"/complete", strings.Replace(pay, "success", "fail", 1))
		p.want(400, http.MethodPost, at+"/complete", strings.Replace(pay, `"type": "token"`, `"type": "card"`, 1))
		done := p.want(200, http.MethodPost, at+"/complete", pay, key...)
		if done.Status != "completed" || done.Order == nil || done.total("total") != 4470 {
			t.Fatalf("the completed session is %s", p.body)
		}
		first := string(p.body)
		if p.want(200, http.MethodPost, at+"/complete", pay, key...); string(p.body) != first {
			t.Errorf("a replay answers %s, the first try %s", p.body, first)
		}
		p.want(409, http.MethodPost, at+"/complete", pay)
		p.want(409, http.MethodPut, at, body)
		p.want(409, http.MethodPost, at+"/cancel", "")
		o := p.want(200, http.MethodGet, "/ucp/orders/"+done.Order.ID, "")
		if o.CheckoutID != a.ID || o.total("total") != 4470 {
			t.Errorf("the order is %s", p.body)
		}
		orders := graphtest.Must[[]*db.Order](t)(store.DB(m.ctx).Order.Query().All(m.ctx))
		if len(orders) != 1 || orders[0].PaidMinor != 4470 {
			t.Errorf("the orders are %+v", orders)
		}
		newShop(t, store, shopRow{Handle: "second"})
		other := &program{t: t, s: s, host: "second.shops.test:8080"}
		other.want(404, http.MethodGet, at, "")
		other.want(404, http.MethodGet, "/ucp/orders/"+done.Order.ID, "")
		other.want(400, http.MethodPost, sessions, body)
		p.want(404, http.MethodGet, "/ucp/orders/"+orders[0].PublicID(), "")
	})
}

// TestHandOver: a shopper continues the session of a program on the pages. From then on the program can
// neither change it nor read what the shopper enters.
func TestHandOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store, underTest(t, store))
		m := newShop(t, store, shopRow{Handle: "first"})
		mug := xid.Variant.Format(selling(t, m, state.English, 5))
		p := &program{t: t, s: s, host: "first.shops.test:8080"}
		a := p.want(201, http.MethodPost, sessions, `{"line_items": [`+lineOf(mug, 2)+`]}`)
		at := sessions + "/" + a.ID
		a = p.want(200, http.MethodPut, at, shipTo(`{"address_country": "DE"}`, ""))
		rate := a.Fulfillment.Methods[0].Groups[0].Options[0].ID
		if a = p.want(200, http.MethodPut, at, shipTo(berlin, rate)); a.Status != "requires_escalation" {
			t.Errorf("without a way to pay the session is %s", a.Status)
		}
		path := graphtest.Must[*url.URL](t)(url.Parse(a.ContinueURL)).Path
		b := &shopper{t: t, s: s, host: p.host}
		b.get(path).want(http.StatusOK, "/checkout/delivery", "Transfer")
		p.want(409, http.MethodPut, at, shipTo(berlin, rate))
		p.want(409, http.MethodPost, at+"/cancel", "")
		b.get("/checkout/details")
		b.fill("/checkout/details", "email", "eve@example.com", "country", "DE", "line1", "Secret 5")
		b.fill("/checkout/delivery").want(http.StatusOK, "/checkout/review")
		p.want(200, http.MethodGet, at, "")
		seen := p.body
		b.fill("/checkout/place").want(http.StatusOK, "/orders/")
		a = p.want(200, http.MethodGet, at, "")
		for _, body := range [][]byte{seen, p.body} {
			if bytes.Contains(body, []byte("eve@")) || bytes.Contains(body, []byte("Secret")) {
				t.Errorf("the program reads %s", body)
			}
		}
		if a.Status != "completed" || strings.Contains(string(p.body), strings.TrimPrefix(b.path, "/orders/")) {
			t.Errorf("the completed session is %s", p.body)
		}
		p.want(404, http.MethodGet, "/ucp/orders/"+a.Order.ID, "")
	})
}

// TestProgramsRefused lists what a program cannot do.
func TestProgramsRefused(t *testing.T) {
	s, m := sqliteShop(t)
	mug := xid.Variant.Format(selling(t, m, state.English, 5))
	p := &program{t: t, s: s, host: "first.shops.test:8080"}
	a := p.want(201, http.MethodPost, sessions, `{"line_items": [`+lineOf(mug, 1)+`]}`)
	at := sessions + "/" + a.ID
	b := &shopper{t: t, s: s, host: p.host}
	b.ask(http.MethodPost, "/cart/add", adding(graphtest.Must[xid.ID](t)(xid.Variant.Parse(mug)), "1"))
	long := strings.Repeat("x", 300)
	one := `"line_items": [` + lineOf(mug, 1) + `]`
	for name, c := range map[string]struct {
		Method, Path, Body string
		Header             []string
		Status             int
	}{
		"no lines":          {http.MethodPost, sessions, `{}`, nil, 400},
		"empty lines":       {http.MethodPost, sessions, `{"line_items": []}`, nil, 400},
		"unknown product":   {http.MethodPost, sessions, `{"line_items": [` + lineOf("x", 1) + `]}`, nil, 400},
		"too many":          {http.MethodPost, sessions, `{"line_items": [` + lineOf(mug, 6) + `]}`, nil, 400},
		"far too many":      {http.MethodPost, sessions, `{"line_items": [` + lineOf(mug, 1<<40) + `]}`, nil, 400},
		"none":              {http.MethodPost, sessions, `{"line_items": [` + lineOf(mug, 0) + `]}`, nil, 400},
		"wrong type":        {http.MethodPost, sessions, `{"line_items": {"item": 1}}`, nil, 400},
		"not JSON":          {http.MethodPost, sessions, `{`, nil, 400},
		"other currency":    {http.MethodPost, sessions, `{"currency": "USD", ` + one + `}`, nil, 400},
		"form":              {http.MethodPost, sessions, `a=b`, []string{"Content-Type", "text/plain"}, 415},
		"large":             {http.MethodPost, sessions, `{"a": "` + strings.Repeat(long, 300) + `"}`, nil, 413},
		"short key":         {http.MethodPost, sessions, `{` + one + `}`, []string{"Idempotency-Key", "1"}, 400},
		"later version":     {http.MethodPost, sessions, `{}`, []string{"UCP-Agent", `version="2099-01-01"`}, 400},
		"wrong method":      {http.MethodGet, sessions, ``, nil, 405},
		"unknown path":      {http.MethodGet, "/ucp/x", ``, nil, 404},
		"root":              {http.MethodGet, "/ucp", ``, nil, 404},
		"other session":     {http.MethodGet, sessions + "/" + strings.Repeat("A", 52), ``, nil, 404},
		"cart of a browser": {http.MethodGet, sessions + "/" + b.cookie.Value, ``, nil, 404},
		"change of it":      {http.MethodPut, sessions + "/" + b.cookie.Value, `{}`, nil, 404},
		"order id":          {http.MethodGet, "/ucp/orders/x", ``, nil, 404},
		"order change":      {http.MethodPut, "/ucp/orders/x", `{}`, nil, 405},
		"wrong email":       {http.MethodPut, at, `{"buyer": {"email": "x"}}`, nil, 400},
		"wrong country":     {http.MethodPut, at, shipTo(`{"address_country": "XX"}`, ""), nil, 400},
		"no country":        {http.MethodPut, at, shipTo(`{"address_locality": "Berlin"}`, ""), nil, 400},
		"wrong postal code": {http.MethodPut, at, shipTo(`{"address_country": "DE", "postal_code": "x"}`, ""), nil, 400},
		"many codes":        {http.MethodPut, at, `{"discounts": {"codes": ["a","b","c","d","e","f"]}}`, nil, 400},
		"long name":         {http.MethodPut, at, `{"buyer": {"first_name": "` + long + `"}}`, nil, 400},
		"no ids":            {http.MethodPost, "/ucp/catalog/lookup", `{}`, nil, 400},
		"negative limit":    {http.MethodPost, "/ucp/catalog/search", `{"pagination": {"limit": -1}}`, nil, 400},
		"no product":        {http.MethodPost, "/ucp/catalog/product", `{"id": "var_x"}`, nil, 404},
	} {
		t.Run(name, func(t *testing.T) {
			q := &program{t: t, s: s, host: p.host}
			if a := q.want(c.Status, c.Method, c.Path, c.Body, c.Header...); a.Detail == "" || len(a.Messages) == 0 {
				t.Errorf("the refusal is %s", q.body)
			}
		})
	}
	if now := p.want(200, http.MethodGet, at, ""); now.total("total") != 1990 || now.Buyer != nil {
		t.Errorf("after refusals the session is %s", p.body)
	}
	for name, front := range map[string]document.StorefrontFields{
		"paused": {Pause: &document.Pause{Message: "Back soon"}}, "locked": {Password: "x"}} {
		m.tx(func(ctx context.Context, c *db.Client) error {
			return c.Store.Update().SetStorefront(document.NewStorefront(front)).AddVersion(1).Exec(ctx)
		})
		late := &program{t: t, s: newServer(t, m.store, underTest(t, m.store)), host: p.host}
		late.ask(http.MethodPost, sessions, `{"line_items": [`+lineOf(mug, 1)+`]}`)
		if want := map[string]int{"paused": 409, "locked": 403}[name]; late.status != want {
			t.Errorf("a %s shop answers %d, want %d", name, late.status, want)
		}
	}
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
	})
	late := &program{t: t, s: newServer(t, m.store, underTest(t, m.store)), host: p.host}
	late.want(404, http.MethodGet, at, "")
}

// sqliteShop serves a shop on SQLite.
func sqliteShop(t *testing.T) (*server, *shop) {
	store := storetest.Open(t)
	return newServer(t, store, underTest(t, store)), newShop(t, store, shopRow{Handle: "first"})
}

var randomCarts = flag.Int("carts", 200, "how many random carts are made by pages and by the API")

// TestSameByPagesAndAPI compares the totals and the refusals of random carts, made by the forms of the
// pages and by the API.
func TestSameByPagesAndAPI(t *testing.T) {
	const seed = 7
	s, m := sqliteShop(t)
	selling(t, m, state.English, 5)
	ids := m.assortment()
	carts := graphtest.NewCore(t, m.store).Carts()
	ctx := viewer.Shopper(t.Context(), m.id)
	random := rand.New(rand.NewPCG(seed, seed)) // the same carts in every run
	for i := range *randomCarts {
		c := randomCart(random, ids)
		page := c.byPages(t, s)
		view := graphtest.Must[*cart.View](t)(carts.View(ctx, page.cookie.Value))
		p := &program{t: t, s: s, host: page.host}
		a := c.byAPI(p)
		if c.refused != (p.status == http.StatusBadRequest) {
			t.Fatalf("cart %d: %+v: pages refuse: %t, the API answers %d %s", i, c, c.refused, p.status, p.body)
		}
		if c.refused {
			continue
		}
		if sums := view.Sums; a.total("total") != sums.TotalMinor || a.total("subtotal") != sums.SubtotalMinor ||
			a.total("discount") != sums.DiscountMinor || a.total("fulfillment")+a.total("tax") !=
			sums.ShippingMinor+sums.TaxMinor {
			t.Fatalf("cart %d: %+v: pages %+v, API %s", i, c, sums, p.body)
		}
	}
}

// assortment adds products, a tax, and discounts.
func (m *shop) assortment() (ids []xid.ID) {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		for i, price := range []int64{1, 333, 1990, 99_99, 123_456} {
			id := fixed(i)
			ids = append(ids, id)
			n := strconv.Itoa(i)
			create := c.Product.Create().SetID(id).SetTitle("Product " + n).SetHandle("p" + n).
				SetStatus(state.ProductActive).SetPriceMinor(price).SetCurrency("EUR").SetTags(document.NewTags(nil)).
				SetUpdatedAt(id.Time()).SetRequiresShipping(i != 1)
			if i == 2 {
				create.SetInventoryQuantity(3)
			}
			if err := create.Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	r := graphtest.NewCore(m.t, m.store).Mutation()
	graphtest.Must[*model.TaxSettingsPayload](m.t)(r.TaxSettingsUpdate(m.ctx, 0, model.TaxSettingsInput{
		PricesIncludeTax: false, Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", Rate: new("19")}}}))
	for _, d := range []model.DiscountInput{
		{Code: "TEN", Kind: state.DiscountPercent, BasisPoints: new(int64(1000)), Active: true},
		{Code: "FIVE", Kind: state.DiscountAmount, AmountMinor: new(int64(500)), LeastMinor: new(int64(2000)),
			Active: true},
	} {
		graphtest.Must[*model.DiscountPayload](m.t)(r.DiscountCreate(m.ctx, d))
	}
	return ids
}

// cartOf is a cart to make in two ways.
type cartOf struct {
	ids     []xid.ID
	counts  []int
	country string
	rate    int
	code    string
	refused bool // by the pages: more than the stock
}

func randomCart(r *rand.Rand, ids []xid.ID) *cartOf {
	c := &cartOf{country: []string{"DE", "AT"}[r.IntN(2)], rate: r.IntN(2),
		code: []string{"", "TEN", "FIVE"}[r.IntN(3)]}
	for _, i := range r.Perm(len(ids))[:1+r.IntN(3)] {
		c.ids, c.counts = append(c.ids, ids[i]), append(c.counts, 1+r.IntN(6))
	}
	return c
}

// byPages fills the cart with the forms of the pages.
func (c *cartOf) byPages(t *testing.T, s *server) *shopper {
	b := &shopper{t: t, s: s, host: "first.shops.test:8080"}
	for i, id := range c.ids {
		b.ask(http.MethodPost, "/cart/add", adding(id, strconv.Itoa(c.counts[i])))
	}
	if c.code != "" {
		b.get("/cart")
		b.press("/cart", "", "code", c.code)
	}
	if b.get("/checkout"); b.path == "/cart" {
		c.refused = true
		return b
	}
	details := []string{"email", "ada@example.com", "country", c.country}
	if strings.Contains(b.body, `name="line1"`) {
		details = append(details, "name", "Ada Lovelace", "line1", "Weg 1", "city", "Berlin", "postal_code",
			map[string]string{"DE": "10115", "AT": "1010"}[c.country])
	}
	b.fill("/checkout/details", details...).want(http.StatusOK, "/checkout/delivery")
	if strings.Contains(b.body, `name="rate"`) {
		rates := rateValues.FindAllStringSubmatch(b.body, -1)
		b.fill("/checkout/delivery", "rate", rates[c.rate][1])
	}
	return b
}

var rateValues = regexp.MustCompile(`name="rate"\s+value="([^"]+)"`)

// byAPI fills the cart as a program does, and returns the session.
func (c *cartOf) byAPI(p *program) say {
	lines := make([]string, len(c.ids))
	for i, id := range c.ids {
		lines[i] = lineOf(xid.Product.Format(id), c.counts[i])
	}
	postal := map[string]string{"DE": "10115", "AT": "1010"}[c.country]
	to := strings.NewReplacer("DE", c.country, "10115", postal).Replace(berlin)
	body := `{"line_items": [` + strings.Join(lines, ",") + `], "discounts": {"codes": ["` + c.code + `"]},` +
		shipTo(to, "")[1:]
	a := p.ask(http.MethodPost, sessions, body)
	if p.status != http.StatusCreated || len(a.Fulfillment.Methods) == 0 {
		return a
	}
	rate := a.Fulfillment.Methods[0].Groups[0].Options[c.rate].ID
	return p.ask(http.MethodPut, sessions+"/"+a.ID, `{"fulfillment": {"methods": [{"groups": [{"selected_option_id": "`+
		rate+`"}]}]}}`)
}
