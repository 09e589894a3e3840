package mcp_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/mcp"
	"github.com/storefront-go/storefront/rest/web"
)

func tools(t testing.TB) []*mcp.Tool {
	t.Helper()
	document, err := web.JSON(rest.Document)
	if err != nil {
		t.Fatal(err)
	}
	all, err := mcp.Tools(document)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// asked keeps the last request and returns a given answer.
type asked struct {
	last   *mcp.Request
	status int
	answer string
}

func (a *asked) Do(_ context.Context, r *mcp.Request) (int, []byte, error) {
	a.last = r
	return a.status, []byte(a.answer), nil
}

// agent connects a client of the SDK to a server in this process.
func agent(t testing.TB, all []*mcp.Tool, api mcp.API) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	server, err := mcp.NewServer(all, api, "test").Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	return client
}

// Each route is a tool with the route's scope and inputs.
func TestTools(t *testing.T) {
	all := tools(t)
	got := map[string]string{}
	for _, tool := range all {
		got[tool.Name()] = tool.Scope()
	}
	want := map[string]string{
		"get_me": scope.ProductsRead, "list_orders": scope.OrdersRead, "get_order": scope.OrdersRead,
		"create_order_note": scope.OrdersWrite, "cancel_order": scope.SalesWrite, "create_payment": scope.SalesWrite,
		"create_fulfillment": scope.FulfillmentsWrite, "create_refund": scope.RefundsWrite,
		"list_products": scope.ProductsRead, "get_product": scope.ProductsRead,
		"create_product": scope.ProductsWrite, "list_customers": scope.CustomersRead, "list_exports": scope.ExportsRead,
		"create_export": scope.ExportsWrite, "get_export": scope.ExportsRead, "list_webhooks": scope.WebhooksRead,
		"create_webhook": scope.WebhooksWrite, "delete_webhook": scope.WebhooksWrite, "list_themes": scope.ThemesRead,
		"get_theme": scope.ThemesRead, "list_theme_assets": scope.ThemesRead, "activate_theme": scope.ThemesWrite,
		"list_marketplace_themes": scope.ThemesRead,
		"create_order":            scope.SalesWrite, "update_order": scope.SalesWrite,
		"update_fulfillment": scope.FulfillmentsWrite, "update_product": scope.ProductsWrite,
		"update_variant": scope.ProductsWrite, "get_fulfillments": scope.OrdersRead,
		"publish_product": scope.ProductsWrite, "unpublish_product": scope.ProductsWrite,
		"archive_product": scope.ProductsWrite, "upsert_product": scope.ProductsWrite,
		"list_inventory": scope.InventoryRead, "adjust_inventory": scope.InventoryWrite,
		"get_customer": scope.CustomersRead, "create_customer": scope.CustomersWrite,
		"create_return": scope.SalesWrite, "list_returns": scope.OrdersRead, "get_return": scope.OrdersRead,
		"approve_return": scope.SalesWrite, "decline_return": scope.SalesWrite, "receive_return": scope.SalesWrite,
		"refund_return": scope.RefundsWrite, "exchange_return": scope.SalesWrite,
		"update_customer": scope.CustomersWrite, "list_discounts": scope.DiscountsRead,
		"create_discount": scope.DiscountsWrite, "update_discount": scope.DiscountsWrite,
		"transfer_inventory": scope.InventoryWrite, "list_locations": scope.LocationsRead,
		"create_location": scope.LocationsWrite, "update_location": scope.LocationsWrite,
		"reorder_locations": scope.LocationsWrite, "close_location": scope.LocationsWrite,
		"list_custom_fields": scope.CustomFieldsRead, "create_custom_field": scope.CustomFieldsWrite,
		"update_custom_field": scope.CustomFieldsWrite, "delete_custom_field": scope.CustomFieldsWrite,
		"delete_discount": scope.DiscountsWrite, "list_events": scope.WebhooksRead, "get_event": scope.WebhooksRead,
		"list_imports": scope.ImportsRead, "create_import": scope.ImportsWrite, "get_import": scope.ImportsRead,
		"list_import_errors": scope.ImportsRead,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if len(all) != len(rest.Routes()) {
		t.Errorf("%d tools, %d rows", len(all), len(rest.Routes()))
	}
	some := mcp.Within(all, scope.Of(scope.OrdersRead))
	if len(some) != 5 || len(all) != len(want) {
		t.Errorf("orders.read has %d tools, and %d are left", len(some), len(all))
	}
}

// A client sees inputs without references or examples, and hints on what a tool does.
func TestInputs(t *testing.T) {
	listed, err := agent(t, tools(t), &asked{}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		for _, not := range []string{`"$ref"`, `"example"`, `"examples"`} {
			if strings.Contains(string(raw), not) {
				t.Errorf("%s holds %s: %s", tool.Name, not, raw)
			}
		}
		var schema struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		if keyed := slices.Contains(schema.Required, "idempotency_key"); keyed == tool.Annotations.ReadOnlyHint {
			t.Errorf("%s: reads only is %t, needs a key is %t", tool.Name, tool.Annotations.ReadOnlyHint, keyed)
		}
		if tool.Name == "create_product" {
			got := slices.Sorted(maps.Keys(schema.Properties))
			for _, name := range []string{"title", "price_minor", "currency", "tags", "idempotency_key"} {
				if !slices.Contains(got, name) {
					t.Errorf("create_product takes %v, not %s", got, name)
				}
			}
		}
	}
}

// Each tool has an output schema, which the structured content of a call conforms to, without
// references or examples.
func TestOutputs(t *testing.T) {
	listed, err := agent(t, tools(t), &asked{}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, tool := range listed.Tools {
		if tool.OutputSchema == nil {
			t.Errorf("%s says nothing of its answer", tool.Name)
			continue
		}
		raw, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		size += len(raw)
		var schema struct {
			Type       string
			Properties map[string]any
		}
		if err := json.Unmarshal(raw, &schema); err != nil || schema.Type != "object" || len(schema.Properties) == 0 ||
			strings.Contains(string(raw), `"$ref"`) || strings.Contains(string(raw), `"example"`) {
			t.Errorf("%s: %v %s", tool.Name, err, raw)
		}
	}
	if size > len(rest.Routes())*4<<10 {
		t.Errorf("the answers take %d bytes of an agent's memory", size)
	}
	t.Logf("%d bytes", size)
}

// The arguments of a tool become the request of its route.
func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		name, tool, arguments string
		want                  *mcp.Request
		refused               string
	}{
		{name: "nothing", tool: "list_orders", arguments: `{}`, want: &mcp.Request{Method: "GET", Target: "/orders"}},
		{name: "a query", tool: "list_orders", arguments: `{"limit": 5, "status": "open", "cursor": null}`,
			want: &mcp.Request{Method: "GET", Target: "/orders?limit=5&status=open"}},
		{name: "an id", tool: "get_order", arguments: `{"id": "ord_1"}`,
			want: &mcp.Request{Method: "GET", Target: "/orders/ord_1"}},
		{name: "an id that wants out", tool: "get_order", arguments: `{"id": "../products?limit=1#"}`,
			want: &mcp.Request{Method: "GET", Target: "/orders/..%2Fproducts%3Flimit=1%23"}},
		{name: "a body", tool: "create_order_note",
			arguments: `{"id": "ord_1", "body": "{id}", "idempotency_key": "k"}`,
			want: &mcp.Request{Method: "POST", Target: "/orders/ord_1/notes", Key: "k",
				Body: []byte(`{"body":"{id}"}`)}},
		{name: "a body's mistakes are the API's to name", tool: "create_product", arguments: `{"title": 1}`,
			want: &mcp.Request{Method: "POST", Target: "/products", Body: []byte(`{"title":1}`)}},
		{name: "no body", tool: "activate_theme", arguments: `{"id": "thm_1", "idempotency_key": "k"}`,
			want: &mcp.Request{Method: "POST", Target: "/themes/thm_1/activate", Key: "k"}},
		{name: "no id", tool: "get_order", arguments: `{}`, refused: `the argument "id" is missing`},
		{name: "an empty id", tool: "get_order", arguments: `{"id": ""}`, refused: `the argument "id" is empty`},
		{name: "a step up", tool: "get_order", arguments: `{"id": ".."}`, refused: `the argument "id" is empty`},
		{name: "an unknown argument", tool: "list_orders", arguments: `{"page": 2}`,
			refused: `there is no argument "page"`},
		{name: "a list for a text", tool: "list_orders", arguments: `{"status": ["open"]}`,
			refused: `the argument "status" must be a text or a number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := &asked{status: http.StatusOK, answer: `{}`}
			got, err := agent(t, tools(t), api).CallTool(t.Context(),
				&sdk.CallToolParams{Name: tt.tool, Arguments: json.RawMessage(tt.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			if got.IsError != (tt.refused != "") || got.IsError && said(got) != tt.refused {
				t.Fatalf("answer: %t %s, want %q", got.IsError, said(got), tt.refused)
			}
			if diff := cmp.Diff(tt.want, api.last); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// A refusal by the API is a result that says so, and 204 says that it is done.
func TestResults(t *testing.T) {
	api := &asked{status: http.StatusConflict, answer: `{"code":"theme_not_ready"}`}
	client := agent(t, tools(t), api)
	call := &sdk.CallToolParams{Name: "delete_webhook",
		Arguments: map[string]any{"id": "whk_1", "idempotency_key": "k"}}
	got, err := client.CallTool(t.Context(), call)
	if err != nil || !got.IsError || said(got) != api.answer {
		t.Errorf("a refusal: %v %+v", err, got)
	}
	api.status, api.answer = http.StatusNoContent, ""
	got, err = client.CallTool(t.Context(), call)
	if err != nil || got.IsError || said(got) != "Done: 204 No Content" ||
		!cmp.Equal(got.StructuredContent, any(map[string]any{"status": 204.0})) {
		t.Errorf("no content: %v %+v", err, got)
	}
}

func said(r *sdk.CallToolResult) string { return r.Content[0].(*sdk.TextContent).Text }

// FuzzArguments checks that no arguments lead outside the tool's path or panic.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"id":"ord_1"}`, `{"id":"../x"}`, `{"id":{}}`, `[]`, `{"id":"{id}"}`, ``, `{"id":null}`,
	} {
		f.Add(seed)
	}
	all := tools(f)
	f.Fuzz(func(t *testing.T, arguments string) {
		for _, tool := range all {
			if tool.Name() != "get_order" {
				continue
			}
			r, err := mcp.RequestOf(tool, []byte(arguments))
			if err == nil && (!strings.HasPrefix(r.Target, "/orders/") || strings.Count(r.Target, "/") != 2 ||
				strings.ContainsAny(r.Target, "?#")) {
				t.Errorf("%s leads to %s", arguments, r.Target)
			}
		}
	})
}
