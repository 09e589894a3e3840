package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
)

// Each single-scope key of demo.json opens the rows of its scope, a write those
// of its read too, and nothing else; the refusal names what is missing.
func TestScopes(t *testing.T) {
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	store := p.demo(t).Stores[0]
	own := p.ids(t, store)
	// An event that needs no other scope than the row's.
	endpoint := `{"url":"http://127.0.0.1:9/scope","events":["app.grant_revoked"]}`
	bodies := map[string]string{"/products": draft("By scope", "SCOPE"), "/orders/{id}/notes": `{"body":"x"}`, "/webhooks": endpoint}
	for _, route := range rest.Routes() {
		r := request{Method: route.Method, Path: base + route.Path}
		if route.Method == http.MethodPost {
			r.Body = bodies[route.Path]
		}
		id := own.Orders.first()
		if strings.HasPrefix(route.Path, "/products/") {
			id = own.Products.first()
		}
		r.Path = strings.ReplaceAll(r.Path, "{id}", id)
		for _, name := range append(scope.Names(), "all") {
			if route.Method == http.MethodDelete { // each needs one of its own
				made := parse[struct{ ID string }](t, string(p.send(t, request{Method: "POST", Path: base + "/webhooks", As: store.Keys["all"], Body: endpoint}).Body))
				r.Path, r.Key = base+"/webhooks/"+made.ID, "delete-"+made.ID
			}
			r.As = store.Keys[name]
			a := p.send(t, r)
			if name == "all" || name == route.Scope || name == strings.TrimSuffix(route.Scope, ".read")+".write" {
				if a.Status >= 300 {
					t.Errorf("%s %s with %s: %d %s", route.Method, route.Path, name, a.Status, a.Body)
				}
				continue
			}
			a.want(t, http.StatusForbidden, "insufficient_scope")
			challenge := a.Header.Get("WWW-Authenticate")
			if !strings.Contains(challenge, `scope="`+route.Scope+`"`) || !strings.Contains(string(a.Body), route.Scope) {
				t.Errorf("%s %s with %s does not name %s: %s %s", route.Method, route.Path, name, route.Scope, challenge, a.Body)
			}
		}
		r.As = store.StaffToken
		p.send(t, r).want(t, http.StatusUnauthorized, "invalid_token")
	}
}
