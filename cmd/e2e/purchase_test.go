package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest/client"
)

// counter is a store where shoppers buy while its program is killed and restarted.
type counter struct {
	settings settings
	host     string // without a port
	http     *http.Client

	mu      sync.RWMutex // held while there is no program
	program *program
}

// crash kills the program and restarts it.
func (c *counter) crash(t *testing.T) {
	c.program.kill()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.program = start(t, c.settings)
}

// ask repeats a shopper's request until it is answered.
func (c *counter) ask(
	t *testing.T, path, cookie string, form url.Values,
) (status int, header http.Header, body string) {
	for t.Context().Err() == nil {
		c.mu.RLock()
		a, err := c.program.do(t, c.request(path, cookie, form))
		c.mu.RUnlock()
		if err == nil {
			return a.Status, a.Header, string(a.Body)
		}
	}
	t.Error(t.Context().Err())
	return 0, nil, ""
}

// request returns the request of a page, or of a form.
func (c *counter) request(path, cookie string, form url.Values) request {
	at, _ := url.Parse(c.program.API)
	r := request{Path: path, Host: c.host + ":" + at.Port(), Through: c.http}
	if form != nil {
		r.Method, r.Body = http.MethodPost, form.Encode()
		r.Header = append(r.Header, "Content-Type", "application/x-www-form-urlencoded",
			"Sec-Fetch-Site", "same-origin")
	}
	if cookie != "" {
		r.Header = append(r.Header, "Cookie", cookie)
	}
	return r
}

// first returns the value of a page's field; the first of several.
func first(t *testing.T, page, field string) string {
	found := regexp.MustCompile(`name="` + field + `"\s+value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Errorf("the page has no %s: %s", field, page)
		return ""
	}
	return found[1]
}

// shopper goes to the last page of the checkout, and returns their cookie and the total.
func (c *counter) shopper(t *testing.T, product, email, payment string) (cookie, total string) {
	_, header, _ := c.ask(t, "/cart/add", "", url.Values{"product_id": {product}, "quantity": {"1"}})
	cookie, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	for _, step := range []struct {
		path string
		form url.Values
	}{
		{"/checkout/details", url.Values{"email": {email}, "country": {"DE"}, "name": {"Ada Lovelace"},
			"line1": {"Weg 1"}, "postal_code": {"10115"}, "city": {"Berlin"}}},
	} {
		if status, _, body := c.ask(t, step.path, cookie, step.form); status != http.StatusSeeOther {
			t.Errorf("%s answers %d %s", step.path, status, body)
		}
	}
	_, _, body := c.ask(t, "/checkout/delivery", cookie, nil)
	c.ask(t, "/checkout/delivery", cookie, url.Values{"ships": {"1"}, "rate": {first(t, body, "rate")},
		"payment": {payment}})
	_, _, body = c.ask(t, "/checkout/review", cookie, nil)
	return cookie, first(t, body, "total")
}

// Shoppers want more items than there are, and the program is killed while they order: each gets
// their order or reads that none are left, and nothing is sold twice. A webhook receiver gets one
// order.created and one order.paid per order.
func TestPurchasesSurviveKills(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	together(t, func(t *testing.T, s settings) {
		const shoppers, pieces, kills = 75, 30, 3
		p := start(t, s)
		store := p.demo(t).Stores[0]
		front, _ := url.Parse(p.front(t, store.StaffToken))
		c := &counter{settings: s, host: front.Hostname(), program: p, http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		product := p.stock(t, store.StaffToken, pieces)
		received := receiving(t).open("/orders", nil)
		p.register(t, store.Keys["all"], received, orderEvents...)
		cookies, totals := make([]string, shoppers), make([]string, shoppers)
		eachOf(shoppers, func(i int) {
			cookies[i], totals[i] = c.shopper(t, product, "shopper-"+strconv.Itoa(i)+"@example.com", "test")
		})

		answers := make(chan bool, shoppers)
		var died sync.WaitGroup
		died.Go(func() {
			for n := 1; n <= kills; n++ {
				for range pieces / (kills + 1) {
					<-answers
				}
				c.crash(t)
			}
		})
		orders := make([]string, shoppers)
		eachOf(shoppers, func(i int) {
			status, header, body := c.ask(t, "/checkout/place", cookies[i], url.Values{"total": {totals[i]}})
			switch status {
			case http.StatusSeeOther:
				orders[i] = header.Get("Location")
				for range 2 { // an impatient shopper
					c.ask(t, strings.TrimSuffix(orders[i], "/pay")+"/pay", cookies[i], url.Values{"outcome": {"pay"}})
				}
			case http.StatusConflict:
			default:
				t.Errorf("placing answers %d %s", status, body)
			}
			answers <- true
		})
		died.Wait()
		var sold journal
		for _, id := range c.check(t, store.Keys["all"], product, orders, pieces) {
			sold.add(id, "order.created", "order.paid")
		}
		received.sink.complete(t, settled, &sold, received)
	})
}

// eachOf runs f for n numbers, sixteen at a time.
func eachOf(n int, f func(i int)) {
	turns := make(chan struct{}, 16)
	var all sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			f(i)
		})
	}
	all.Wait()
}

// stock creates an active product with an inventory, and returns its id.
func (p *program) stock(t *testing.T, token string, pieces int) string {
	t.Helper()
	var made struct {
		ProductCreate struct {
			Product struct {
				ID      string
				Version int
			}
		}
	}
	p.graphql(t, token, `mutation($n: Long!) { productCreate(input: {title: "Last ones", priceMinor: 1000, `+
		`currency: "EUR", inventoryQuantity: $n}) { product { id version } } }`, map[string]any{"n": pieces}, &made)
	product := made.ProductCreate.Product
	p.graphql(t, token, `mutation($id: ID!, $v: Long!) { productPublish(id: $id, expectedVersion: $v) { `+
		`product { id } } }`, map[string]any{"id": product.ID, "v": product.Version}, &struct{}{})
	return product.ID
}

// check compares the shoppers' answers with the store's orders, and returns those.
func (c *counter) check(t *testing.T, key, product string, orders []string, pieces int) (sold []string) {
	t.Helper()
	reported := map[string]bool{}
	for _, path := range orders {
		if path != "" {
			if reported[path] {
				t.Errorf("two shoppers have the order %s", path)
			}
			reported[path] = true
		}
	}
	for o, err := range c.program.client(t, key).Orders(t.Context(), &client.ListOrdersParams{Limit: new(100)}) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Source == "storefront" {
			sold = append(sold, o.ID)
		}
	}
	var left struct {
		InventoryQuantity *int `json:"inventory_quantity"`
	}
	c.program.send(t, request{As: key, Path: base + "/products/" + product}).decode(t, &left)
	if len(reported) != pieces || len(sold) != pieces || left.InventoryQuantity == nil || *left.InventoryQuantity != 0 {
		t.Errorf("%d shoppers have an order of %d, the store has %d", len(reported), pieces, len(sold))
	}
	return sold
}
