package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/storetest"
)

// things are one id of each kind, by the GraphQL field that lists them.
type things struct {
	Products, Customers, Orders, APIKeys, Staff, StaffTokens nodes
}

type nodes struct{ Nodes []struct{ ID string } }

func (n nodes) first() string { return n.Nodes[0].ID }

// inventory is everything that a store shows its owner, for comparing.
const inventory = `{store{id name version updatedAt}
 products(first:100){nodes{id version status title updatedAt}}
  customers(first:100){nodes{id version status email updatedAt}}
 orders(first:50){nodes{id version status financialStatus fulfillmentStatus notesCount updatedAt}}
 apiKeys(first:100){nodes{id superseded revokedAt}} staff{nodes{id role version}} staffTokens{nodes{id revokedAt}}
 auditLog(first:100){nodes{id}}}`

// ids returns ids of a store's things.
func (p *program) ids(t *testing.T, s demo.Store) (v things) {
	t.Helper()
	p.graphql(t, s.StaffToken, inventory, nil, &v)
	return v
}

// Another store's id is answered like an unknown one, and changes nothing there.
func TestTenantsREST(t *testing.T) {
	storetest.Sequential(t)
	s := either(t)
	p := start(t, s)
	f := p.demo(t)
	for i, mine := range f.Stores {
		theirs := p.ids(t, f.Stores[1-i])
		own := p.ids(t, mine)
		const nobody = "01h455vb4pex5vsknk084sn02q"
		for _, r := range []struct{ prefix, path, body, foreign, own string }{
			{prefix: "ord_", path: "/orders/%s", foreign: theirs.Orders.first(), own: own.Orders.first()},
			{prefix: "prod_", path: "/products/%s", foreign: theirs.Products.first(), own: own.Products.first()},
			{prefix: "ord_", path: "/orders/%s/notes", body: `{"body":"x"}`, foreign: theirs.Orders.first(),
				own: own.Orders.first()},
		} {
			ask := func(id string) *answer {
				return p.send(t, request{As: mine.Keys["all"], Path: base + fmt.Sprintf(r.path, id), Body: r.body})
			}
			if a := ask(r.own); a.Status >= 300 {
				t.Errorf("its own %s: %d %s", r.own, a.Status, a.Body)
			}
			want := ask(r.prefix+nobody).want(t, http.StatusNotFound, "not_found")
			for _, id := range []string{r.foreign, strings.ToUpper(r.foreign), r.foreign + "0", "x",
				strings.TrimPrefix(r.foreign, r.prefix), "%2e%2e", "%00"} {
				got := ask(id).want(t, http.StatusNotFound, "not_found")
				if anonymous(t, got) != anonymous(t, want) {
					t.Errorf("%s: %s, for an unknown id: %s", id, got.Body, want.Body)
				}
			}
		}
		p.emptyElsewhere(t, mine, theirs)
	}
}

// emptyElsewhere checks that lists filtered by another store's ids are empty.
func (p *program) emptyElsewhere(t *testing.T, mine demo.Store, theirs things) {
	t.Helper()
	var list struct{ Data []json.RawMessage }
	p.send(t, request{As: mine.Keys["all"], Path: base + "/orders?customer_id=" + theirs.Customers.first()}).
		want(t, http.StatusOK, "").decode(t, &list)
	if len(list.Data) != 0 {
		t.Errorf("orders of another store's customer: %s", list.Data)
	}
	for _, path := range []string{"/orders", "/products", "/customers"} {
		p.foreignCursor(t, mine, path)
		a := p.send(t, request{As: mine.Keys["all"], Path: base + path + "?limit=100"}).want(t, http.StatusOK, "")
		for _, id := range slices.Concat(theirs.Orders.Nodes, theirs.Products.Nodes, theirs.Customers.Nodes) {
			if strings.Contains(string(a.Body), id.ID) {
				t.Errorf("%s shows %s of another store", path, id.ID)
			}
		}
	}
}

