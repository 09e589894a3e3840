package e2e

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest"
)

// bodies are the bodies of the writes. The subscribed event needs no other scope than the route's.
// An export also needs the read scope of its kind, so no single scope starts one.
var bodies = map[string]string{
	"/orders/{id}/notes": `{"body":"x"}`, "/products": draft("By scope", "SCOPE"), "/exports": `{"kind":"orders"}`,
	"/imports":  `{"kind":"products","content":"handle,title\n"}`,
	"/webhooks": `{"url":"http://127.0.0.1:9/scope","events":["app.grant_revoked"]}`,

	"/orders/{id}/cancel": `{}`, "/orders/{id}/payments": `{"amount_minor":50}`, "/orders/{id}/fulfillments": `{}`,
	"/orders/{id}/refunds": `{"amount_minor":1}`,

	"/orders": `{"lines":[{"title":"x","quantity":1,"unit_price_minor":1}]}`, "/orders/{id}": `{"tags":["x"]}`,
	"/orders/{id}/fulfillments/{fulfillment_id}": `{"tracking":{"number":"1"}}`,
	"/products/{id}/variants/{variant_id}":       `{"weight_grams":1}`,
	"/products/{id}":                             `{"tags":["x"]}`, "/products/{id}/publish": `{}`,
	"/products/{id}/unpublish": `{}`, "/products/{id}/archive": `{}`,
	"/products/by-reference/{external_reference}": draft("By reference", "REFERENCE"),
	"/inventory/adjustments":                      `{"lines":[{"sku":"REFERENCE","set":9}]}`,
	"/customers":                                  `{"first_name":"Ada"}`, "/customers/{id}": `{"tags":["x"]}`,
	"/discounts": `{"code":"CODE","kind":"free_shipping"}`, "/discounts/{id}": `{"active":false}`,
	"/custom-fields":      `{"owner":"product","name":"x.CODE","label":"x","type":"text"}`,
	"/custom-fields/{id}": `{"label":"y"}`, "/orders/{id}/returns": `{"lines":[{"line_item_id":"LINE","quantity":1}]}`,
	"/returns/{id}/approve": "{}", "/returns/{id}/decline": `{"reason":"x"}`, "/returns/{id}/receive": "{}",
	"/returns/{id}/refund": "{}", "/returns/{id}/exchange": `{"lines":[{"title":"x","quantity":1,"unit_price_minor":1}]}`,

	"/locations": `{"name":"CODE"}`, "/locations/{id}": `{"name":"y"}`,
	"/location-order": `{"ids":["OPEN"]}`, "/locations/{id}/close": "{}",
	"/inventory/transfers": `{"from":"HOME","to":"PLACE","lines":[{"sku":"REFERENCE","quantity":1}]}`,
}

