package rest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
	"github.com/storefront-go/storefront/rest"
)

// logged lists the request log of a shop, oldest first. It fails if a row contains one of the words
// never, which have a letter that no id has (i, l, o, u).
func (m *shop) logged(never ...string) (list []string) {
	m.t.Helper()
	rows, err := m.store.DB(m.ctx).RequestLog.Query().Order(db.Asc("id")).Load(m.ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, r := range rows {
		parts := []string{r.Method, r.Route, strconv.Itoa(r.Status)}
		for _, more := range []*string{r.Resource, r.Code} {
			if more != nil {
				parts = append(parts, *more)
			}
		}
		text := strings.Join(parts, " ")
		for _, secret := range never {
			if strings.Contains(strings.ToLower(fmt.Sprint(text, r)), secret) {
				m.t.Errorf("the row holds %s: %+v", secret, r)
			}
		}
		list = append(list, text)
	}
	return list
}

// The request log holds the route, the id if it has the form of one, the status and the problem
// code, and nothing that may name a person.
func TestRequestLog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		log := requestlog.New(store)
		s := newServer(t, store, func(c *rest.Config) { c.Requests = log })
		m := newShop(t, store, shopRow{})
		order := xid.Order.Format(xid.New())
		first := s.do(t, request{As: m.all, Path: "/orders/" + order})
		s.do(t, request{As: m.all, Path: "/orders/lovelace@example.com"})
		s.do(t, request{As: m.all, Path: "/customers?email=lovelace%40example.com"})
		s.do(t, request{As: m.all, Path: "/customers?email=lovelace%40example.com&nickname=lovelace", Free: true})
		for range 2 { // the second one is a replay
			s.post(t, m.all, "k", "/products", `{"title": "", "price_minor": 1, "currency": "EUR"}`)
		}
		s.do(t, request{As: "sfk_unknown", Path: "/orders"})
		s.do(t, request{As: m.all, Method: "PATCH", Path: "/orders", Free: true})
		if err := log.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"GET " + base + "/orders/{id} 404 " + order + " not_found",
			"GET " + base + "/orders/{id} 404 not_found",
			"GET " + base + "/customers 200",
			"GET " + base + "/customers 400 invalid_parameter",
			"POST " + base + "/products 422 validation_failed",
			"POST " + base + "/products 422 validation_failed",
		}
		if d := cmp.Diff(want, m.logged("lovelace", "example", "email")); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		id, err := xid.Request.Parse(first.Header.Get("X-Request-Id"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := store.DB(m.ctx).RequestLog.Query().Order(db.Asc("id")).IDs(m.ctx)
		if err != nil || len(rows) == 0 || rows[0] != id {
			t.Errorf("the first row is %v, the request was %s: %v", rows, id, err)
		}
	})
}

// The store and the app's developer see an app's requests, also those through agents' tools.
func TestRequestLogOfAnApp(t *testing.T) {
	var log *requestlog.Log
	s, m := sqlite(t, func(c *rest.Config) {
		log = requestlog.New(c.Core.Store)
		c.Requests = log
	})
	i := m.install(scope.Full(), scope.Full(), scope.Full())
	s.do(t, request{As: i.tokens[0], Path: "/products"})
	s.do(t, request{As: m.all, Path: "/mcp"})
	if err := log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	product := "GET " + base + "/products 200"
	if got := m.logged(); len(got) != 2 || got[0] != product || !strings.Contains(got[1], " /mcp ") {
		t.Errorf("the store has %q", got)
	}
	if got := i.developer.logged(); !slices.Equal(got, []string{product}) {
		t.Errorf("the developer has %q", got)
	}
	row := i.developer.store.DB(i.developer.ctx).RequestLog.Query().OnlyX(i.developer.ctx)
	if row.CallerStoreID == nil || *row.CallerStoreID != m.id || row.SubjectID != i.app {
		t.Errorf("%+v", row)
	}
}