// foreignCursor checks that a cursor of another store gives page one of the store's own list.
func (p *program) foreignCursor(t *testing.T, mine demo.Store, path string) {
	t.Helper()
	f := p.demo(t)
	other := f.Stores[0]
	if other.ID == mine.ID {
		other = f.Stores[1]
	}
	var page struct {
		NextCursor string `json:"next_cursor"`
	}
	p.send(t, request{As: other.Keys["all"], Path: base + path + "?limit=2"}).want(t, http.StatusOK, "").
		decode(t, &page)
	first := p.send(t, request{As: mine.Keys["all"], Path: base + path + "?limit=2"})
	if got := p.send(t, request{As: mine.Keys["all"], Path: base + path + "?limit=2&cursor=" +
		page.NextCursor}); page.NextCursor == "" || !same(got, first) {
		t.Errorf("%s with a cursor of another store is not page one: %s", path, got.Body)
	}
}

// anonymous is an answer without what differs from request to request.
func anonymous(t *testing.T, a *answer) string {
	t.Helper()
	var body map[string]any
	a.decode(t, &body)
	delete(body, "request_id")
	return fmt.Sprint(a.Status, body)
}

// Every field of the schema that takes an id refuses another store's id: the schema itself says
// which fields these are, so new fields are tested too.
func TestTenantsGraphQL(t *testing.T) {
	storetest.Sequential(t)
	s := either(t)
	p := start(t, s)
	f := p.demo(t)
	mine, other := f.Stores[0], f.Stores[1]
	theirs := p.ids(t, other)
	before := p.post(t, other.StaffToken, inventory, nil)
	schema := p.introspect(t, mine.StaffToken)
	tried := 0
	for _, root := range []string{"Query", "Mutation"} {
		for _, field := range schema.types[root].Fields {
			if !schema.takesID(field) {
				continue
			}
			tried++
			t.Run(field.Name, func(t *testing.T) {
				foreign := p.post(t, mine.StaffToken, schema.document(root, field, theirs), nil)
				unknown := p.post(t, mine.StaffToken, schema.document(root, field, nobody), nil)
				if !refused(t, foreign) {
					t.Errorf("another store's id: %s", foreign.Body)
				}
				if stripped(t, foreign) != stripped(t, unknown) {
					t.Errorf("another store's id: %s\nan unknown id: %s", foreign.Body, unknown.Body)
				}
			})
		}
	}
	if tried < 25 {
		t.Errorf("only %d fields were tried", tried)
	}
	if after := p.post(t, other.StaffToken, inventory, nil); string(after.Body) != string(before.Body) {
		t.Errorf("the other store changed:\n%s\n%s", before.Body, after.Body)
	}
}

// nobody's things have well-formed, unknown ids.
var nobody = things{Products: unknown("prod_"), Customers: unknown("cus_"), Orders: unknown("ord_"),
	APIKeys: unknown("key_"), Staff: unknown("usr_"), StaffTokens: unknown("tok_")}

func unknown(prefix string) nodes {
	return nodes{[]struct{ ID string }{{prefix + "01h455vb4pex5vsknk084sn02q"}}}
}

// refused reports whether an answer shows nothing: null, an empty list, or a payload with only user
// errors.
func refused(t *testing.T, a *answer) bool {
	t.Helper()
	var body struct{ Data map[string]json.RawMessage }
	a.decode(t, &body)
	for _, data := range body.Data {
		if string(data) == "null" {
			continue
		}
		var payload struct {
			UserErrors []struct{ Code string }
			Nodes      []struct{ ID string }
			Edges      *[]any
		}
		if err := json.Unmarshal(data, &payload); err != nil {
			t.Fatal(err)
		}
		list := strings.Contains(string(data), `"nodes"`)
		if list && len(payload.Nodes) > 0 || !list && len(payload.UserErrors) == 0 {
			return false
		}
	}
	return a.Status == http.StatusOK
}

// stripped is a GraphQL answer without its request ids.
func stripped(t *testing.T, a *answer) string {
	t.Helper()
	var body struct {
		Data   any
		Errors []struct {
			Message    string
			Extensions map[string]any
		}
	}
	a.decode(t, &body)
	for _, e := range body.Errors {
		delete(e.Extensions, "request_id")
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
