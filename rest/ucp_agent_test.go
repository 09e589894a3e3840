package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// visiting sends requests to the host of a shop, without a credential.
type visiting struct {
	s    *server
	host string
}

func (v visiting) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = v.host
	return v.s.free.Transport.RoundTrip(r)
}

// buyingAgent is an agent that uses the tools of a shop.
type buyingAgent struct {
	t       *testing.T
	session *sdk.ClientSession
	outputs map[string]*jsonschema.Resolved
}

// buyingAgent connects the SDK's client to the tools of a shop.
func (s *server) buyingAgent(t *testing.T, host string) *buyingAgent {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: visiting{s, host}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	listed := graphtest.Must[*sdk.ListToolsResult](t)(session.ListTools(t.Context(), nil))
	a := &buyingAgent{t, session, map[string]*jsonschema.Resolved{}}
	for _, tool := range listed.Tools {
		raw := graphtest.Must[[]byte](t)(json.Marshal(tool.OutputSchema))
		schema := &jsonschema.Schema{}
		if err := json.Unmarshal(raw, schema); err != nil {
			t.Fatal(err)
		}
		a.outputs[tool.Name] = graphtest.Must[*jsonschema.Resolved](t)(schema.Resolve(nil))
	}
	return a
}

// call calls a tool and returns its text. An answer matches the schema of the tool's output.
func (a *buyingAgent) call(refused bool, tool, arguments string) (text string, s say) {
	a.t.Helper()
	got, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{
		Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		a.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	text = got.Content[0].(*sdk.TextContent).Text
	if got.IsError != refused || json.Unmarshal([]byte(text), &s) != nil {
		a.t.Fatalf("%s %s: %s", tool, arguments, text)
	}
	if !refused {
		if err := a.outputs[tool].Validate(got.StructuredContent); err != nil {
			a.t.Errorf("%s answers %s: %v", tool, text, err)
		}
	}
	return text, s
}

// TestAgentBuys: an agent with a stock client finds a product, fills a checkout, pays and reads the order,
// without a credential. The checkout is the one that the REST binding shows.
func TestAgentBuys(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		s := newServer(t, store, underTest(t, store))
		m := newShop(t, store, shopRow{Handle: "first"})
		mug := xid.Variant.Format(selling(t, m, state.English, 5))
		m.payable()
		bell := m.offered("Bell")
		const host = "first.shops.test:8080"
		a, p := s.buyingAgent(t, host), &program{t: t, s: s, host: host}
		p.want(200, http.MethodGet, "/.well-known/ucp", "")
		if !strings.Contains(string(p.body), `"endpoint":"https://first.localhost/mcp"`) {
			t.Errorf("the discovery is %s", p.body)
		}
		meta := `{"meta": {"ucp-agent": {"profile": "https://agent.example/profile"}}, `
		found, _ := a.call(false, "search_catalog", meta+`"catalog": {"query": "bell"}}`)
		if !strings.Contains(found, bell) {
			t.Errorf("the search finds %s", found)
		}
		a.call(false, "lookup_catalog", `{"catalog": {"ids": ["`+mug+`"]}}`)
		a.call(false, "get_product", `{"catalog": {"id": "`+bell+`"}}`)
		a.call(true, "get_product", `{"catalog": {"id": "none"}}`)
		a.call(true, "search_catalog", `{}`)
		const key = `"idempotency_key": "8c1c2b52-6a53-4f4b-b0b2-0f1d7d6c9a11", `
		create := meta + key + `"checkout": {"line_items": [` + lineOf(mug, 2) + `]}}`
		_, made := a.call(false, "create_checkout", create)
		if _, again := a.call(false, "create_checkout", create); again.ID != made.ID || made.total("total") != 3980 {
			t.Errorf("a replay created %s, the first call %+v", again.ID, made)
		}
		id := meta + `"id": "` + made.ID + `"`
		a.call(true, "get_checkout", meta+`"id": "`+made.ID+`/complete"}`)
		_, quoted := a.call(false, "update_checkout", id+`, "checkout": `+shipTo(berlin, "")+`}`)
		rate := quoted.Fulfillment.Methods[0].Groups[0].Options[0].ID
		a.call(false, "update_checkout", id+`, "checkout": `+shipTo(berlin, rate)+`}`)
		if _, got := a.call(false, "get_checkout", id+`}`); got.Status != "ready_for_complete" {
			t.Errorf("the checkout is %+v", got)
		}
		if seen := p.want(200, http.MethodGet, sessions+"/"+made.ID, ""); seen.total("total") != 4470 {
			t.Errorf("the REST binding shows %s", p.body)
		}
		const pay = `"payment": {"handler_id": "mock_payment_handler", "credential": {"type": "token", "token": `
		a.call(true, "complete_checkout", id+`, `+pay+`"success_token"}}}`) // without a key
		refusal, _ := a.call(true, "complete_checkout", id+`, `+key+pay+`"fail_token"}}}`)
		if !strings.Contains(refusal, `"payment_declined"`) {
			t.Errorf("a declined token is answered with %s", refusal)
		}
		_, done := a.call(false, "complete_checkout", id+`, `+key+`"payment": {"instruments": [{"id": "i",
			"handler_id": "mock_payment_handler", "credential": {"type": "token", "token": "success_token"}}]}}`)
		if done.Status != "completed" || done.Order == nil {
			t.Fatalf("the completed checkout is %+v", done)
		}
		if _, o := a.call(false, "get_order", `{"id": "`+done.Order.ID+`"}`); o.CheckoutID != made.ID {
			t.Errorf("the order is %+v", o)
		}
		a.call(true, "cancel_checkout", id+`, `+key+`"x": 1}`)
		orders := graphtest.Must[[]*db.Order](t)(store.DB(m.ctx).Order.Query().All(m.ctx))
		if len(orders) != 1 || orders[0].PaidMinor != 4470 {
			t.Errorf("the orders are %+v", orders)
		}
	})
}

// TestAgentRefused: messages that are too large, batches and programs of a later version are refused, and a
// shop of another host knows no checkout.
func TestAgentRefused(t *testing.T) {
	s, _ := sqliteShop(t)
	p := &program{t: t, s: s, host: "first.shops.test:8080"}
	p.want(400, http.MethodPost, "/mcp", `[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]`)
	p.want(413, http.MethodPost, "/mcp", `{"x": "`+strings.Repeat("x", 70<<10)+`"}`)
	a := s.buyingAgent(t, p.host)
	refusal, _ := a.call(true, "search_catalog", `{"meta": {"ucp-agent": {"version": "2099-01-01"}}, "catalog": {}}`)
	if !strings.Contains(refusal, "version_unsupported") {
		t.Errorf("a later version is answered with %s", refusal)
	}
	a.call(true, "get_checkout", `{"id": "none"}`)
	a.call(true, "create_checkout", `{"checkout": []}`)
	none := &program{t: t, s: s, host: "none.shops.test:8080"}
	none.want(404, http.MethodPost, "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`)
}
