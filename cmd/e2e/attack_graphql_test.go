package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// repeat returns n numbered copies of a text.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Documents that ask for too much are refused for their form, without a lookup and at once.
func TestAttackGraphQL(t *testing.T) {
	storetest.Sequential(t)
	// Count only the statements of the documents, not those of looking for deliveries.
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0", "--no-dispatch"}})
	store := p.demo(t).Stores[0]
	const bomb = 24 // each fragment spreads the next one twice
	fragments := repeat(bomb, "fragment f%[1]d on Order{...g%[1]d ...h%[1]d}fragment g%[1]d on "+
		"Order{...next%[1]d}fragment h%[1]d on Order{...next%[1]d}")
	for i := range bomb {
		fragments = strings.ReplaceAll(fragments, fmt.Sprintf("next%d}", i), fmt.Sprintf("f%d}", i+1))
	}
	fragments += fmt.Sprintf("fragment f%d on Order{id}", bomb)
	for _, tc := range []struct{ name, query string }{
		{"aliases", "{" + repeat(1000, "a%d:orders{nodes{id}} ") + "}"},
		{"aliases of a mutation", "mutation{" +
			repeat(100, `a%d:productCreate(input:{title:"x",priceMinor:1,currency:"EUR"}){product{id}} `) + "}"},
		{"aliased leaves", "{orders(first:100){nodes{" + repeat(2000, "a%d:id ") + "}}}"},
		{"depth", "{orders{nodes{" + strings.Repeat("lineItems{product{", 1) + strings.Repeat("... on Product{", 3000) +
			"id" + strings.Repeat("}", 3000) + "}}}}}"},
		{"breadth of pages", "{" + repeat(40,
			"a%d:orders(first:100){nodes{lineItems{product{id title}} customer{id} notes(first:100){id}}} ") + "}"},
		{"introspection in depth", "{__schema{types{" + strings.Repeat("fields{type{", 40) +
			"name" + strings.Repeat("}}", 40) + "}}}"},
		{"introspection in breadth", "{" + repeat(500, "a%d:__schema{types{fields{args{type{name}}}}} ") + "}"},
		{"fragments that double", "{orders{nodes{...f0}}} " + fragments},
		{"a fragment that spreads itself", "{orders{nodes{...f}}} fragment f on Order{id ...f}"},
		{"fragments in a ring", "{orders{nodes{...f}}} fragment f on Order{...g} fragment g on Order{...f}"},
		{"directives", "{orders{nodes{id " + repeat(2000, "@include(if:true) ") + "}}}"},
		{"operations", repeat(1000, "query q%d{me{name}} ")},
		{"variables", "query(" + repeat(1000, "$v%d:Int ") + "){me{name}}"},
		{"tokens", "{me{name " + strings.Repeat("name ", 100_000) + "}}"},
		{"brackets", strings.Repeat("{a", 200_000)},
		{"lists in a value", "{orders(filter:" + strings.Repeat("[", 100_000)},
		{"wrong names", "{" + repeat(3000, "wrongName%d ") + "}"},
		{"merging fields", "{" + strings.Repeat("orders{nodes{id number}} ", 1500) + "}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := p.metrics(t)["storefront_db_statements_total"]
			quickly(t, tc.name, func() {
				if a := p.post(t, store.StaffToken, tc.query, nil); a.code() == "" || len(a.Body) > 64<<10 {
					t.Errorf("%d, %d bytes: %.300s", a.Status, len(a.Body), a.Body)
				}
			})
			// Scraping the metrics queries six webhook figures, and the webhook engine polls, more
			// often while a slow machine answers. The cheapest of these documents would cost 40.
			if more := p.metrics(t)["storefront_db_statements_total"] - before; more > 6+24 {
				t.Errorf("it cost %v statements", more)
			}
		})
	}
	var got struct {
		Products  struct{ Nodes []struct{ Title string } }
		Customers struct{ Nodes []struct{ ID string } }
	}
	p.graphql(t, store.StaffToken, "{products(first:1){nodes{title}} customers(first:1000000){nodes{id}}}", nil, &got)
	if got.Products.Nodes[0].Title == "x" {
		t.Error("a refused mutation created a product")
	}
	if len(got.Customers.Nodes) > 100 {
		t.Errorf("a page of %d rows", len(got.Customers.Nodes))
	}
}

// Anything but a single, intended GraphQL request is refused.
func TestAttackGraphQLTransport(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	f := p.demo(t)
	token := f.Stores[0].StaffToken
	const one = `{"query":"{store{id}}"}`
	const change = "mutation{storeUpdate(input:{expectedVersion:1,name:\"Owned\"}){store{id}}}"
	for _, tc := range []struct {
		name   string
		r      request
		status int
	}{
		{"a batch", request{As: token, Path: "/graphql", Body: "[" + strings.Repeat(one+",", 999) + one + "]"}, 400},
		{"two mebibytes", request{
			As: token, Path: "/graphql", Body: `{"query":"` + strings.Repeat(" ", 2<<20) + `{store{id}}"}`,
		}, 413},
		{"deep variables", request{As: token, Path: "/graphql", Body: `{"query":"{store{id}}","variables":{"a":` +
			strings.Repeat("[", 100_000)}, 400},
		{"a form", request{As: token, Path: "/graphql", Body: one, Header: []string{"Content-Type", "text/plain"}},
			415},
		{"a mutation by GET", request{As: token, Path: "/graphql?query=" +
			strings.NewReplacer(" ", "%20", `"`, "%22", "{", "%7B", "}", "%7D").Replace(change)}, 405},
		{"no credential", request{Path: "/graphql", Body: one}, 401},
		{"introspection without one", request{Path: "/graphql", Body: `{"query":"{__schema{types{name}}}"}`}, 401},
		{"a cookie", request{Path: "/graphql", Body: one, Header: []string{"Cookie", "storefront_session=" + token}},
			401},
		{"the credential in the query", request{Path: "/graphql?access_token=" + token, Body: one}, 401},
		{"another method", request{As: token, Method: "DELETE", Path: "/graphql"}, 405},
		{"a key for people's fields", request{As: f.Stores[0].Keys["all"], Path: "/graphql", Body: one}, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			quickly(t, tc.name, func() {
				a := p.send(t, tc.r)
				if a.Status != tc.status || a.code() == "" {
					t.Errorf("got %d %q, want %d and an error: %.300s", a.Status, a.code(), tc.status, a.Body)
				}
				if a.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Error("other origins may read it")
				}
			})
		})
	}
	var got struct{ Store struct{ Name string } }
	p.graphql(t, token, "{store{name}}", nil, &got)
	if got.Store.Name == "Owned" {
		t.Error("a refused mutation ran")
	}
	if a := p.send(t, request{Path: "/graphql/explorer"}); a.Status != http.StatusOK ||
		strings.Contains(string(a.Body), "//cdn") || strings.Contains(string(a.Body), "src=\"http") {
		t.Errorf("the explorer: %d", a.Status)
	}
}