// Each single-scope key of demo.json opens the routes of its scope, a write also those of its read,
// and nothing else; the refusal names what is missing.
func TestScopes(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	store := p.demo(t).Stores[0]
	all := store.Keys["all"]
	p.send(t, request{Method: http.MethodPost, Path: base + "/exports", As: all, Body: bodies["/exports"]}).
		want(t, http.StatusAccepted, "")
	p.send(t, request{Method: http.MethodPost, Path: base + "/imports", As: all, Body: bodies["/imports"]}).
		want(t, http.StatusAccepted, "")
	if rows, names := len(rest.Routes()), len(scope.Names()); rows != 66 || names != 27 {
		t.Errorf("%d rows and %d scopes, want 66 and 27", rows, names)
	}
	for _, route := range rest.Routes() {
		r := request{Method: route.Method, Path: base + route.Path, Body: bodies[route.Path]}
		if route.Method == http.MethodGet || route.Method == http.MethodDelete {
			r.Body = ""
		}
		if strings.Contains(r.Body, "HOME") {
			r.Body = strings.NewReplacer("HOME", p.location(t, store, false), "PLACE", p.location(t, store, true)).
				Replace(r.Body)
		}
		r.Body = strings.Replace(r.Body, "OPEN", strings.Join(p.locations(t, store), `","`), 1)
		body := r.Body
		for _, name := range append(scope.Names(), "all") {
			r.As = store.Keys[name]
			if lacking(route, name) == "" || r.Path == base+route.Path { // a refusal may name an earlier row
				r.Path = base + p.own(t, store, route)
			}
			if r.Body != "" && strings.HasPrefix(route.Path, "/orders/{id}") &&
				!strings.HasSuffix(route.Path, "{fulfillment_id}") && lacking(route, name) == "" {
				id, line := p.partlyPaid(t, store)
				r.Path = base + strings.Replace(route.Path, "{id}", id, 1)
				body = strings.Replace(bodies[route.Path], "LINE", line, 1)
			}
			if route.Method != http.MethodGet {
				r.Key = rand.Text()
			}
			r.Body = strings.Replace(body, "CODE", strings.ToLower(rand.Text()), 1)
			a, missing := p.send(t, r), lacking(route, name)
			if missing == "" {
				hidden := route.Path == "/events/{id}" && name != "all" // the event's scope is another one
				if a.Status >= 300 && (!hidden || a.Status != http.StatusNotFound) {
					t.Errorf("%s %s with %s: %d %s", route.Method, route.Path, name, a.Status, a.Body)
				}
				continue
			}
			a.want(t, http.StatusForbidden, "insufficient_scope")
			challenge := a.Header.Get("WWW-Authenticate")
			if !strings.Contains(challenge, `scope="`+missing+`"`) || !strings.Contains(string(a.Body), missing) {
				t.Errorf("%s %s with %s does not name %s: %s %s", route.Method,
					route.Path, name, missing, challenge, a.Body)
			}
		}
		r.As = store.StaffToken
		p.send(t, r).want(t, http.StatusUnauthorized, "invalid_token")
	}
}

// lacking returns the scope that a key with the named scope lacks for a route.
func lacking(route rest.Route, name string) string {
	switch {
	case name == "all":
		return ""
	case name != route.Scope && name != strings.TrimSuffix(route.Scope, ".read")+".write":
		return route.Scope
	case route.Method == http.MethodPost && route.Path == "/exports":
		return scope.OrdersRead
	case route.Method == http.MethodPost && route.Path == "/imports":
		return scope.ProductsWrite
	case route.Path == "/returns/{id}/exchange":
		return scope.RefundsWrite
	}
	return ""
}

// list returns the path of a route's list.
func list(route rest.Route) string {
	path, _, _ := strings.Cut(route.Path, "/{id}")
	return path
}

// partlyPaid creates an order at version 3, of which a part is paid, and returns its id and that of
// its line.
func (p *program) partlyPaid(t *testing.T, store demo.Store) (id, line string) {
	t.Helper()
	var v creation
	p.graphql(t, store.StaffToken, `mutation{done:orderCreate(input:{lines:[{title:"x",quantity:20,`+
		`unitPriceMinor:100}]}){it:order{id lineItems{id}} userErrors{message}}}`, nil, &v)
	id, line = v.Done.It.ID, v.Done.It.LineItems[0].ID
	p.graphql(t, store.StaffToken, `mutation($id:ID!){tag:orderUpdate(id:$id,expectedVersion:1,input:{tags:["x"]}){`+
		`userErrors{message}} done:orderRecordPayment(id:$id,expectedVersion:2,input:{amountMinor:1000}){`+
		`it:order{id} userErrors{message}}}`, map[string]any{"id": id}, &v)
	return id, line
}

// location returns the id of the default location of a store, or of a new one.
func (p *program) location(t *testing.T, store demo.Store, other bool) string {
	t.Helper()
	if other {
		made := p.send(t, request{Method: http.MethodPost, Path: base + "/locations", As: store.Keys["all"],
			Body: bodies["/locations"], Key: rand.Text()})
		return parse[struct{ ID string }](t, string(made.Body)).ID
	}
	all := p.locations(t, store)
	return all[len(all)-1]
}

// locations returns the ids of the open locations of a store. The last one is the default location.
func (p *program) locations(t *testing.T, store demo.Store) (ids []string) {
	t.Helper()
	page := parse[struct {
		Data []struct {
			ID       string
			ClosedAt *string `json:"closed_at"`
		}
	}](t, string(p.send(t, request{Path: base + "/locations?limit=100", As: store.Keys["all"]}).Body))
	for _, l := range page.Data {
		if l.ClosedAt == nil {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// shipment returns the path of a shipment of a new order.
func (p *program) shipment(t *testing.T, store demo.Store) string {
	t.Helper()
	id, _ := p.partlyPaid(t, store)
	var v struct {
		Done struct {
			Order struct{ Fulfillments []struct{ ID string } }
		}
	}
	p.graphql(t, store.StaffToken, `mutation($id:ID!){done:orderFulfill(id:$id,expectedVersion:3,input:{}){`+
		`order{fulfillments{id}} userErrors{message}}}`, map[string]any{"id": id}, &v)
	return "/orders/" + id + "/fulfillments/" + v.Done.Order.Fulfillments[0].ID
}

// own returns the path of a route with an id of the store: of its list's first row or, for a
// deletion, of a new one.
func (p *program) own(t *testing.T, store demo.Store, route rest.Route) string {
	t.Helper()
	list := list(route)
	if list == route.Path || !strings.Contains(route.Path, "{id}") {
		return route.Path
	}
	post := func(path, body string) (id string) {
		made := p.send(t, request{Method: http.MethodPost, Path: base + path, As: store.Keys["all"], Body: body,
			Key: rand.Text()})
		return parse[struct{ ID string }](t, string(made.Body)).ID
	}
	switch {
	case strings.HasSuffix(route.Path, "{fulfillment_id}"):
		return p.shipment(t, store)
	case list == "/returns":
		order, line := p.partlyPaid(t, store)
		id := post("/orders/"+order+"/returns", strings.Replace(bodies["/orders/{id}/returns"], "LINE", line, 1))
		if !strings.HasSuffix(route.Path, "/approve") && !strings.HasSuffix(route.Path, "/decline") {
			post("/returns/"+id+"/approve", "{}")
		}
		return strings.Replace(route.Path, "{id}", id, 1)
	case strings.HasSuffix(route.Path, "{variant_id}"):
		id := post(list, draft("Variant", "VARIANT"))
		return list + "/" + id + "/variants/var_" + strings.TrimPrefix(id, "prod_")
	case list == "/products" && route.Method == http.MethodPost:
		id := post(list, draft("Moved", "MOVED"))
		if strings.HasSuffix(route.Path, "/unpublish") {
			post(list+"/"+id+"/publish", "{}")
		}
		return strings.Replace(route.Path, "{id}", id, 1)
	case list == "/events":
		page := parse[struct {
			Data []struct {
				ID string `json:"event_id"`
			}
		}](t, string(p.send(t, request{Path: base + list + "?limit=1", As: store.Keys["all"]}).Body))
		return list + "/" + page.Data[0].ID
	case strings.HasSuffix(route.Path, "/close"):
		return strings.Replace(route.Path, "{id}", p.location(t, store, true), 1)
	case list == "/discounts", route.Method == http.MethodDelete:
		return list + "/" + post(list, strings.Replace(bodies[list], "CODE", strings.ToLower(rand.Text()), 1))
	}
	page := parse[struct{ Data []struct{ ID string } }](t,
		string(p.send(t, request{Path: base + list + "?limit=1", As: store.Keys["all"]}).Body))
	if len(page.Data) == 0 {
		t.Fatalf("the store has none of %s", list)
	}
	return strings.Replace(route.Path, "{id}", page.Data[0].ID, 1)
}
